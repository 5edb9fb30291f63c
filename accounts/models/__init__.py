"""Who uses the site: users, their API tokens, their notices."""

from accounts.models.notice import Notice
from accounts.models.token import ApiToken
from accounts.models.user import Deck, Language, Theme, User

__all__ = ["ApiToken", "Deck", "Language", "Notice", "Theme", "User"]
