"""What a bot did wrong in a deal."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from bots import upload_texts
from bots.models.version import BotVersion
from games.models import Deal, Match


class FaultKind(models.TextChoices):
    """Kinds of fault (protocol 1)."""

    TIMEOUT = "timeout", _("Time over")
    CRASH = "crash", _("Crash")
    ILLEGAL = "illegal", _("Illegal card")
    PROTOCOL = "protocol", _("Unreadable answer")
    MEMORY = "memory", _("Out of memory")
    OUTPUT = "output", _("Too much output")


class Fault(models.Model):
    """The fault that cost `seat` its deal (`deal` is null when both seats failed and it was replayed): what it
    was asked (`request`), what it answered, the end of its log.

    `request`, `answer` and `stderr_tail` hold the bot's view: shown to its owner and staff only, after the match.
    """

    match = models.ForeignKey(Match, models.CASCADE, related_name="faults", verbose_name=_("match"))
    deal = models.ForeignKey(Deal, models.CASCADE, null=True, blank=True, related_name="faults", verbose_name=_("deal"))
    number = models.PositiveSmallIntegerField(_("number of the deal"))
    seat = models.PositiveSmallIntegerField(_("seat"))
    version = models.ForeignKey(BotVersion, models.PROTECT, related_name="faults", verbose_name=_("version"))
    kind = models.CharField(_("kind"), max_length=8, choices=FaultKind)
    detail = models.CharField(_("detail"), max_length=500, blank=True, default="")
    ply = models.PositiveSmallIntegerField(_("play"), null=True, blank=True)
    request = models.TextField(_("request"), blank=True, default="")
    answer = models.TextField(_("answer"), blank=True, default="")
    exit = models.CharField(_("exit"), max_length=40, blank=True, default="")
    stderr_tail = models.TextField(_("end of the log"), blank=True, default="")
    created_at = models.DateTimeField(_("at"), auto_now_add=True)

    class Meta:
        verbose_name = _("fault")
        verbose_name_plural = _("faults")
        constraints = [models.UniqueConstraint("deal", "seat", name="fault_once_a_seat_and_deal")]
        indexes = [models.Index(fields=["version", "-id"], name="fault_history")]

    def __str__(self) -> str:
        return f"{self.version} {self.kind}"

    @property
    def sentence(self) -> str:
        """What happened, in the active language."""
        return upload_texts.sentence(f"fault.{self.kind}", {"detail": self.detail, "exit": self.exit})

    @property
    def what_to_do(self) -> str:
        """What its author can do about it, in the active language."""
        return upload_texts.advice(f"fix.{self.kind}", {})
