"""Who is away from a table, and what follows: the other side may claim the deal; when everybody has left, the match is
parked or void. Reconnecting is never a loss by itself.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import structlog
from django.utils.translation import gettext_lazy as _
from redis.exceptions import RedisError

from games.clocks import NO_CLOCK
from games.errors import TableError
from games.models import DealEnd, Match, MatchEnd, MatchMode, Pause
from games.services import outages
from games.streams import presence

if TYPE_CHECKING:
    from games.services.deals import Table

log = structlog.get_logger(__name__)

#: Everybody has left when every person was absent for so long, s.
LEFT_S: Final = 300
#: Why a match is void that everybody left.
REASON: Final = "absent"


def here(code: str, people: Sequence[int], n: int) -> list[bool]:
    """Who is here, by seat: bots always, everybody when nobody can say."""
    try:
        found = presence.presences(code, people)
    except (RedisError, OSError) as error:
        log.warning("presence.unknown", code=code, error=str(error))
        return [True] * n
    return [seat not in found or found[seat].is_here for seat in range(n)]


def touch(code: str, seat: int) -> None:
    """A request of this seat came; where that cannot be kept, the seat is away a little earlier."""
    try:
        presence.touch(code, seat)
    except (RedisError, OSError) as error:
        log.warning("presence.not_kept", code=code, error=str(error))


def claim(*, match: Match, seat: int, deal: int, ply: int) -> dict[str, Any]:
    """Win the deal because the seat on turn is away; nothing changes when that was done already.

    Raises TableError as `play` does, and `not_claimable` with `left_s` while its time is not over.
    """
    from games.services.deals import at_table
    from games.services.play import must_be_current, resumed

    with at_table(match) as table:
        resumed(table, seat)
        if _is_claimed(table, deal):
            return {"seq": table.match.live_seq}
        must_be_current(table, deal, ply)
        turn = table.turn
        assert turn is not None
        if table.rules.sides[turn] == table.rules.sides[seat] or not table.is_person(turn):
            raise TableError("not_claimable", _("Only the time of an absent opponent can be claimed."), left_s=None)
        if left_s := _left_s(table, turn):
            raise TableError(
                "not_claimable",
                _("The deal can be claimed in %(left_s)d seconds, if nobody comes back."),
                left_s=left_s,
            )
        table.end_deal(DealEnd.ABSENT, turn)
        return {"seq": table.match.live_seq}


def _is_claimed(table: "Table", deal: int) -> bool:
    found = [row for row in table.rows if row.number == deal]
    return bool(found) and found[0].termination == DealEnd.ABSENT


def _left_s(table: "Table", seat: int) -> int:
    """Seconds until the deal may be claimed; 0 when it may. The time counts on its turn and while it is absent."""
    try:
        found = presence.presences(table.match.code, [seat])[seat]
    except (RedisError, OSError):
        return presence.CLAIM_S
    if found.is_here or not outages.may_decide(table.now):
        return presence.ABSENT_S + presence.CLAIM_S
    turn_at = table.deal_row.turn_at
    on_turn_ms = 0 if turn_at is None else (table.now - turn_at).total_seconds() * 1000
    absent_ms = min(on_turn_ms, found.away_ms - presence.ABSENT_S * 1000)
    return max(0, -int((absent_ms - presence.CLAIM_S * 1000) // 1000))


def settle(table: "Table") -> None:
    """Park or void a table that everybody left; called by the sweep, after whatever the clocks decide."""
    if table.match.is_over or table.match.pause == Pause.PARKED:
        return
    try:
        found = presence.presences(table.match.code, table.people)
    except (RedisError, OSError):
        return
    gone_ms = (presence.ABSENT_S + LEFT_S) * 1000
    if any(one.is_here or one.away_ms < gone_ms for one in found.values()):
        return
    what = when_left(table)
    log.info("table.left", match=table.match.code, mode=table.match.mode, what=what)
    if what == "park":
        table.set_pause(Pause.PARKED)
        table.tell_state()
    elif what == "void":
        table.void(REASON, MatchEnd.ABSENT)


def when_left(table: "Table") -> str:
    """What becomes of a match that everybody left: `park`, `void`, or `play` on until the clocks have decided."""
    match = table.match
    if match.mode == MatchMode.PRACTICE:
        return "park"
    if len({table.rules.sides[seat] for seat in table.people}) < table.rules.side_count:
        if match.mode == MatchMode.CASUAL:
            return "park"
        return "void" if match.clock == NO_CLOCK else "play"
    return "void"


def parks_when_silent(table: "Table") -> bool:
    """Whether a match waits without end for a bot that does not answer: nobody's result hangs on it."""
    return table.match.mode in (MatchMode.PRACTICE, MatchMode.CASUAL)
