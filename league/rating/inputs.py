"""What goes into the rating of a period and what comes out of it, and the checks of the input."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from league.rating.elo import DRAW, LOSS, PPM, WIN, EloParameters, Population
from league.rating.errors import RatingInputError
from league.rating.ledger import LedgerRow, is_plain

ESTABLISHED_GAMES = 20
"""Rated games from which a rating is no longer provisional; peaks count from here on."""

INACTIVE_DAYS = 90
"""After a longer pause a row has at most ESTABLISHED_GAMES games, so its K is large again."""

_SCORES = (WIN, DRAW, LOSS)
_subject = re.compile(r"([cpv]):([1-9][0-9]*)").fullmatch


class PeriodKind(StrEnum):
    """What closes together; the first four hold matches, the others move a whole pool."""

    MATCH = "match"
    ROUND = "round"
    BATCH = "batch"
    BLOCK = "block"
    ANCHOR = "anchor"
    RESET = "reset"


class RatingState(NamedTuple):
    """One subject's rating between periods. Give the fields by name.

    Milli-Elo, rated games, highest rating at the end of a period since n = 20 (None before), the number of the last
    ledger row (0: none) and the UTC day of the last rated match (None: none).
    A named tuple, because a rebuild makes one a subject and period.
    """

    rating_m: int
    n: int = 0
    peak_m: int | None = None
    last_seq: int = 0
    last_day: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodSubject:
    """Who is rated: `p:<id>` a human, `v:<id>` a bot version, `c:<id>` a fixed pair.

    A subject without a state starts at the rating of the first of `ancestors` (nearest first: the parents of a bot
    version) that has one before this period, else at the start value; its n is 0.
    """

    subject: str
    population: Population
    ancestors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodMatch:
    """One rated match: the subjects of side 0 and of side 1 in seat order (one each, or partners without a row of
    their own) and the score of each side in ppm (10^6, 500,000 or 0)."""

    code: str
    sides: tuple[tuple[str, ...], tuple[str, ...]]
    scores: tuple[int, int]
    reason: str = "rated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """One period of a pool as the apply step and the rebuild read it.

    `seq` is its number in the pool, `day` the UTC date of its last result. `subjects` describes at least every subject
    of `matches`. `anchor` is the subject that an `anchor` period puts at the start value.
    """

    seq: int
    kind: PeriodKind
    day: date
    matches: tuple[PeriodMatch, ...] = ()
    subjects: tuple[PeriodSubject, ...] = ()
    anchor: str = ""


class PeriodResult(NamedTuple):
    """Rows to append, the new state of every subject that moved or played, and where the chain stands."""

    rows: tuple[LedgerRow, ...]
    states: Mapping[str, RatingState]
    last_seq: int
    last_hash: str


def subject_key(subject: str) -> tuple[str, int]:
    """Return (kind, id) of a subject, which is also its place in a sorted list.

    Raises RatingInputError (`unknown_subject`).
    """
    found = _subject(subject)
    if found is None:
        raise RatingInputError("unknown_subject", f"{subject!r} is no rated subject.", value=subject)
    return found[1], int(found[2])


def count_games(matches: Sequence[PeriodMatch]) -> dict[str, int]:
    """Check the matches (sorted by code) and return the rated games of each subject in them.

    Raises RatingInputError with the code of the first match at fault.
    """
    previous = ""
    games: dict[str, int] = {}
    for match in matches:
        code, (side_0, side_1), score = match.code, match.sides, match.scores[0]
        if not code or not is_plain(code + match.reason):
            raise RatingInputError("bad_text", f"Match code {code!r} or its reason cannot be a row's text.", match=code)
        if code == previous:
            raise RatingInputError("duplicate_match", f"Match {code} stands twice in the period.", match=code)
        previous = code
        if score + match.scores[1] != PPM:
            message = f"The scores of match {code} sum to {sum(match.scores)} ppm, not {PPM}."
            raise RatingInputError("score_sum", message, match=code, value=str(sum(match.scores)))
        if score not in _SCORES:
            raise RatingInputError("score_value", f"A side of match {code} scored {score} ppm.", match=code)
        if not side_0 or len(side_0) != len(side_1):
            raise RatingInputError("side_sizes", f"The sides of match {code} have unlike sizes or none.", match=code)
        subjects = side_0 + side_1
        if len({*subjects}) < len(subjects):
            subject = next(subject for subject in subjects if subjects.count(subject) > 1)
            error = "same_subject" if subject in side_0 and subject in side_1 else "duplicate_subject"
            raise RatingInputError(error, f"{subject} plays twice in match {code}.", match=code, value=subject)
        for subject in subjects:
            games[subject] = games.get(subject, 0) + 1
    return games


def state_before(
    subject: PeriodSubject, day: date, states: Mapping[str, RatingState], parameters: EloParameters
) -> RatingState:
    """State of a subject before a period of that day: a newcomer started, a long pause taken into account.

    Raises RatingInputError (`unknown_subject`).
    """
    if _subject(subject.subject) is None:
        raise RatingInputError("unknown_subject", f"{subject.subject!r} is no rated subject.", value=subject.subject)
    state = states.get(subject.subject)
    if state is None:
        known = (states[ancestor].rating_m for ancestor in subject.ancestors if ancestor in states)
        return RatingState(rating_m=next(known, parameters.start))
    if state.n > ESTABLISHED_GAMES and state.last_day is not None and (day - state.last_day).days > INACTIVE_DAYS:
        return state._replace(n=ESTABLISHED_GAMES)
    return state
