"""What a seat does at a table: play a card, be ready, call the deal, make a sign, give up.

Every verb may be sent again: the same request gets the same answer and changes nothing. A refusal is a TableError.
"""

from datetime import datetime
from typing import Any, Final

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from games.clocks import free_ms
from games.engine import ClaimError, EngineError, SignalError, card_code, card_int
from games.engine import sign as engine_sign
from games.errors import TableError, stale
from games.models import DealEnd, Match, MatchEnd, MatchState, Pause
from games.selectors.state import clock_of
from games.services.absence import parks_when_silent
from games.services.deals import BOT_FAULTS, Table, at_table

#: What a seat may give up.
SCOPES: Final = ("deal", "match")
Answer = dict[str, Any]


def play(
    *, match: Match, seat: int, deal: int, ply: int, card: str, at: datetime | None = None, think_ms: int | None = None
) -> Answer:
    """Play a card: `{seq, deal, ply, card, clock}`. `at` is when the request came, `think_ms` what a bot's card cost.

    Raises TableError: `bad_card` (no card), `stale` (past deal or ply, other card), `not_your_turn`, `deal_over`,
    `match_over`, `not_started`, `card_not_in_hand`; LockError `busy`.
    """
    received = at or timezone.now()
    wanted = _card(card)
    with at_table(match) as table:
        if (answer := _answer_given(table, seat, deal, ply, card_code(wanted))) is not None:
            return answer
        resumed(table, seat)
        must_be_current(table, deal, ply)
        if table.turn != seat:
            raise TableError("not_your_turn", _("It is not your turn."))
        if wanted not in table.deal_in_play.legal():
            raise TableError("card_not_in_hand", _("This card is not in your hand."), status=422)
        charged = _charged_ms(table, received) if think_ms is None else think_ms
        table.unpause()
        table.put(wanted, charged, round(table.now.timestamp() * 1000))
        return _answer(table, deal, ply)


def _card(code: str) -> int:
    try:
        return card_int(code)
    except EngineError:
        raise TableError("bad_card", _("A card is written as its rank and suit, for example 3C."), status=422) from None


def _charged_ms(table: Table, received: datetime) -> int:
    """Time of the play: from the turn to the receipt, less what is free; nothing while the clocks stood."""
    row = table.deal_row
    if row.turn_at is None or table.match.pause:
        return 0
    spent = (received - row.turn_at).total_seconds() * 1000
    return max(0, round(spent) - free_ms(len(table.deal_in_play.plays), table.rules.n))


def _answer_given(table: Table, seat: int, deal: int, ply: int, card: str) -> Answer | None:
    """The first answer to a card that was played already."""
    row = next((row for row in table.rows if row.number == deal), None)
    if row is None or not 0 <= ply < len(row.seqs) or row.plays[2 * ply : 2 * ply + 2] != card or not row.seqs[ply]:
        return None
    past = Table(table.match, table.rules, table.seats, [row], table.score, None)
    past._set_deal()
    return _answer(past, deal, ply) if past.deal_in_play.played_by[ply] == seat else None


def _answer(table: Table, deal: int, ply: int) -> Answer:
    row = next(row for row in table.rows if row.number == deal)
    return {
        "seq": row.seqs[ply],
        "deal": deal,
        "ply": ply,
        "card": row.plays[2 * ply : 2 * ply + 2],
        "clock": clock_of(table, ply + 1),
    }


def resumed(table: Table, seat: int) -> None:
    """Somebody who sits here is back: a parked table goes on."""
    if table.match.pause == Pause.PARKED and table.is_person(seat):
        table.unpause()
        if table.in_play is not None:
            table.give_turn()
        table.tell_state()


def come_back(*, match: Match, seat: int) -> None:
    """A parked table goes on because somebody who sits there looks at it."""
    with at_table(match) as table:
        resumed(table, seat)


def must_be_started(table: Table) -> None:
    """Raises TableError `not_started`, `match_over`."""
    if table.match.is_over:
        raise TableError("match_over", _("The match is over."))
    if table.match.state != MatchState.PLAYING:
        raise TableError("not_started", _("The match has not begun."))


def must_be_current(table: Table, deal: int, ply: int | None = None) -> None:
    """Raises TableError unless the deal is the one in play, and `ply` cards were played in it."""
    must_be_started(table)
    row = table.row
    if row is None or row.number != deal:
        raise stale()
    if row.is_over:
        raise TableError("deal_over", _("The deal is over."))
    if ply is not None and ply != len(table.deal_in_play.plays):
        raise stale()


def ready(*, match: Match, seat: int, deal: int) -> Answer:
    """Say that deal number `deal` may begin; it does when every person is ready. The first one begins the match.

    A match on hold stays between its deals.

    Raises TableError `match_over`, `stale` (another deal is next).
    """
    with at_table(match) as table:
        if table.match.is_over:
            raise TableError("match_over", _("The match is over."))
        resumed(table, seat)
        row = table.row
        if row is not None and row.number >= deal > 0:
            return {"seq": table.match.live_seq}
        if deal != (1 if row is None else row.number + 1) or (row is not None and not row.is_over):
            raise stale()
        waiting = table.match.ready if row is None else row.ready
        if seat not in waiting:
            waiting = sorted([*waiting, seat])
            if row is None:
                table.match.ready = waiting
            else:
                row.ready = waiting
                table.touch(row)
            if table.match.on_hold or not set(table.people) <= set(waiting):
                table.tell_state()
        if set(table.people) <= set(waiting) and not table.match.on_hold:
            if row is None:
                table.start()
            else:
                table.begin_deal()
        return {"seq": table.match.live_seq}


