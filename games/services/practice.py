"""What only practice has: a card taken back, open hands, a hint. Each leaves its mark in `Match.aids`."""

from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from games import live
from games.engine import POINTS, Deal, card_int
from games.errors import TableError
from games.events import HintWanted, publish
from games.models import Match, MatchMode
from games.selectors.standing import standing
from games.services.deals import Table, at_table
from games.services.play import must_be_current, must_be_started, resumed

UNDO, HINT, HANDS = "undo", "hint", "hands"
#: Why a card is a good one.
REASONS: Final = ("forced", "wins_ending", "takes_points", "draws_trump", "saves_trump", "gives_nothing")


def undo(*, match: Match, seat: int, deal: int, ply: int) -> dict[str, Any]:
    """Take back the own last card of the deal in play, and everything after it.

    Raises TableError `practice_only`, `stale`, `deal_over`, `match_over`, `undo_closed` (there is none to take back).
    """
    with at_table(match) as table:
        _only_practice(table)
        resumed(table, seat)
        must_be_current(table, deal, ply)
        own = [at for at, by in enumerate(table.deal_in_play.played_by) if by == seat]
        copied = table.match.origin_ply or 0 if table.deal_row.number == 1 else 0
        if not own or own[-1] < copied:
            raise TableError("undo_closed", _("There is no card of yours to take back in this deal."))
        table.unpause()
        table.cut(own[-1])
        _mark(table, UNDO)
        table.tell_state()
        return {"seq": table.match.live_seq}


def show_hands(*, match: Match, seat: int, on: bool) -> dict[str, Any]:
    """Play with open hands, or hide them again. Raises TableError `practice_only`, `match_over`, `not_started`."""
    with at_table(match) as table:
        _only_practice(table)
        must_be_started(table)
        resumed(table, seat)
        if table.match.open_hands != on:
            table.match.open_hands = on
            if on:
                _mark(table, HANDS)
            table.tell_state()
        return {"seq": table.match.live_seq}


def ask_hint(*, match: Match, seat: int, deal: int, ply: int) -> dict[str, Any]:
    """Ask what a bot would play; the answer comes as the event `hint` (`tell_hint`).

    Raises TableError as `play`, and `practice_only`.
    """
    with at_table(match) as table:
        _only_practice(table)
        resumed(table, seat)
        must_be_current(table, deal, ply)
        if table.turn != seat:
            raise TableError("not_your_turn", _("It is not your turn."))
        if HINT not in table.match.aids:
            _mark(table, HINT)
            table.tell_state()
        publish(HintWanted(match_id=table.match.pk, seat=seat))
        return {"seq": table.match.live_seq}


def tell_hint(*, match: Match, seat: int, deal: int, ply: int, card: str) -> bool:
    """Tell the asker a card and one reason for it; nothing when the table has moved on. Returns whether it was told."""
    with transaction.atomic():
        found = standing(match)
        row = found.in_play
        if row is None or found.deal is None or found.turn != seat:
            return False
        if (row.number, len(found.deal.plays)) != (deal, ply) or card_int(card) not in found.deal.legal():
            return False
        hint = {"deal": deal, "ply": ply, "card": card, "reason": reason(found.deal, card_int(card))}
        live.publish(match, "hint", {}, {seat: hint})
    return True


def reason(deal: Deal, card: int) -> str:
    """One of REASONS for which the seat on turn plays `card`, from what it sees alone.

    >>> from games.engine import Rules, shuffled
    >>> reason(Deal(Rules(), shuffled(Rules(), bytes(range(32)), "", 1).deck, dealer=1), 22)
    'gives_nothing'
    """
    hand, table, trump = deal.legal(), deal.table, deal.trump
    if len(hand) == 1:
        return "forced"
    if not deal.stock_size:
        return "wins_ending"
    if table:
        gain = POINTS[card] + sum(POINTS[lying] for lying in table)
        if _takes(table, card, trump):
            return "takes_points" if gain else "gives_nothing"
        if any(held // 10 == trump and _takes(table, held, trump) for held in hand):
            return "saves_trump"
        return "gives_nothing" if POINTS[card] == 0 else "saves_trump"
    if card // 10 == trump:
        return "draws_trump"
    return "gives_nothing" if POINTS[card] == 0 else "saves_trump"


def _takes(table: tuple[int, ...], card: int, trump: int) -> bool:
    """Whether `card` takes what lies on the table so far."""
    led = table[0] // 10
    return max((*table, card), key=lambda one: (one // 10 == trump, one // 10 == led, one)) == card


def _only_practice(table: Table) -> None:
    if table.match.mode != MatchMode.PRACTICE or len(table.people) != 1:
        raise TableError("practice_only", _("This is possible in practice only."), status=403)


def _mark(table: Table, aid: str) -> None:
    if aid not in table.match.aids:
        table.match.aids = [*table.match.aids, aid]
    table.is_changed = True
