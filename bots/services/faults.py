"""What follows from faults: the owner is told, the version plays less often, at last it is suspended.

Decided from what is stored once a match is over, so it may be decided late or twice. Faults in test games count for
nothing here.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from accounts.foundation import lock_one
from accounts.services import notices
from bots.models import Bot, BotVersion, Fault, VersionState
from bots.selectors.permissions import people
from bots.services import activation
from games.models import Deal, Match, MatchEnd, MatchMode, MatchState, Seat

log = structlog.get_logger(__name__)

#: The owner of a version hears of its faults once in this time.
TOLD_EVERY: Final = timedelta(hours=24)
#: Suspended: more than SHARE per cent of the last LAST_DEALS deals, and at least LEAST of them, ended by its fault ...
LAST_DEALS: Final = 100
SHARE: Final = 5
LEAST: Final = 3
#: ... or so many matches in a row were lost by faults.
MATCHES_IN_A_ROW: Final = 5
#: A version that lost a match by faults waits longer until it has played so many deals without one.
CLEAN_DEALS: Final = 20
_OVER: Final = (MatchState.FINISHED, MatchState.VOID)


def judge_all() -> int:
    """Judge every version with faults that nobody has looked at; the number of them. Idempotent: run by beat."""
    unjudged = Fault.objects.filter(pk__gt=F("version__judged_fault"), match__state__in=_OVER)
    versions = list(unjudged.order_by("version_id").values_list("version_id", flat=True).distinct())
    for version_id in versions:
        judge(version_id)
    return len(versions)


def judge(version_id: int) -> None:
    """Look at the faults of a version that are new, and do what follows from them."""
    bot_id = BotVersion.objects.values_list("bot_id", flat=True).get(pk=version_id)
    with transaction.atomic():
        bot = lock_one(Bot.objects.filter(pk=bot_id))
        version = lock_one(bot.versions.filter(pk=version_id))
        version.bot = bot
        # What is judged is read first: a fault that is stored meanwhile comes in the next round.
        unjudged = list(
            Fault.objects.filter(version=version, pk__gt=version.judged_fault).select_related("match").order_by("pk")
        )
        new = [fault for fault in unjudged if fault.match.is_over and fault.match.mode != MatchMode.TEST]
        newest = new[-1] if new else None
        version.judged_fault = _judged_to(version, unjudged)
        if newest is not None:
            _tell(version, newest)
            _slow_down(version, {fault.match_id for fault in new})
        version.save(update_fields=["judged_fault", "fault_told_at", "slowed_at"])
        if newest is not None and version.state == VersionState.QUALIFIED and (reason := _why_suspended(version)):
            activation.suspend(version=version, kind=reason[0], **reason[1])
            log.warning("version.suspended", version=version.pk, kind=reason[0], **reason[1])


def forgive() -> int:
    """Let versions play at their full pace again that have played well for long enough; the number of them."""
    freed = [one for one in BotVersion.objects.filter(slowed_at__isnull=False) if _has_recovered(one)]
    # Only of what was looked at: it may have lost another match since.
    return sum(BotVersion.objects.filter(pk=one.pk, slowed_at=one.slowed_at).update(slowed_at=None) for one in freed)


def _judged_to(version: BotVersion, unjudged: Sequence[Fault]) -> int:
    """Up to which fault nothing is left to judge: one of a match that is still played waits, and those after it too."""
    judged = version.judged_fault
    for fault in unjudged:
        if not fault.match.is_over:
            break
        judged = fault.pk
    return judged


def _tell(version: BotVersion, fault: Fault) -> None:
    """One notice at the first fault, and not again for a day, nor of a fault that was there at the last one."""
    now, told_at = timezone.now(), version.fault_told_at
    if told_at is not None and (now - told_at < TOLD_EVERY or fault.created_at <= told_at):
        return
    version.fault_told_at = now
    notices.notify(
        users=people(version.bot),
        kind="version_fault",
        url=f"/my/bots/{version.bot.player.slug}/faults/",
        bot=version.bot.player.name,
        version=version.label,
        match=fault.match.code,
    )


def _slow_down(version: BotVersion, match_ids: Collection[int]) -> None:
    """From the last of these matches on that it lost by faults."""
    lost = _finished(version).filter(pk__in=match_ids, is_lost_by_its_faults=True)
    when = lost.order_by("-finished_at").values_list("finished_at", flat=True).first()
    if when is not None and (version.slowed_at is None or when > version.slowed_at) and not _clean_since(version, when):
        version.slowed_at = when


def _has_recovered(version: BotVersion) -> bool:
    assert version.slowed_at is not None
    return _clean_since(version, version.slowed_at)


def _clean_since(version: BotVersion, when: datetime) -> bool:
    """Whether the last CLEAN_DEALS deals of the version, all of them after `when`, ended without a fault of it."""
    since = _deals(version).filter(finished_at__gt=when).order_by("-finished_at", "-pk")
    found = list(since.values_list("is_its_fault", flat=True)[:CLEAN_DEALS])
    return len(found) == CLEAN_DEALS and not any(found)


def _why_suspended(version: BotVersion) -> tuple[str, dict[str, int]] | None:
    """The notice that says why, with its figures; None when there is no reason. Counted since its last check."""
    since = version.checked_at or version.created_at
    recent = _deals(version).filter(finished_at__gt=since).order_by("-finished_at", "-pk")
    deals = list(recent.values_list("is_its_fault", flat=True)[:LAST_DEALS])
    faults = sum(deals)
    if faults >= LEAST and faults * 100 > SHARE * len(deals):
        return "version_suspended_faults", {"faults": faults, "deals": len(deals)}
    matches = _finished(version).filter(finished_at__gt=since).order_by("-finished_at", "-pk")
    last = list(matches.values_list("is_lost_by_its_faults", flat=True)[:MATCHES_IN_A_ROW])
    if len(last) == MATCHES_IN_A_ROW and all(last):
        return "version_suspended_matches", {"matches": MATCHES_IN_A_ROW}
    return None


def _deals(version: BotVersion) -> QuerySet[Any]:
    """Its finished deals outside test games, with `is_its_fault`."""
    its = Seat.objects.filter(match=OuterRef("match"), bot_seat__version=version)
    return (
        Deal.objects.exclude(termination="")
        .filter(Exists(its))
        .exclude(match__mode=MatchMode.TEST)
        .annotate(is_its_fault=Exists(Fault.objects.filter(deal=OuterRef("pk"), version=version)))
    )


def _finished(version: BotVersion) -> QuerySet[Any]:
    """Its finished matches outside test games, with `is_lost_by_its_faults`: at a table of more than two a match also
    ends by the faults of a partner, or of somebody else.
    """
    its = Seat.objects.filter(match=OuterRef("pk"), bot_seat__version=version)
    faulty = Fault.objects.filter(match=OuterRef("match"), seat=OuterRef("index"), deal__isnull=False)
    counted = faulty.order_by().values("seat").annotate(count=Count("pk")).values("count")
    at_fault = its.annotate(faults=Subquery(counted)).filter(faults__gt=1)
    return (
        Match.objects.finished()
        .filter(Exists(its))
        .exclude(mode=MatchMode.TEST)
        .annotate(is_lost_by_its_faults=Q(termination=MatchEnd.FAULT) & Exists(at_fault))
    )
