"""Reading API tokens."""

from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import ApiToken, User


def valid(user: User) -> QuerySet[ApiToken]:
    """The user's tokens that still work, newest first."""
    return user.auth_token_set.filter(Q(expiry=None) | Q(expiry__gt=timezone.now())).order_by("-created")
