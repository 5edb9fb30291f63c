"""How the API describes itself: who may call what, the query strings, and the one shape of a refusal."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from rest_framework.permissions import SAFE_METHODS, IsAuthenticated

PROBLEM = {
    "type": "object",
    "description": "Why a request was refused. Programs look at `code`; `message` is for people, in their language.",
    "required": ["code", "message", "params"],
    "properties": {
        "code": {"type": "string", "description": "Stable name of the reason, the same as on the pages."},
        "message": {"type": "string", "description": "What is wrong and what to do, in the language of the request."},
        "params": {"type": "object", "additionalProperties": {}, "description": "The values that the message names."},
        "fields": {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
            "description": "With the code `invalid`: what is wrong with each field.",
        },
    },
}


class ApiSchema(AutoSchema):
    """Adds what the views of accounts.api.views know."""

    def get_override_parameters(self) -> list[Any]:
        """The query string of the view, for reading."""
        query = getattr(self.view, "query_class", None)
        return [query] if query is not None and self.method == "GET" else []

    def get_auth(self) -> list[dict[str, list[str]]]:
        """Reading needs no sign-in unless the view says so."""
        found: list[dict[str, list[str]]] = super().get_auth()
        needs = any(isinstance(permission, IsAuthenticated) for permission in self.view.get_permissions())
        return found if needs or self.method not in SAFE_METHODS else [*found, {}]

    def get_tags(self) -> list[str]:
        """By the first part of the address."""
        return [self.path.removeprefix("/api/v1/").partition("/")[0] or "start"]

    def get_description(self) -> str:
        """The docstring, and the scope that a token needs."""
        text: str = super().get_description() or ""
        wanted = next((one.wanted for one in self.view.get_permissions() if hasattr(one, "wanted")), "read")
        scope = "read" if self.method in SAFE_METHODS else wanted
        return f"{text}\n\nScope of a token: `{scope}`.".strip()


def add_refusals(result: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
    """Every operation may be refused: an answer that is not described otherwise is a Problem."""
    result.setdefault("components", {}).setdefault("schemas", {})["Problem"] = PROBLEM
    refused = {
        "description": "Refused: the status says how, the code why.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for operations in result["paths"].values():
        for operation in operations.values():
            operation["responses"]["default"] = refused
    return result
