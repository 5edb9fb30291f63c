"""From the matches of one period and the ratings before it to the rows of the ledger: a pure function.

Live application and rebuild call the same `compute_period` with the same `Period`, so they cannot differ. Inside a
period every expectation, n and K comes from the state before it, and deltas are integer sums: the order in which
matches finished changes nothing.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date

from league.rating.elo import BELLA, PPM, EloParameters, div_round, k_factor, match_rater
from league.rating.errors import RatingInputError
from league.rating.inputs import (
    ESTABLISHED_GAMES,
    Period,
    PeriodKind,
    PeriodResult,
    RatingState,
    count_games,
    states_before,
    subject_key,
)
from league.rating.ledger import START_HASH, LedgerRow, canonical_text, chained_hash, is_plain

_rate_bella = match_rater(BELLA)


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
    match period.kind:
        case PeriodKind.ANCHOR:
            if period.anchor not in states:
                message = f"The anchor {period.anchor!r} has no rating in {pool}."
                raise RatingInputError("no_anchor", message, value=period.anchor)
            shift = parameters.start - states[period.anchor].rating_m
            moves = {subject: shift for subject in states}
        case PeriodKind.RESET:
            start = parameters.start
            moves = {
                subject: start + div_round(3 * (state.rating_m - start), 4) - state.rating_m
                for subject, state in states.items()
            }
        case PeriodKind.MATCH | PeriodKind.ROUND | PeriodKind.BATCH | PeriodKind.BLOCK:
            return _rate_matches(period, pool, states, last_seq, last_hash, parameters)
        case _:
            message = f"{period.kind!r} is no kind of period."
            raise RatingInputError("unknown_period_kind", message, value=str(period.kind))
    return _move_all(period, pool, states, moves, last_seq, last_hash, parameters)


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


def _rate_matches(
    period: Period,
    pool: str,
    states: Mapping[str, RatingState],
    seq: int,
    chain: str,
    parameters: EloParameters,
) -> PeriodResult:
    matches = sorted(period.matches, key=lambda match: match.code)
    games = count_games(matches)
    left = dict(games)
    before = states_before(period, games, states, parameters)
    described = {subject.subject: subject for subject in period.subjects}
    k_of = {
        subject: k_factor(
            parameters,
            population=described[subject].population,
            games_before=state.n,
            games=games[subject],
            highest=state.peak_m if state.peak_m is not None else state.rating_m,
        ).effective
        for subject, state in before.items()
    }
    rating_of = {subject: state.rating_m for subject, state in before.items()}
    running = dict(rating_of)
    rate = match_rater(parameters) if parameters is not BELLA else _rate_bella
    lowest, number = parameters.floor, period.seq
    last_row: dict[str, int] = {}
    rows: list[LedgerRow] = []
    for match in matches:
        side_0, side_1 = match.sides
        size = len(side_0)
        score_0, score_1 = match.scores
        value_0 = div_round(sum([rating_of[subject] for subject in side_0]), size)
        value_1 = div_round(sum([rating_of[subject] for subject in side_1]), size)
        moves = [
            rate(value_0, value_1, score_0, k_of[first], k_of[second])
            for first, second in zip(side_0, side_1, strict=True)
        ]
        expected_0 = moves[0][0]
        opponents_0, opponents_1 = "+".join(sorted(side_1)), "+".join(sorted(side_0))
        changes = [
            *[
                (subject, opponents_0, score_0, expected_0, move[1])
                for subject, move in zip(side_0, moves, strict=True)
            ],
            *[
                (subject, opponents_1, score_1, PPM - expected_0, move[2])
                for subject, move in zip(side_1, moves, strict=True)
            ],
        ]
        for subject, opponents, score, expected, delta in changes:
            state = before[subject]
            to_come = left[subject] = left[subject] - 1
            after = running[subject] + delta
            floor = lowest - after if after < lowest and not to_come else 0
            after = running[subject] = after + floor
            n = state.n + games[subject] - to_come - 1
            seq += 1
            k = k_of[subject]
            text = canonical_text(
                after, state.rating_m, delta, expected, floor, k, "match", match.code, n, opponents,
                number, pool, match.reason, score, seq, subject,
            )  # fmt: skip
            previous, chain = chain, chained_hash(chain, text)
            last_row[subject] = seq
            row = LedgerRow(
                pool=pool,
                period=number,
                seq=seq,
                kind="match",
                match=match.code,
                subject=subject,
                opp=opponents,
                score=score,
                e=expected,
                k=k,
                n=n,
                before=state.rating_m,
                delta=delta,
                floor=floor,
                after=after,
                reason=match.reason,
                prev_hash=previous,
                hash=chain,
            )  # fmt: skip
            rows.append(row)
    after_states = {
        subject: _state_after(before[subject], running[subject], games[subject], last_row[subject], period.day)
        for subject in before
    }
    return PeriodResult(rows=tuple(rows), states=after_states, last_seq=seq, last_hash=chain)


def _state_after(before: RatingState, rating_m: int, games: int, last_seq: int, day: date) -> RatingState:
    n = before.n + games
    return RatingState(
        rating_m=rating_m,
        n=n,
        peak_m=_peak(before.peak_m, rating_m, n),
        last_seq=last_seq,
        last_day=day if before.last_day is None else max(before.last_day, day),
    )


def _peak(peak_m: int | None, rating_m: int, n: int) -> int | None:
    if n < ESTABLISHED_GAMES:
        return peak_m
    return rating_m if peak_m is None else max(peak_m, rating_m)


def _move_all(
    period: Period,
    pool: str,
    states: Mapping[str, RatingState],
    moves: Mapping[str, int],
    seq: int,
    chain: str,
    parameters: EloParameters,
) -> PeriodResult:
    """Move every row of a pool by its own constant; games, K and the day of the last match stay."""
    rows = []
    after_states = {}
    for subject in sorted(moves, key=subject_key):
        state, delta = states[subject], moves[subject]
        floor = max(0, parameters.floor - (state.rating_m + delta))
        after = state.rating_m + delta + floor
        seq += 1
        kind = period.kind.value
        text = canonical_text(
            after, state.rating_m, delta, 0, floor, 0, kind, "", state.n, "", period.seq, pool, kind, 0, seq, subject
        )
        previous, chain = chain, chained_hash(chain, text)
        row = LedgerRow(
            pool=pool,
            period=period.seq,
            seq=seq,
            kind=kind,
            match="",
            subject=subject,
            opp="",
            score=0,
            e=0,
            k=0,
            n=state.n,
            before=state.rating_m,
            delta=delta,
            floor=floor,
            after=after,
            reason=kind,
            prev_hash=previous,
            hash=chain,
        )  # fmt: skip
        rows.append(row)
        after_states[subject] = replace(state, rating_m=after, peak_m=_peak(state.peak_m, after, state.n), last_seq=seq)
    return PeriodResult(rows=tuple(rows), states=after_states, last_seq=seq, last_hash=chain)
