"""The tree of errors that the engine raises: one class a subject, one stable `code` a reason."""

from typing import Any


class EngineError(ValueError):
    """Base of every error that leaves the package.

    `code` is stable and dotted (`play.not_in_hand`); `message` is English and says what to do; `detail` holds the
    values that the message speaks of, so that a caller can word it in another language.
    """

    code: str
    message: str
    detail: dict[str, Any]

    def __init__(self, code: str, message: str, **detail: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.detail = detail

    def __str__(self) -> str:
        where = "".join(
            f" ({name} {self.detail[name]})" for name in ("line", "column", "play", "deal") if name in self.detail
        )
        return f"{self.code}: {self.message}{where}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.code, self.message, self.detail)


def _rebuild(kind: type[EngineError], code: str, message: str, detail: dict[str, Any]) -> EngineError:
    return kind(code, message, **detail)


class CardError(EngineError):
    """Text or number that is no card: `card.code`."""


class RulesError(EngineError):
    """Rules that contradict themselves or do not exist: `rules.*`."""


class IllegalPlay(EngineError):
    """A play or an undo that is not possible now: `play.*`."""


class ClaimError(EngineError):
    """A call of the game that is not allowed: `claim.*`."""


class SignalError(EngineError):
    """A sign between partners that is not allowed: `signal.*`."""


class RecordError(EngineError):
    """A deck, dealer or list of plays that is no record of a deal: `record.*`."""


class NotationError(EngineError):
    """Text of a deal that cannot be read or does not agree with its replay: `notation.*`.

    `detail["line"]` and `detail["column"]` name the place, from 1.
    """


class PositionError(EngineError):
    """A position string that cannot be read: `position.*`."""


class ShuffleError(EngineError):
    """A seed, salt or deal number that the shuffle cannot take: `shuffle.*`."""


class SolverError(EngineError):
    """A position that the exact solver does not take: `solver.*`."""


class MatchError(EngineError):
    """A result that does not belong to the match: `match.*`."""


def shown(value: object, limit: int = 40) -> str:
    """`value` as it may stand in a message: quoted, without control characters, at most `limit` characters."""
    text = ascii(value) if isinstance(value, (str, bytes, int, float)) and not _is_huge(value) else type(value).__name__
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _is_huge(value: object) -> bool:
    """Python refuses to write integers of more than 4,300 digits."""
    return isinstance(value, int) and value.bit_length() > 256
