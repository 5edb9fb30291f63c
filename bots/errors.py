"""What `bots` refuses."""

from typing import Any

from django.utils.translation import gettext_lazy

from accounts.foundation import DomainError
from bots import upload_texts
from bots.arena.sentences import MESSAGES


class BotsError(DomainError):
    """Base of the app's errors."""


class UploadRefused(BotsError):
    """A file that cannot become a version (`upload.*`): nothing of it is kept. Says what is wrong and what to do."""

    status = 422

    def __init__(self, code: str, /, **params: Any) -> None:
        super().__init__(code, gettext_lazy(MESSAGES[code]), **params)

    def __str__(self) -> str:
        """Both sentences, in the active language."""
        return f"{upload_texts.sentence(self.code, self.params)} {self.what_to_do}"

    @property
    def what_to_do(self) -> str:
        """The second sentence alone."""
        return upload_texts.advice(self.code, self.params)
