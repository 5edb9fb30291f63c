"""Who is asking: an API token in the header `Authorization: Bearer bella_...`, or the session of the site's pages."""

from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from knox.auth import TokenAuthentication
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.request import Request

from accounts.models import ApiToken, User
from accounts.services import tokens


class ApiTokenAuthentication(TokenAuthentication):
    """Knox's authentication; bytes that are no text are a wrong token, and the last use is kept."""

    def authenticate_credentials(self, token: bytes) -> tuple[User, ApiToken]:
        """The user and the token. Raises AuthenticationFailed."""
        if not token.isascii():
            raise AuthenticationFailed
        user, found = super().authenticate_credentials(token)
        tokens.used(token=found)
        return user, found


class PageSession(SessionAuthentication):
    """The session of a signed-in person, for the site's own pages: writing needs the key against forged requests."""

    def enforce_csrf(self, request: Request) -> None:
        """Raises PermissionDenied `csrf`."""
        try:
            super().enforce_csrf(request)
        except PermissionDenied as error:
            raise PermissionDenied(code="csrf") from error


class ApiTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the schema describes it."""

    target_class = "accounts.api.authentication.ApiTokenAuthentication"
    name = "token"
    priority = 1

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """A bearer token."""
        return {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "bella_...",
            "description": "A token of /settings/tokens/, with the scopes read, upload and play.",
        }


class PageSessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How the schema describes it."""

    target_class = "accounts.api.authentication.PageSession"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """A cookie."""
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": settings.SESSION_COOKIE_NAME,
            "description": "The session of the site's pages; writing needs the header X-CSRFToken as well.",
        }
