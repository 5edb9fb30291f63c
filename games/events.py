"""What happens to matches, told to the apps above."""

from dataclasses import dataclass

from accounts.foundation.events import publish, subscribe

__all__ = [
    "DealFinished",
    "HintWanted",
    "MatchFinished",
    "MatchStarted",
    "MatchesHeld",
    "MatchesReleased",
    "MatchesVoided",
    "TurnGiven",
    "TurnTaken",
    "publish",
    "subscribe",
]


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """The first card of a match may be played."""

    match_id: int


@dataclass(frozen=True, slots=True)
class DealFinished:
    """A deal was stored."""

    match_id: int
    number: int


@dataclass(frozen=True, slots=True)
class MatchFinished:
    """A match of this mode has its result."""

    match_id: int
    mode: str = ""


@dataclass(frozen=True, slots=True)
class MatchesHeld:
    """Matches are not to be played for now."""

    match_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MatchesReleased:
    """Matches may be played again."""

    match_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MatchesVoided:
    """Matches were declared void."""

    match_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TurnGiven:
    """It is a seat's turn at a table where people play; told again when the seat has not played in time."""

    match_id: int
    seat: int


@dataclass(frozen=True, slots=True)
class TurnTaken:
    """Whoever was asked for a card in this match is not to play it: taken back, or the deal or match is over."""

    match_id: int


@dataclass(frozen=True, slots=True)
class HintWanted:
    """Somebody who practises asks which card a bot would play in the present position."""

    match_id: int
    seat: int