def resign(*, match: Match, seat: int, deal: int, scope: str) -> Answer:
    """Give up the deal or the match. With a person as partner it is an offer, done when every partner has made it in
    the same deal before the next card; `{seq, is_offer}`.

    Raises TableError `bad_body`, `stale`, `deal_over`, `match_over`, `not_started`.
    """
    if scope not in SCOPES:
        raise TableError("bad_body", _("Give up the deal or the match."), status=422)
    with at_table(match) as table:
        if _has_resigned(table, seat, deal, scope):
            return {"seq": table.match.live_seq, "is_offer": False}
        resumed(table, seat)
        must_be_started(table)
        row = table.row
        if row is None or row.number != deal:
            raise stale()
        if scope == "deal":
            must_be_current(table, deal)
        if not _is_agreed(table, seat, scope):
            return {"seq": table.match.live_seq, "is_offer": True}
        if not row.is_over:
            table.end_deal(DealEnd.RESIGN, seat, ends_match=scope == "deal")
        if scope == "match":
            table.finish(table.score.best_without({table.rules.sides[seat]}), MatchEnd.RESIGN)
        return {"seq": table.match.live_seq, "is_offer": False}


def _has_resigned(table: Table, seat: int, deal: int, scope: str) -> bool:
    """Whether this was done by the same side already."""
    side = table.rules.sides[seat]
    if scope == "match" and table.match.termination == MatchEnd.RESIGN:
        return table.match.winner_side != side
    row = next((row for row in table.rows if row.number == deal), None)
    if scope != "deal" or row is None or row.termination != DealEnd.RESIGN or row.fault_seat is None:
        return False
    return table.rules.sides[row.fault_seat] == side


def _is_agreed(table: Table, seat: int, scope: str) -> bool:
    """Keep the offer of a seat; whether the people of its side all want to give up the same now."""
    row = table.deal_row
    partners = [
        other for other in table.people if table.rules.sides[other] == table.rules.sides[seat] and other != seat
    ]
    if not partners:
        return True
    offers = {**row.offers, str(seat): scope}
    if offers != row.offers:
        row.offers = offers
        table.touch(row)
    if all(offers.get(str(other)) == scope for other in partners):
        return True
    table.tell_state()
    return False


def call(*, match: Match, seat: int, deal: int, ply: int) -> Answer:
    """Call the deal: the own side has more than 60 points (rules with `stop_at_61=claim`).

    Raises TableError as `play`, and `claim_too_low`, `claim_not_allowed`.
    """
    with at_table(match) as table:
        row = next((row for row in table.rows if row.number == deal), None)
        if row is not None and row.termination == DealEnd.CLAIM and len(row.plays) == 2 * ply:
            return {"seq": table.match.live_seq}
        resumed(table, seat)
        must_be_current(table, deal, ply)
        if table.turn != seat:
            raise TableError("not_your_turn", _("It is not your turn."))
        try:
            table.deal_in_play.claim(seat)
        except ClaimError as error:
            if error.code == "claim.too_low":
                raise TableError("claim_too_low", _("Your side has not more than 60 points yet.")) from None
            raise TableError(
                "claim_not_allowed",
                _("Call the deal on your turn, before a card lies on the table, if the rules say so."),
            ) from None
        table.end_deal(DealEnd.CLAIM)
        return {"seq": table.match.live_seq}


#: Code of the engine -> what it means at the table.
_SIGNS: Final = {
    "signal.code": _("There is no such sign."),
    "signal.too_early": _("It is too early in the deal for signs."),
    "signal.not_allowed": _("A sign is not possible now: one a trick, before your own card, if the rules have signs."),
}


def make_sign(*, match: Match, seat: int, deal: int, ply: int, code: str) -> Answer:
    """Make a sign to the partner; the whole table sees it.

    Raises TableError as `play`, and `signal.code` (422), `signal.too_early`, `signal.not_allowed`.
    """
    with at_table(match) as table:
        row = next((row for row in table.rows if row.number == deal), None)
        if row is not None and [ply, seat, code] in row.signs:
            return {"seq": table.match.live_seq}
        resumed(table, seat)
        must_be_current(table, deal, ply)
        row = table.deal_row
        try:
            made = engine_sign(table.deal_in_play, [tuple(one) for one in row.signs], seat, code)
        except SignalError as error:
            raise TableError(
                error.code, _SIGNS[error.code], status=422 if error.code == "signal.code" else 409
            ) from None
        row.signs = [*row.signs, list(made)]
        table.touch(row)
        table.tell("sign", {"deal": deal, "ply": ply, "seat": seat, "code": code})
        return {"seq": table.match.live_seq}


def lose_by_fault(*, match: Match, seat: int, deal: int, ply: int, kind: DealEnd) -> bool:
    """A bot did what it must not instead of playing: its side loses the deal; the second time the match.

    Whether it was its turn after so many cards of this deal; nothing changes otherwise.
    """
    if kind not in BOT_FAULTS:
        raise ValueError(f"{kind} is no fault of a bot")
    with at_table(match) as table:
        row = table.in_play
        if row is None or row.number != deal or len(table.deal_in_play.plays) != ply or table.turn != seat:
            return False
        table.end_deal(kind, seat)
        return True


def silence(*, match: Match, seat: int, is_long: bool) -> None:
    """A bot does not answer, by our fault: no clock runs; after long, what is unrated is parked."""
    with at_table(match) as table:
        if table.turn != seat or table.match.pause == Pause.PARKED:
            return
        why = Pause.PARKED if is_long and parks_when_silent(table) else Pause.SILENT
        if table.match.pause != why:
            table.set_pause(why)
            table.tell_state()
