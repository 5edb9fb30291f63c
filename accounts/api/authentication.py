"""API tokens in the header `Authorization: Bearer bella_...`."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from knox.auth import TokenAuthentication
from rest_framework.exceptions import AuthenticationFailed

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
