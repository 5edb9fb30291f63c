"""Records of a match for its viewers: the bundle that anyone can verify, and the text of its deals.

What may not be shown yet is left out, and `hidden` says why: `deal_not_over`, `match_not_over`, `set_not_over`.
"""

from collections.abc import Sequence
from typing import Any

from games.engine import Record, parse_cards
from games.engine.notation import DealText, write_all
from games.models import PLAYED_ENDS, Deal, DealEnd, Match, MatchState, Seat
from games.selectors.visibility import Viewer, can_see_cards, can_see_match, can_see_seed, set_is_over


def bundle(match: Match, viewer: Viewer) -> dict[str, Any] | None:
    """The JSON bundle of a match (`games.engine.verify_match` reads it); None when the viewer may not see the match.

    `seed` and the deals whose cards are hidden are left out, `hidden` (part -> reason) is there only then. `outcome` is
    null until the match is over.
    """
    if not can_see_match(match, viewer):
        return None
    set_over = set_is_over(match)
    deals = list(match.deals.order_by("number"))
    shown = [deal for deal in deals if can_see_cards(match, deal, viewer, set_over=set_over)]
    found: dict[str, Any] = {
        "engine": match.shuffle,
        "rules": match.rules,
        "salt": match.salt,
        "commitment": match.commitment,
        "first_dealer": match.first_dealer,
        "deals": [_deal(deal, record_of(match, deal)) for deal in shown],
        "outcome": _outcome(match, deals) if match.is_over else None,
    }
    hidden = {}
    if can_see_seed(match, viewer, set_over=set_over):
        found["seed"] = bytes(match.seed).hex()
    else:
        hidden["seed"] = "set_not_over" if match.is_over else "match_not_over"
    if len(shown) < len(deals):
        hidden["deals"] = "set_not_over" if match.mirror_set is not None else "deal_not_over"
    return found | ({"hidden": hidden} if hidden else {})


def text(match: Match, viewer: Viewer) -> str | None:
    """The deals of a match as `.bella` text, those that may be shown; None when the viewer may not see the match."""
    if not can_see_match(match, viewer):
        return None
    set_over = set_is_over(match)
    seats = list(match.seats.select_related("player").order_by("index"))
    tags = _tags(match, seats, with_seed=can_see_seed(match, viewer, set_over=set_over))
    return write_all(
        DealText(record_of(match, deal), tags=(*tags, *_deal_tags(deal)))
        for deal in match.deals.order_by("number")
        if can_see_cards(match, deal, viewer, set_over=set_over)
    )


def record_of(match: Match, deal: Deal) -> Record:
    """The engine's record of a stored deal."""
    rules = match.parsed_rules
    played = Record(rules, parse_cards(deal.deck), parse_cards(deal.plays), deal.dealer, parse_cards(deal.turned))
    if deal.termination != DealEnd.CLAIM:
        return played
    claimant = played.replay().turn  # only the seat on turn can claim
    return Record(rules, played.deck, played.plays, played.dealer, played.turned, f"claim:{claimant}")


def _deal(deal: Deal, record: Record) -> dict[str, Any]:
    found = {
        "number": deal.number,
        "dealer": deal.dealer,
        "deck": deal.deck,
        "turned": deal.turned,
        "plays": deal.plays,
        "points": deal.points,
        "end": record.end,
        "termination": deal.termination,
        "winner_side": deal.winner_side,
    }
    return found if deal.termination in PLAYED_ENDS else found | {"fault_seat": deal.fault_seat}


def _outcome(match: Match, deals: Sequence[Deal]) -> dict[str, Any]:
    drawn = sum(1 for deal in deals if deal.is_over and deal.winner_side is None)
    found = {"winner_side": match.winner_side, "wins": match.score, "drawn": drawn, "termination": match.termination}
    return {"winner_side": None, "termination": match.termination} if match.state == MatchState.VOID else found


def _tags(match: Match, seats: Sequence[Seat], *, with_seed: bool) -> tuple[tuple[str, str], ...]:
    found = [("Match", match.code)]
    found += [(f"Seat{seat.index}", _printable(seat.player.name)) for seat in seats]
    if match.started_at is not None:
        found.append(("Date", match.started_at.strftime("%Y.%m.%d")))
    if with_seed:
        found.append(("Seed", bytes(match.seed).hex()))
    found.append(("Commitment", match.commitment))
    return (*found, ("Salt", match.salt)) if match.salt else tuple(found)


def _deal_tags(deal: Deal) -> tuple[tuple[str, str], ...]:
    return (("Number", str(deal.number)), ("Termination", deal.termination))


def _printable(name: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in name)
