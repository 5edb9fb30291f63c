"""Deadlines of tables where people play: they are rows, looked at by every request of the match and each second by
`wake_due`. The clock of a person runs out, the next deal begins, everybody has left.
"""

from datetime import datetime, timedelta
from time import monotonic
from typing import TYPE_CHECKING, Final

import structlog
from django.db import transaction
from django.utils import timezone

from games.models import DealEnd, Match, MatchState, Pause
from games.selectors.standing import Standing
from games.selectors.state import BETWEEN_DEALS_MS
from games.services import absence, outages

if TYPE_CHECKING:
    from games.services.deals import Table

log = structlog.get_logger(__name__)

BETWEEN_DEALS: Final = timedelta(milliseconds=BETWEEN_DEALS_MS)
#: A table where nothing is due is looked at this often: has everybody left?
LOOK_EVERY: Final = timedelta(seconds=60)
#: A bot that was asked is asked for again after this (bots.services.moves decides whether it is late).
ASK_EVERY: Final = timedelta(seconds=8)
#: Longest work of one call, s; what is left is done by the next one.
ROUND_S: Final = 5.0
MOST_AT_ONCE: Final = 500


def flag_at(found: Standing) -> datetime | None:
    """When the clock of the seat on turn runs out; None when none runs, or a bot's: the arena judges those."""
    left, seat, since = found.left_ms(), found.turn, found.runs_from_ms()
    if left is None or seat is None or since is None or found.match.pause or not found.is_person(seat):
        return None
    return datetime.fromtimestamp((since + left[seat]) / 1000, tz=timezone.get_default_timezone())


def next_look(table: "Table") -> datetime | None:
    """When the table must be looked at again without anybody asking."""
    if table.match.pause == Pause.PARKED:
        return None
    found = [table.now + LOOK_EVERY]
    row = table.row
    if row is not None and row.is_over and row.finished_at is not None and not table.match.on_hold:
        found.append(row.finished_at + BETWEEN_DEALS)
    if (at := flag_at(table)) is not None:
        found.append(at)
    if table.turn is not None and not table.is_person(table.turn):
        found.append(table.now + ASK_EVERY)
    return min(found)


def settle(table: "Table") -> None:
    """Do what is due, as often as something is."""
    if table.match.state != MatchState.PLAYING or table.match.pause == Pause.PARKED:
        return
    row = table.row
    if row is not None and row.is_over and row.finished_at is not None and not table.match.is_over:
        if row.finished_at + BETWEEN_DEALS <= table.now and not table.match.on_hold:
            table.begin_deal()
        return
    at = flag_at(table)
    if at is not None and at <= table.now and table.turn is not None and outages.may_decide(table.now):
        table.end_deal(DealEnd.FLAG, table.turn)


def wake_due() -> int:
    """Look at every table that is due; their number. Several may run at once: each table is held by one of them."""
    outages.settle()
    due = Match.objects.filter(state=MatchState.PLAYING, wake_at__lte=timezone.now()).order_by("wake_at")
    until = monotonic() + ROUND_S
    woken = 0
    for pk in list(due.values_list("pk", flat=True)[:MOST_AT_ONCE]):
        if monotonic() > until:
            break
        woken += _wake(pk)
    return woken


def _wake(pk: int) -> bool:
    from games.services.deals import hold

    try:
        with transaction.atomic():
            due = Match.objects.filter(pk=pk, state=MatchState.PLAYING, wake_at__lte=timezone.now())
            match = due.select_for_update(skip_locked=True, no_key=True, of=("self",)).first()
            if match is None:
                return False
            table = hold(match)
            settle(table)
            if outages.may_decide(table.now):
                absence.settle(table)
            if table.turn is not None and not table.is_person(table.turn) and table.match.pause != Pause.PARKED:
                table.is_turn_given = True  # told again: the bot may have been lost
            table.is_changed = True  # the next look
            table.save()
    except Exception:  # one table must not keep the others from being looked at
        log.exception("table.not_woken", match=pk)
        return False
    return True


def here(found: Standing) -> list[bool]:
    """Who is here, by seat; bots always are. Everybody when nobody can say."""
    return absence.here(found.match.code, found.people, found.rules.n)
