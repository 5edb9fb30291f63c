"""Which version of a bot plays. The active version is always a qualified one; a broken upload never takes its place."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.foundation import advance, lock_one
from accounts.models import User
from accounts.services import notices
from bots.errors import BotsError
from bots.models import VERSION_TRANSITIONS, Activation, Bot, BotVersion, VersionState
from bots.selectors.permissions import can_run, people
from bots.services import qualifying_runs

#: Changes of the active version in 24 hours, those by qualifying included: a rating must not be left behind at will.
DAILY_ACTIVATIONS = 3


def activate(*, version: BotVersion, actor: User) -> BotVersion:
    """Let a qualified version play from now on (a newer one, or an older one again).

    Matches that are made already keep their version. Raises BotsError `bot.not_yours`, `version.not_qualified`,
    `version.activations`.
    """
    with transaction.atomic():
        version = _owned(version, actor)
        bot = version.bot
        if version.state != VersionState.QUALIFIED:
            raise BotsError(
                "version.not_qualified", _("Only a qualified version can play; this one is “%(state)s”."),
                state=version.get_state_display(),
            )  # fmt: skip
        if bot.active_version_id == version.pk:
            return version
        if (again := next_activation_at(bot)) is not None:
            wait = max(1, int((again - timezone.now()).total_seconds()))
            raise BotsError(
                "version.activations",
                _("The active version can change %(count)d times in 24 hours. Try again in %(minutes)d minutes."),
                status=429,
                count=DAILY_ACTIVATIONS,
                minutes=-(-wait // 60),
                retry_after=wait,
            )  # fmt: skip
        _make_active(bot, version, by=actor)
    return version


def retire(*, version: BotVersion, actor: User) -> BotVersion:
    """Take a version out for good; when it was the active one, the bot plays again once another is activated.

    Raises BotsError `bot.not_yours`, `bot.house` (house bots are the measure of the others) and BadState.
    """
    with transaction.atomic():
        version = _owned(version, actor)
        if version.bot.is_house and version.bot.active_version_id == version.pk:
            raise BotsError("bot.house", _("The active version of a house bot stays: the others are measured by it."))
        qualifying_runs.cancel(version, reason="retired")
        _withdraw(version, VersionState.RETIRED)
        qualifying_runs.start_next(bot_id=version.bot_id)
    return version


def suspend(*, version: BotVersion, kind: str, **params: object) -> BotVersion:
    """Stop giving matches to a version that fails too often; qualifying again lifts it.

    Who runs it is told by the notice `kind` with `params`.
    """
    with transaction.atomic():
        version = _locked(version)
        _withdraw(version, VersionState.SUSPENDED)
        _tell(version, kind, **params)
    return version


def judge(version: BotVersion, *, is_qualified: bool) -> None:
    """Write down the verdict of a check; precondition: the bot (`version.bot`) and the version are locked.

    A version that qualifies becomes the active one when its owner wished so and the bot has none, or an older one which
    can be changed today; after a suspension also without a wish, when the bot has none.
    """
    was_suspended = version.state == VersionState.SUSPENDED
    if is_qualified or version.state != VersionState.SUSPENDED:
        to = VersionState.QUALIFIED if is_qualified else VersionState.REJECTED
        advance(version, to, table=VERSION_TRANSITIONS)
    version.checked_at = timezone.now()
    version.save(update_fields=["state", "checked_at"])
    if not is_qualified:
        _tell(version, "version_rejected")
        return
    bot, active = version.bot, version.bot.active_version
    if active is None:
        is_next = version.activates or was_suspended
    else:
        is_next = version.activates and active.number < version.number and not next_activation_at(bot)
    if is_next:
        _make_active(bot, version, by=None)
    _tell(version, "version_qualified_active" if is_next else "version_qualified")


def next_activation_at(bot: Bot) -> datetime | None:
    """From when on the active version can change again; None: now."""
    since = timezone.now() - timedelta(days=1)
    recent = bot.activations.filter(created_at__gt=since).order_by("-created_at").values_list("created_at", flat=True)
    oldest = recent[DAILY_ACTIVATIONS - 1 : DAILY_ACTIVATIONS].first()
    return oldest + timedelta(days=1) if oldest else None


def _owned(version: BotVersion, actor: User) -> BotVersion:
    version = _locked(version)
    if not can_run(version.bot, actor):
        raise BotsError("bot.not_yours", _("This bot belongs to somebody else."), status=403)
    return version


def _locked(version: BotVersion) -> BotVersion:
    bot = lock_one(Bot.objects.filter(pk=version.bot_id))
    locked = lock_one(bot.versions.filter(pk=version.pk))
    locked.bot = bot
    return locked


def _make_active(bot: Bot, version: BotVersion, *, by: User | None) -> None:
    bot.active_version = version
    bot.save(update_fields=["active_version"])
    Activation.objects.create(bot=bot, version=version, by=by)


def _withdraw(version: BotVersion, to: VersionState) -> None:
    """Leave the version in a state in which it cannot play."""
    advance(version, to, table=VERSION_TRANSITIONS)
    version.save(update_fields=["state"])
    bot = version.bot
    if bot.active_version_id == version.pk:
        bot.active_version = None
        bot.save(update_fields=["active_version"])


def _tell(version: BotVersion, kind: str, **params: object) -> None:
    notices.notify(
        users=people(version.bot),
        kind=kind,
        url=version.get_absolute_url(),
        bot=version.bot.player.name,
        version=version.label,
        **params,
    )
