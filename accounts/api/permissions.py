"""Who may call what: the scopes of a token, and the confirmed address."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.models import ApiToken
from accounts.services import users


def HasScope(scope: str) -> type[BasePermission]:  # noqa: N802  (a class, made by a call)
    """A permission class: who comes with a token needs `scope` in it; reading needs `read`. A session has every scope.

    Signed-out readers pass: what they may see is the view's business.
    """
    if scope not in ApiToken.Scope.values:
        raise ValueError(scope)

    class HasScopePermission(BasePermission):
        code = "token_scope"

        def has_permission(self, request: Request, view: APIView) -> bool:
            if not request.user.is_authenticated:
                return request.method in SAFE_METHODS
            wanted = "read" if request.method in SAFE_METHODS else scope
            self.message = _(
                "This token may not do that: it lacks the scope “%(scope)s”. Make another one at %(page)s."
            ) % {
                "scope": wanted,
                "page": "/settings/tokens/",
            }
            return not isinstance(request.auth, ApiToken) or wanted in request.auth.scopes

    HasScopePermission.__name__ = f"HasScope{scope.title()}"
    return HasScopePermission


class IsConfirmed(BasePermission):
    """Writing needs a confirmed address."""

    code = "email_unconfirmed"
    message = _("Confirm your e-mail address first: open the link in our mail, or ask for a new one in your settings.")

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether this person may go on."""
        return request.method in SAFE_METHODS or users.is_confirmed(request.user)
