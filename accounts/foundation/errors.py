"""The base of every error that a user may see."""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise


class DomainError(Exception):
    """A refused action: a stable `code` for programs, a translatable `message` that says what to do, and `params`.

    HTML pages, the API, the admin and commands all render it alike. `status` is the HTTP status of the answer.
    """

    status: int = 409

    def __init__(self, code: str, message: str | Promise, /, *, status: int | None = None, **params: Any) -> None:
        self.code = code
        self.message = message
        self.params: Mapping[str, Any] = params
        if status is not None:
            self.status = status
        super().__init__(code)

    def __str__(self) -> str:
        """The message in the active language, its parameters filled in."""
        text = str(self.message)
        return text % self.params if self.params else text
