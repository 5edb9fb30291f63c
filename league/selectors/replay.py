"""What the replay page of a match gets: the record, with names, addresses and, for the owner of a bot, its times."""

from collections.abc import Sequence
from typing import Any

from bots.selectors.permissions import can_see_code
from games.engine import Deal as PlayedDeal
from games.engine import parse_cards
from games.models import Deal, Match, PlayerKind, Seat
from games.selectors.analysis import made_by_deal
from games.selectors.records import bundle
from games.selectors.visibility import Viewer, can_see_seed, is_staff
from league.selectors.matches import shown_rating


def replay_data(match: Match, viewer: Viewer) -> dict[str, Any] | None:
    """The replay data of a match (docs/design-system.md); None when the viewer may not see the match.

    Deals whose cards are hidden stand in it without deck and plays. `think_ms` has a number for each play of the
    viewer's own bots (staff: of everybody), null for the others, and is empty for everybody else. `analysis` of a deal
    is null until it is made; `has_analysis` says whether there is one of every deal, null where nobody may see one yet.
    """
    record = bundle(match, viewer)
    if record is None:
        return None
    seats = list(match.seats.select_related("player", "bot_seat__version__bot").order_by("index"))
    timed = _timed(seats, viewer)
    open_deals = {deal["number"]: deal for deal in record["deals"]}
    is_open = can_see_seed(match, viewer)
    analyses = made_by_deal(match) if is_open else {}
    deals = [
        _deal(match, deal, open_deals.get(deal.number), timed) | {"analysis": analyses.get(deal.number)}
        for deal in match.deals.order_by("number")
        if deal.is_over
    ]
    outcome = record["outcome"]
    return {
        "code": match.code,
        "rules": match.rules,
        "seats": [_seat(seat) for seat in seats],
        "first_dealer": match.first_dealer,
        "salt": match.salt,
        "seed": record.get("seed"),
        "commitment": match.commitment,
        "deals": deals,
        "has_analysis": len(analyses) == len(deals) if is_open else None,
        "outcome": outcome if outcome is None or "wins" in outcome else None,
    }


def _seat(seat: Seat) -> dict[str, Any]:
    notes = [str(seat.shown.get("version", "")), shown_rating(seat)]
    is_guest = seat.player.kind == PlayerKind.GUEST
    return {
        "index": seat.index,
        "side": seat.side,
        "name": seat.player.name,
        "kind": seat.player.kind,
        "url": "" if is_guest else seat.player.get_absolute_url(),
        "note": " · ".join(note for note in notes if note),
    }


def _timed(seats: Sequence[Seat], viewer: Viewer) -> frozenset[int]:
    """The seats whose thinking times the viewer may see."""
    if viewer is None or not viewer.is_authenticated:
        return frozenset()
    if is_staff(viewer):
        return frozenset(seat.index for seat in seats)
    bots = [(seat.index, seat.bot_seat.version.bot) for seat in seats if hasattr(seat, "bot_seat")]
    return frozenset(index for index, bot in bots if can_see_code(bot, viewer))


def _deal(match: Match, deal: Deal, shown: dict[str, Any] | None, timed: frozenset[int]) -> dict[str, Any]:
    return {
        "number": deal.number,
        "dealer": deal.dealer,
        "deck": shown["deck"] if shown else None,
        "turned": shown["turned"] if shown else None,
        "plays": shown["plays"] if shown else None,
        "points": deal.points,
        "winner_side": deal.winner_side,
        "termination": deal.termination,
        "fault_seat": deal.fault_seat,
        "think_ms": _times(match, deal, timed) if shown and timed else [],
    }


def _times(match: Match, deal: Deal, timed: frozenset[int]) -> list[int | None]:
    """Thinking times of the plays of some seats, None at the plays of the others."""
    played = PlayedDeal(match.parsed_rules, parse_cards(deal.deck), deal.dealer, parse_cards(deal.turned))
    times: list[int | None] = []
    for card, ms in zip(parse_cards(deal.plays), deal.think_ms, strict=False):
        times.append(ms if played.turn in timed else None)
        played.play(card)
    return times
