"""Checks of versions on their way to the arena and to their end. One version of a bot is checked at a time, in order.

Locks are taken in the order bot, version, run.
"""

import secrets
from collections.abc import Mapping
from functools import cache, partial
from typing import Final

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.foundation import advance, lock, lock_one
from bots import doorbell
from bots.arena.archive import unpack
from bots.arena.jobs import Baseline, BotRef, QualifyJob
from bots.errors import BotsError
from bots.house import BASELINES, source
from bots.limits import LOST_WINDOW, MAX_LOST, RETURNED
from bots.models import OPEN_CHECKS, VERSION_TRANSITIONS, Bot, BotVersion, QualifyRun, QualifyState, VersionState
from bots.services import ringing

log = structlog.get_logger(__name__)

#: The arena's own limit, s; the sweep's (bots.services.qualifying) is a little longer.
ARENA_DEADLINE_S: Final = 280


def start(*, version: BotVersion) -> QualifyRun | None:
    """Send a version to be checked (again); None when another version of the bot is being checked: it follows then.

    Raises BotsError `version.not_waiting` unless it waits for a check or is suspended.
    """
    with transaction.atomic():
        bot = lock_one(Bot.objects.filter(pk=version.bot_id))
        version = lock_one(bot.versions.filter(pk=version.pk))
        if version.state not in {VersionState.UPLOADED, VersionState.SUSPENDED}:
            raise BotsError(
                "version.not_waiting", _("This version is not waiting to be checked: its state is “%(state)s”."),
                state=version.get_state_display(),
            )  # fmt: skip
        if QualifyRun.objects.filter(version__bot=bot, state__in=OPEN_CHECKS).exists():
            return None
        return _begin(version)


def start_next(*, bot_id: int) -> QualifyRun | None:
    """Send the oldest waiting version of a bot to be checked, unless one is; precondition: in a transaction."""
    bot = lock_one(Bot.objects.filter(pk=bot_id))
    if QualifyRun.objects.filter(version__bot=bot, state__in=OPEN_CHECKS).exists():
        return None
    since = timezone.now() - LOST_WINDOW
    lost = Q(checks__state=QualifyState.LOST, checks__ended_at__gt=since) & ~Q(checks__reason=RETURNED)
    waiting = bot.versions.filter(state=VersionState.UPLOADED).annotate(lost=Count("checks", filter=lost))
    chosen = waiting.filter(lost__lt=MAX_LOST).order_by("number").first()
    return _begin(lock_one(bot.versions.filter(pk=chosen.pk))) if chosen else None


def _begin(version: BotVersion) -> QualifyRun:
    """Make the run; precondition: bot and version are locked, no check of the bot is open."""
    if version.state == VersionState.UPLOADED:
        advance(version, VersionState.CHECKING, table=VERSION_TRANSITIONS)
    version.report = version.report[:1]
    version.save(update_fields=["state", "report"])
    run = QualifyRun.objects.create(version=version, seed=secrets.token_bytes(32))
    transaction.on_commit(partial(ring, run.pk), robust=True)
    return run


def lose(run: QualifyRun, version: BotVersion, *, reason: str) -> None:
    """End a check without a verdict and without blame: the version waits again; precondition: both are locked."""
    end(run, QualifyState.LOST, reason=reason)
    if version.state == VersionState.CHECKING:
        advance(version, VersionState.UPLOADED, table=VERSION_TRANSITIONS)
        version.save(update_fields=["state"])
    log.warning("check.lost", run_id=str(run.run_id), version=version.pk, reason=reason)
    transaction.on_commit(partial(doorbell.stop, run.run_id), robust=True)


def end(run: QualifyRun, state: QualifyState, *, reason: str = "") -> None:
    """The run is over: reports of it are stale from here."""
    run.state = state
    run.reason = reason[:300]
    run.ended_at = timezone.now()
    run.save(update_fields=["state", "reason", "ended_at"])


def cancel(version: BotVersion, *, reason: str) -> None:
    """Break off the open check of a version, if there is one; precondition: bot and version are locked."""
    for run in lock(version.checks.filter(state__in=OPEN_CHECKS)):
        end(run, QualifyState.LOST, reason=reason)
        transaction.on_commit(partial(doorbell.stop, run.run_id), robust=True)


def ring(run_id: int) -> None:
    """Lay down the files and send the job of a queued check; nothing when it is not queued any more.

    Raises OSError and the errors of kombu and redis: the sweep rings again.
    """
    run = QualifyRun.objects.select_related("version__bot").filter(pk=run_id, state=QualifyState.QUEUED).first()
    if run is None:
        return
    ringing.lay_down([run.version])
    stored = _baseline_archives()
    for sha256 in doorbell.missing_bots(stored):
        doorbell.put_bot(sha256, stored[sha256])
    doorbell.ring_qualify(job(run))
    QualifyRun.objects.filter(pk=run.pk).update(rung_at=timezone.now())


def job(run: QualifyRun) -> QualifyJob:
    """The message that starts a check."""
    version = run.version
    return QualifyJob(
        run_id=str(run.run_id),
        bot=BotRef(sha256=version.sha256, language=version.bot.language, entry=version.entry),
        seed=bytes(run.seed).hex(),
        baselines=baselines(),
        tier_min=settings.ARENA_TIER_MIN,
        budget_s=settings.CHECK_BUDGET_S,
        deadline_s=ARENA_DEADLINE_S,
        lease_s=settings.ARENA_LEASE_S,
    )


@cache
def baselines() -> tuple[Baseline, ...]:
    """The house bots that every new version meets. From the files, not the database: they are checked like others."""
    return tuple(
        Baseline(name=name, sha256=archive.sha256, entry=archive.entry)
        for name, archive in ((name, unpack(source(name), "bot.py")) for name in BASELINES)
    )


@cache
def _baseline_archives() -> Mapping[str, bytes]:
    """What lies under their hashes."""
    archives = (unpack(source(name), "bot.py") for name in BASELINES)
    return {archive.sha256: archive.stored() for archive in archives}
