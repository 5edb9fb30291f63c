"""A version of a bot: immutable code, and what became of it."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.foundation import Transitions
from bots.models.bot import Bot
from bots.storage import archives


class VersionState(models.TextChoices):
    """Where a version stands."""

    UPLOADED = "uploaded", _("Waiting to be checked")
    CHECKING = "checking", _("Being checked")
    QUALIFIED = "qualified", _("Qualified")
    REJECTED = "rejected", _("Rejected")
    SUSPENDED = "suspended", _("Suspended")
    RETIRED = "retired", _("Retired")


#: checking -> uploaded: the machine's fault, to be repeated without blame.
VERSION_TRANSITIONS: Transitions = {
    VersionState.UPLOADED: frozenset({VersionState.CHECKING, VersionState.RETIRED}),
    VersionState.CHECKING: frozenset(
        {VersionState.UPLOADED, VersionState.QUALIFIED, VersionState.REJECTED, VersionState.RETIRED}
    ),
    VersionState.QUALIFIED: frozenset({VersionState.SUSPENDED, VersionState.RETIRED}),
    VersionState.REJECTED: frozenset({VersionState.RETIRED}),
    VersionState.SUSPENDED: frozenset({VersionState.QUALIFIED, VersionState.RETIRED}),
    VersionState.RETIRED: frozenset(),
}


def archive_path(version: "BotVersion", filename: str) -> str:  # noqa: ARG001
    """Content-addressed: one file for one content, whoever uploads it."""
    return f"bots/{version.sha256[:2]}/{version.sha256}.zip"


class BotVersion(models.Model):
    """Version `number` (from 1) of a bot. `sha256` identifies the content (bots.arena.archive); `archive` holds it.

    `report` is the list of checks in order: {check, ok, file, line, code, params, what_to_do, ms, log, request,
    answer}.
    """

    bot = models.ForeignKey(Bot, models.PROTECT, related_name="versions", verbose_name=_("bot"))
    number = models.PositiveIntegerField(_("number"))
    sha256 = models.CharField(_("SHA-256"), max_length=64)
    archive = models.FileField(_("archive"), upload_to=archive_path, storage=archives)
    filename = models.CharField(_("uploaded as"), max_length=120)
    entry = models.CharField(_("entry"), max_length=120, default="bot.py")
    size = models.PositiveIntegerField(_("size, bytes"))
    notes = models.CharField(_("notes"), max_length=500, blank=True, default="")
    state = models.CharField(_("state"), max_length=9, choices=VersionState, default=VersionState.UPLOADED)
    report = models.JSONField(_("checks"), default=list, blank=True)
    activates = models.BooleanField(
        _("plays once qualified"),
        default=True,
        help_text=_("It takes the place of the active version as soon as it qualifies."),
    )
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("uploaded by"),
    )
    created_at = models.DateTimeField(_("uploaded at"), auto_now_add=True)
    checked_at = models.DateTimeField(_("checked at"), null=True, blank=True)
    judged_fault = models.BigIntegerField(_("last fault that was judged"), default=0)
    fault_told_at = models.DateTimeField(_("owner told of a fault at"), null=True, blank=True)
    slowed_at = models.DateTimeField(
        _("slowed down since"),
        null=True,
        blank=True,
        help_text=_("It lost a match by faults: its matches come later until it has played 20 deals without one."),
    )

    #: True on the object that an upload has just made, False on one that is read; not stored.
    is_new = False

    class Meta:
        verbose_name = _("bot version")
        verbose_name_plural = _("bot versions")
        ordering = ["bot", "-number"]
        constraints = [
            models.UniqueConstraint("bot", "number", name="version_number_once_a_bot"),
            models.UniqueConstraint("bot", "sha256", name="version_content_once_a_bot"),
            models.UniqueConstraint(
                "bot", name="version_one_in_checking", condition=models.Q(state=VersionState.CHECKING)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.bot} v{self.number}"

    def get_absolute_url(self) -> str:
        """The version's page."""
        return f"{self.bot.get_absolute_url()}versions/{self.number}/"

    @property
    def label(self) -> str:
        """Short name of the version beside the bot's: `v3`."""
        return f"v{self.number}"
