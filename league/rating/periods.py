"""From the matches of one period and the ratings before it to the rows of the ledger: a pure function.

Live application and rebuild call the same `compute_period` with the same `Period`, so they cannot differ. Inside a
period every expectation, n and K comes from the state before it, and deltas are integer sums: the order in which
matches finished changes nothing.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from operator import attrgetter

from league.rating.elo import BELLA, PPM, EloParameters, MatchRater, capped_k, div_round, match_rater
from league.rating.errors import RatingInputError
from league.rating.inputs import (
    ESTABLISHED_GAMES,
    Period,
    PeriodKind,
    PeriodMatch,
    PeriodResult,
    RatingState,
    count_games,
    state_before,
    subject_key,
)
from league.rating.ledger import START_HASH, LedgerWriter, is_plain

_CODE = attrgetter("code")
_bella_rater = match_rater(BELLA)


def compute_period(
    period: Period,
    *,
    pool: str,
    states: Mapping[str, RatingState],
    last_seq: int = 0,
    last_hash: str = START_HASH,
    parameters: EloParameters = BELLA,
) -> PeriodResult:
    """Rate one period; nothing is changed in place.

    `states` holds the rows before the period: those of its subjects and their ancestors, for an anchor or a reset the
    whole pool. `last_seq` and `last_hash` are those of the pool's last row. Raises RatingInputError.
    """
    if not is_plain(pool):
        raise RatingInputError("bad_text", f"The pool code {pool!r} cannot stand in a ledger row.", value=pool)
    ledger = LedgerWriter(pool, period.seq, last_seq, last_hash)
    if period.kind is PeriodKind.ANCHOR:
        after = _move_all(ledger, period, states, _anchor_moves(period, pool, states, parameters), parameters)
    elif period.kind is PeriodKind.RESET:
        after = _move_all(ledger, period, states, _reset_moves(states, parameters), parameters)
    else:
        after = _rate_matches(ledger, period, states, parameters)
    return PeriodResult(tuple(ledger.rows), after, ledger.last_seq, ledger.last_hash)


def replay(
    periods: Iterable[Period],
    *,
    pool: str,
    states: Mapping[str, RatingState] | None = None,
    last_seq: int = 0,
    last_hash: str = START_HASH,
    parameters: EloParameters = BELLA,
) -> Iterator[PeriodResult]:
    """Rate periods one after the other, in the order given (their `seq`), yielding the result of each.

    Keeps only the states of the subjects, so its memory does not grow with the number of matches. `states`, `last_seq`
    and `last_hash` start it in the middle of a history. Raises RatingInputError.
    """
    known = dict(states or {})
    for period in periods:
        result = compute_period(
            period, pool=pool, states=known, last_seq=last_seq, last_hash=last_hash, parameters=parameters
        )
        known.update(result.states)
        last_seq, last_hash = result.last_seq, result.last_hash
        yield result


class _Playing:
    """A subject while its period is computed: the state before it, and what its rows have added so far."""

    __slots__ = ("after", "before", "k", "last_seq", "lowest", "n", "subject", "to_come")

    def __init__(self, subject: str, before: RatingState, games: int, k: int, lowest: int) -> None:
        self.subject = subject
        self.before = before
        self.after = before.rating_m
        self.n = before.n
        self.to_come = games
        self.k = k
        self.lowest = lowest
        self.last_seq = before.last_seq

    def write(
        self, ledger: LedgerWriter, match: PeriodMatch, opponents: str, score: int, expected: int, delta: int
    ) -> None:
        """Write the row of one match. Only the last one meets the floor: before it a loss may still be won back."""
        self.to_come -= 1
        after = self.after + delta
        floor = self.lowest - after if after < self.lowest and not self.to_come else 0
        self.after = after = after + floor
        ledger.append(
            after, self.before.rating_m, delta, expected, floor, self.k, "match", match.code, self.n, opponents,
            match.reason, score, self.subject,
        )  # fmt: skip
        self.n += 1
        self.last_seq = ledger.last_seq

    def state(self, day: date) -> RatingState:
        """State after the period."""
        last_day = self.before.last_day
        return RatingState(
            self.after,
            self.n,
            _peak(self.before.peak_m, self.after, self.n),
            self.last_seq,
            day if last_day is None or day > last_day else last_day,
        )


def _rate_matches(
    ledger: LedgerWriter, period: Period, states: Mapping[str, RatingState], parameters: EloParameters
) -> dict[str, RatingState]:
    """Write the rows of a period of matches; return the state after it of everyone who played."""
    matches = sorted(period.matches, key=_CODE) if len(period.matches) > 1 else period.matches
    playing = _entrants(period, count_games(matches), states, parameters)
    rate = _bella_rater if parameters is BELLA else match_rater(parameters)
    for match in matches:
        (side_0, side_1), (score_0, score_1) = match.sides, match.scores
        if len(side_0) > 1:
            _rate_teams(ledger, match, playing, rate)
            continue
        one, other = playing[side_0[0]], playing[side_1[0]]
        expected, delta_0, delta_1 = rate(one.before.rating_m, other.before.rating_m, score_0, one.k, other.k)
        one.write(ledger, match, other.subject, score_0, expected, delta_0)
        other.write(ledger, match, one.subject, score_1, PPM - expected, delta_1)
    return {player.subject: player.state(period.day) for player in playing.values()}


def _rate_teams(ledger: LedgerWriter, match: PeriodMatch, playing: Mapping[str, _Playing], rate: MatchRater) -> None:
    """Partners without a row of their own: a side is worth the mean of its members, each moves by his own K."""
    sides = [[playing[subject] for subject in side] for side in match.sides]
    values = [div_round(sum(player.before.rating_m for player in side), len(side)) for side in sides]
    names = ["+".join(sorted(side)) for side in match.sides]
    moves = [rate(values[0], values[1], match.scores[0], one.k, other.k) for one, other in zip(*sides, strict=True)]
    for player, (expected, delta, _) in zip(sides[0], moves, strict=True):
        player.write(ledger, match, names[1], match.scores[0], expected, delta)
    for player, (expected, _, delta) in zip(sides[1], moves, strict=True):
        player.write(ledger, match, names[0], match.scores[1], PPM - expected, delta)


def _entrants(
    period: Period, games: Mapping[str, int], states: Mapping[str, RatingState], parameters: EloParameters
) -> dict[str, _Playing]:
    """Everyone who plays in the period, with the K that is in force for all of it."""
    described = {subject.subject: subject for subject in period.subjects}
    playing = {}
    for subject, count in games.items():
        description = described.get(subject)
        if description is None:
            message = f"{subject} plays in period {period.seq} and is not described there."
            raise RatingInputError("missing_subject", message, value=subject)
        before = state_before(description, period.day, states, parameters)
        highest = before.rating_m if before.peak_m is None else before.peak_m
        base, cap = parameters.k_rule(description.population, before.n, highest)
        playing[subject] = _Playing(subject, before, count, capped_k(base, cap, count), parameters.floor)
    return playing


def _peak(peak_m: int | None, rating_m: int, n: int) -> int | None:
    if n < ESTABLISHED_GAMES:
        return peak_m
    return rating_m if peak_m is None else max(peak_m, rating_m)


def _anchor_moves(
    period: Period, pool: str, states: Mapping[str, RatingState], parameters: EloParameters
) -> dict[str, int]:
    """The same shift for everyone: what puts the anchor at the start value."""
    if period.anchor not in states:
        message = f"The anchor {period.anchor!r} has no rating in {pool}."
        raise RatingInputError("no_anchor", message, value=period.anchor)
    return dict.fromkeys(states, parameters.start - states[period.anchor].rating_m)


def _reset_moves(states: Mapping[str, RatingState], parameters: EloParameters) -> dict[str, int]:
    """A quarter of the way back to the start value."""
    start = parameters.start
    return {
        subject: start + div_round(3 * (state.rating_m - start), 4) - state.rating_m
        for subject, state in states.items()
    }


def _move_all(
    ledger: LedgerWriter,
    period: Period,
    states: Mapping[str, RatingState],
    moves: Mapping[str, int],
    parameters: EloParameters,
) -> dict[str, RatingState]:
    """Move every row of a pool by its own constant; games, K and the day of the last match stay."""
    after_states = {}
    for subject in sorted(moves, key=subject_key):
        state, delta = states[subject], moves[subject]
        floor = max(0, parameters.floor - (state.rating_m + delta))
        after = state.rating_m + delta + floor
        kind = period.kind.value
        ledger.append(after, state.rating_m, delta, 0, floor, 0, kind, "", state.n, "", kind, 0, subject)
        peak_m = _peak(state.peak_m, after, state.n)
        after_states[subject] = state._replace(rating_m=after, peak_m=peak_m, last_seq=ledger.last_seq)
    return after_states
