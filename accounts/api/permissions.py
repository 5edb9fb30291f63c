"""Who may call what: the scopes of a token."""

from django.utils.translation import gettext_lazy as _
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.errors import AccountsError
from accounts.models import ApiToken


def HasScope(scope: str) -> type[BasePermission]:  # noqa: N802  (a class, made by a call)
    """A permission class: who comes with a token needs `scope` in it; reading needs `read`. A session has every scope.

    Signed-out readers pass: what they may see is the view's business. Raises AccountsError `scope_missing`.
    """
    if scope not in ApiToken.Scope.values:
        raise ValueError(scope)

    class HasScopePermission(BasePermission):
        wanted = scope

        def has_permission(self, request: Request, view: APIView) -> bool:
            if not request.user.is_authenticated:
                return request.method in SAFE_METHODS
            wanted = "read" if request.method in SAFE_METHODS else scope
            if isinstance(request.auth, ApiToken) and wanted not in request.auth.scopes:
                raise AccountsError(
                    "scope_missing",
                    _("This token may not do that: it lacks the scope “%(scope)s”. Make another one at %(page)s."),
                    status=403,
                    scope=wanted,
                    page="/settings/tokens/",
                )
            return True

    HasScopePermission.__name__ = f"HasScope{scope.title()}"
    return HasScopePermission
