"""What follows from faults: the owner is told, the version plays less often, at last it is suspended.

Decided from what is stored, so it may be decided late or twice. Faults in test games count for nothing here.
"""

from datetime import datetime, timedelta
from typing import Any, Final

import structlog
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from accounts.foundation import lock_one
from accounts.services import notices
from bots.models import Bot, BotVersion, Fault, VersionState
from bots.selectors.permissions import people
from bots.services import activation
from games.models import Deal, Match, MatchEnd, MatchMode, Seat

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


def judge_all() -> int:
    """Judge every version with faults that nobody has looked at; the number of them. Idempotent: run by beat."""
    unjudged = Fault.objects.filter(pk__gt=F("version__judged_fault"))
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
        new = _counted(version).filter(pk__gt=version.judged_fault).select_related("match")
        last = Fault.objects.filter(version=version).order_by("-pk").values_list("pk", flat=True).first() or 0
        newest = new.order_by("-pk").first()
        version.judged_fault = last
        if newest is not None:
            _tell(version, newest)
            _slow_down(version)
        version.save(update_fields=["judged_fault", "fault_told_at", "slowed_at"])
        if newest is not None and version.state == VersionState.QUALIFIED and (reason := _why_suspended(version)):
            activation.suspend(version=version, kind=reason[0], **reason[1])
            log.warning("version.suspended", version=version.pk, kind=reason[0], **reason[1])


def forgive() -> int:
    """Let versions play at their full pace again that have played well for long enough; the number of them."""
    freed = [version.pk for version in BotVersion.objects.filter(slowed_at__isnull=False) if _has_recovered(version)]
    return BotVersion.objects.filter(pk__in=freed).update(slowed_at=None)


def _counted(version: BotVersion) -> QuerySet[Fault]:
    return Fault.objects.filter(version=version).exclude(match__mode=MatchMode.TEST)


def _tell(version: BotVersion, fault: Fault) -> None:
    """One notice at the first fault, and not again for a day."""
    now = timezone.now()
    if version.fault_told_at is not None and now - version.fault_told_at < TOLD_EVERY:
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


def _slow_down(version: BotVersion) -> None:
    lost = _finished(version).filter(termination=MatchEnd.FAULT).exclude(winner_side=F("its_side"))
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
    last = list(matches.values_list("termination", "winner_side", "its_side")[:MATCHES_IN_A_ROW])
    if len(last) == MATCHES_IN_A_ROW and all(end == MatchEnd.FAULT and won != its for end, won, its in last):
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
    """Its finished matches outside test games, with `its_side`."""
    return (
        Match.objects.finished()
        .filter(Q(seats__bot_seat__version=version))
        .exclude(mode=MatchMode.TEST)
        .annotate(its_side=F("seats__side"))
        .distinct()
    )
