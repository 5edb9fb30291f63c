"""Who uses the site: users, their API tokens, their notices."""

from accounts.models.notice import Notice
from accounts.models.token import ApiToken
from accounts.models.user import Deck, Felt, Language, Pause, Speed, Theme, TwoTap, User

__all__ = ["ApiToken", "Deck", "Felt", "Language", "Notice", "Pause", "Speed", "Theme", "TwoTap", "User"]
