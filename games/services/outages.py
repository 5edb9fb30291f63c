"""Our own outages cost nobody time. Each process of the web role says every 5 s that it lives; where all of them were
silent for longer than OUTAGE, turns and deadlines of tables move on by that time before anything is decided, and
nothing is decided in the minute after.
"""

from datetime import datetime, timedelta
from itertools import product
from typing import Any, Final

import structlog
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest
from django.utils import timezone

from accounts.foundation import lock, take_turn
from games import live
from games.models import Deal, Heartbeat, Match, MatchState
from games.selectors.standing import standing
from games.selectors.state import clock_of

log = structlog.get_logger(__name__)

OUTAGE: Final = timedelta(seconds=10)
QUIET: Final = timedelta(seconds=60)
OUTAGES_LOCK: Final = 0x62656C6C_06
#: The heartbeat that keeps what was settled: `to`, the end of the last outage, and `quiet_until`.
_ROLE: Final = "outages"

Span = tuple[datetime, datetime]


def may_decide(now: datetime) -> bool:
    """Whether a flag, a claim or an absence may be decided: no outage lasts, waits to be settled or has just ended."""
    rows = list(Heartbeat.objects.filter(role__in=("web", _ROLE)))
    web = [row for row in rows if row.role == "web"]
    if web and now - max(row.at for row in web) > OUTAGE:
        return False
    settled: dict[str, Any] = next((row.detail for row in rows if row.role == _ROLE), {})
    if _time(settled.get("quiet_until")) > now:
        return False
    span = _last_span(web, now)
    return span is None or span[1] <= _time(settled.get("to"))


def settle() -> timedelta | None:
    """Give back the time of an outage that has ended; how much. Nothing when there was none, or it was settled."""
    now = timezone.now()
    span = _last_span(Heartbeat.objects.filter(role="web"), now)
    if span is None or span[1] <= _time(_settled().get("to")):
        return None
    with transaction.atomic():
        if not take_turn(OUTAGES_LOCK) or span[1] <= _time(_settled().get("to")):
            return None
        _move_on(span)
        detail = {"to": span[1].isoformat(), "quiet_until": (now + QUIET).isoformat()}
        Heartbeat.objects.update_or_create(role=_ROLE, name="site", defaults={"at": now, "detail": detail})
    log.warning("outage.settled", seconds=(span[1] - span[0]).total_seconds())
    return span[1] - span[0]


def _move_on(span: Span) -> None:
    """What ran during the outage goes on where it stood."""
    begin, end = span
    running = Deal.objects.filter(match__state=MatchState.PLAYING, turn_at__lt=end).values("match_id")
    matches = lock(Match.objects.filter(pk__in=running))
    pks = [match.pk for match in matches]
    given_back = end - Greatest(F("turn_at"), begin)
    Deal.objects.filter(match__in=pks, turn_at__lt=end).update(turn_at=F("turn_at") + given_back)
    Match.objects.filter(pk__in=pks, wake_at__isnull=False).update(wake_at=F("wake_at") + (end - begin))
    for match in matches:
        if clock := clock_of(standing(match)):
            live.publish(match, "clock", clock, {})


def _settled() -> dict[str, Any]:
    found = Heartbeat.objects.filter(role=_ROLE).values_list("detail", flat=True).first()
    return dict(found or {})


def _last_span(rows: Any, now: datetime) -> Span | None:
    """The last time span, ended by now, in which every process of the rows was silent."""
    common: list[Span] | None = None
    for row in rows:
        spans = _silences(row, now)
        pairs = [(span, span) for span in spans] if common is None else product(common, spans)
        common = [(max(a[0], b[0]), min(a[1], b[1])) for a, b in pairs]
    ended = [span for span in common or () if span[1] - span[0] > OUTAGE and span[1] < now]
    return max(ended, key=lambda span: span[1], default=None)


def _silences(row: Heartbeat, now: datetime) -> list[Span]:
    gap: list[str] = row.detail.get("gap") or []
    spans = [(_time(gap[0]), _time(gap[1]))] if len(gap) == 2 else []
    return [*spans, (row.at, now)] if now - row.at > OUTAGE else spans


def _time(text: Any) -> datetime:
    return datetime.fromisoformat(text) if text else datetime.min.replace(tzinfo=timezone.get_default_timezone())
