"""`State`: all that one viewer may know of a match, as the table draws it (docs: the interface of the table).

Built from the engine's Observation of the viewer's seat, or of a spectator: no hidden card can get in. The same state
for the same viewer has the same `seq`; only `present` may differ.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from games.clocks import free_ms
from games.engine import Observation
from games.models import Match, MatchMode, MatchState, Pause
from games.selectors.standing import Standing, sides_of, standing
from games.selectors.visibility import set_is_over

#: How long the next deal waits for those who are not ready, ms.
BETWEEN_DEALS_MS = 20_000


def state(match: Match, seat: int | None = None, *, present: Sequence[bool] = ()) -> dict[str, Any]:
    """The State of a match for the player at `seat`, for spectators when it is None."""
    return state_of(standing(match), seat, present=present)


def state_of(found: Standing, you: int | None, *, present: Sequence[bool] = ()) -> dict[str, Any]:
    """The same from what was read already.

    `points`, `score` and `won` (cards taken) are by side, `hands` (cards held) and `clock.left_ms` by seat. `clock` is
    null without clocks; it runs from `as_of_ms` on, which may lie ahead while time is free. Beside what is always
    there: `hand`, `signals` and more `known` cards for the own seat (with `open_hands`, in practice, all hands are
    known), `result` and `seed` after the match, `next_at_ms` between deals, `pause` (parked, silent), `offers` to give
    up of the own side.
    """
    match, rules = found.match, found.rules
    over = set_is_over(match) if match.is_over else False
    data: dict[str, Any] = {
        "seq": match.live_seq,
        "code": match.code,
        "mode": match.mode,
        "state": match.state,
        "rules": rules.to_dict(),
        "seats": [_seat(found, index, present) for index in range(len(found.seats))],
        "you": you,
        "deals": [_finished(found, row) for row in found.rows if row.is_over],
        "clock": clock_of(found),
        "ready": _ready(found),
        "commitment": match.commitment,
        "score": list(score_of(found)),
        "aids": list(match.aids),
        "pause": match.pause or None,
    }
    if match.is_over:
        data["result"] = result_of(match, with_seed=over)
        if over:
            data["seed"] = bytes(match.seed).hex()
    row = found.row
    is_hidden = match.mirror_set is not None and not over
    if row is None or found.deal is None or is_hidden:
        return data | _no_deal(found) | ({} if you is None else {"hand": []})
    seen = found.deal.observe(you, number=row.number, signs=tuple(map(tuple, row.signs)))
    data |= {
        "deal": row.number,
        "dealer": row.dealer,
        "ply": len(found.deal.plays),
        "turn": found.turn,
        **_cards(found, seen),
        "signs": [{"seat": seat, "ply": plays, "code": code} for plays, seat, code in row.signs],
    }
    if you is not None:
        data["hand"] = list(seen.hand)
        data |= own(found, seen)
        data["open_hands"] = shows_hands(match)
        offers = {seat: scope for seat, scope in row.offers.items() if rules.sides[int(seat)] == rules.sides[you]}
        if offers and not row.is_over:
            data["offers"] = offers
    if row.is_over and not match.is_over and row.finished_at is not None:
        data["next_at_ms"] = round(row.finished_at.timestamp() * 1000) + BETWEEN_DEALS_MS
    return data


def own(found: Standing, seen: Observation) -> dict[str, Any]:
    """What only the seat itself may know beside its hand; in streams sent when it changed."""
    data: dict[str, Any] = {"known": known(seen)}
    if shows_hands(found.match) and found.deal is not None:
        others = (seat for seat in range(found.rules.n) if seat != seen.seat)
        data["known"] = {str(seat): list(found.deal.observe(seat).hand) for seat in others}
    if seen.rules.signals == "auto":
        data["signals"] = {
            str(partner): {"trumps": trumps, "loads": loads} for partner, (trumps, loads) in seen.signals.items()
        }
    return data


def shows_hands(match: Match) -> bool:
    """Whether the one who practises plays with open cards."""
    return match.open_hands and match.mode == MatchMode.PRACTICE


def known(seen: Observation) -> dict[str, list[str]]:
    """Cards in the hands of others that this viewer saw."""
    return {str(seat): list(cards) for seat, cards in seen.known.items()}


def clock_of(found: Standing, plays: int | None = None) -> dict[str, Any] | None:
    """`{left_ms, running, as_of_ms}` now, or as it was sent with the play number `plays`."""
    left = found.left_ms(plays)
    row, deal = found.row, found.deal
    if left is None:
        return None
    if row is None or deal is None:
        return {"left_ms": left, "running": None, "as_of_ms": 0}
    if plays is None:
        since = None if found.match.pause else found.runs_from_ms()
        running = None if since is None else found.turn
        plays = len(deal.plays)
    else:
        running = _seat_after(found, plays)
        since = None if running is None else row.moments_ms[plays - 1] + free_ms(plays, found.rules.n)
    last = row.moments_ms[plays - 1] if 0 < plays <= len(row.moments_ms) else 0
    return {"left_ms": left, "running": running, "as_of_ms": last if since is None else since}


def _seat_after(found: Standing, plays: int) -> int | None:
    """Whose turn it was after so many plays of the last deal."""
    assert found.deal is not None
    if found.deal.over and plays == len(found.deal.plays):
        return None
    n = found.rules.n
    trick, step = divmod(plays, n)
    tricks = found.deal.tricks
    leader = tricks[trick].leader if trick < len(tricks) else found.deal.leader
    return (leader + step) % n


def score_of(found: Standing) -> Sequence[int]:
    """The score by side as the format counts it."""
    kind = found.rules.kind
    if kind in ("first_to", "deals"):
        return found.score.wins
    return found.score.differences if kind == "difference" else found.score.points


def result_of(match: Match, *, with_seed: bool) -> dict[str, Any]:
    """How a match came out: `outcome` won, drawn or void."""
    outcome = match.outcome or ("void" if match.state == MatchState.VOID else "")
    found = {
        "outcome": outcome,
        "winner_side": match.winner_side,
        "termination": match.termination,
        "reason": match.void_reason,
    }
    return found | ({"seed": bytes(match.seed).hex()} if with_seed else {})


def _seat(found: Standing, index: int, present: Sequence[bool]) -> dict[str, Any]:
    seat = found.seats[index]
    is_here = present[index] if index < len(present) else not found.is_person(index)
    if found.match.pause == Pause.SILENT and index == found.turn:
        is_here = False
    return {
        "index": index,
        "side": seat.side,
        "name": seat.player.name,
        "kind": seat.player.kind,
        "rating": seat.shown.get("rating"),
        "interval": seat.shown.get("interval"),
        "present": is_here,
    }


def _finished(found: Standing, row: Any) -> Mapping[str, Any]:
    return {
        "number": row.number,
        "points": list(sides_of(found.rules, row.points)),
        "winner_side": row.winner_side,
        "termination": row.termination,
    }


def _ready(found: Standing) -> list[int]:
    row = found.row
    if row is None:
        return list(found.match.ready)
    return list(row.ready) if row.is_over and not found.match.is_over else []


def _no_deal(found: Standing) -> dict[str, Any]:
    """Before the first card, and while a mirrored set hides its cards."""
    n, sides = found.rules.n, found.rules.side_count
    nothing: dict[str, Any] = dict.fromkeys(("deal", "dealer", "turn", "upcard", "last"))
    empty: dict[str, Any] = {name: [] for name in ("trick", "tricks", "turned", "signs")}
    return nothing | empty | {
        "ply": 0, "stock": 0, "hands": [0] * n, "won": [0] * sides, "points": [0] * sides, "known": {},
    }  # fmt: skip


def _cards(found: Standing, seen: Observation) -> dict[str, Any]:
    tricks = [
        {"lead": trick.leader, "cards": list(trick.cards), "winner": trick.winner, "points": trick.points}
        for trick in seen.tricks
    ]
    won = [0] * found.rules.side_count
    for trick in seen.tricks:
        won[found.rules.sides[trick.winner]] += len(trick.cards)
    return {
        "upcard": seen.upcard or None,
        "stock": seen.stock,
        "hands": list(seen.hand_sizes),
        "trick": [{"seat": seat, "card": card} for seat, card in seen.table],
        "last": tricks[-1] if tricks else None,
        "won": won,
        "points": list(seen.points),
        "tricks": tricks,
        "known": known(seen),
        "turned": list(seen.turned),
    }
