"""Invitations: how a match between people comes about."""

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.foundation import Transitions
from bots.models import BotVersion
from games.models import Match, MatchMode, Player, Visibility

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager


class InvitationKind(models.TextChoices):
    """How somebody is asked: by a link, by name, by a seek that everybody sees, after a match."""

    LINK = "link", _("Link")
    NAME = "name", _("By name")
    SEEK = "seek", _("Open seek")
    REMATCH = "rematch", _("Rematch")


class InvitationState(models.TextChoices):
    """Where an invitation stands; `taken` = every seat is, and the match is made."""

    OPEN = "open", pgettext_lazy("invitation", "Open")
    TAKEN = "taken", pgettext_lazy("invitation", "Accepted")
    DECLINED = "declined", pgettext_lazy("invitation", "Declined")
    WITHDRAWN = "withdrawn", pgettext_lazy("invitation", "Withdrawn")
    EXPIRED = "expired", pgettext_lazy("invitation", "Expired")


INVITATION_TRANSITIONS: Transitions = {
    InvitationState.OPEN: frozenset(
        {InvitationState.TAKEN, InvitationState.DECLINED, InvitationState.WITHDRAWN, InvitationState.EXPIRED}
    ),
    InvitationState.TAKEN: frozenset(),
    InvitationState.DECLINED: frozenset(),
    InvitationState.WITHDRAWN: frozenset(),
    InvitationState.EXPIRED: frozenset(),
}


class Invitation(models.Model):
    """Who wants to play what; `code` (128 random bits) is the secret of its link.

    `by` sits at seat 0 (a rematch: anywhere). `rematch_of` is the match after which it was made.
    """

    code = models.CharField(_("code"), max_length=32, unique=True)
    kind = models.CharField(_("kind"), max_length=7, choices=InvitationKind)
    by = models.ForeignKey(Player, models.CASCADE, related_name="invitations_made", verbose_name=_("by"))
    rules = models.CharField(_("rules"), max_length=400)
    clock = models.CharField(_("clock"), max_length=20)
    mode = models.CharField(_("mode"), max_length=8, choices=MatchMode)
    visibility = models.CharField(_("visibility"), max_length=8, choices=Visibility, default=Visibility.PUBLIC)
    state = models.CharField(_("state"), max_length=9, choices=InvitationState, default=InvitationState.OPEN)
    expires_at = models.DateTimeField(_("expires at"))
    match = models.OneToOneField(
        Match, models.CASCADE, null=True, blank=True, related_name="invitation", verbose_name=_("match")
    )
    rematch_of = models.OneToOneField(
        Match, models.CASCADE, null=True, blank=True, related_name="rematch", verbose_name=_("rematch of")
    )
    created_at = models.DateTimeField(_("made at"), auto_now_add=True)

    if TYPE_CHECKING:
        seats: RelatedManager["InvitationSeat"]

    class Meta:
        verbose_name = _("invitation")
        verbose_name_plural = _("invitations")
        constraints = [
            models.UniqueConstraint(
                "by",
                name="invitation_one_open_seek_a_person",
                condition=Q(kind=InvitationKind.SEEK, state=InvitationState.OPEN),
            ),
            models.CheckConstraint(
                name="invitation_taken_has_match",
                condition=Q(state=InvitationState.TAKEN, match__isnull=False)
                | (~Q(state=InvitationState.TAKEN) & Q(match__isnull=True)),
            ),
            models.CheckConstraint(
                name="invitation_rematch_has_match",
                condition=Q(kind=InvitationKind.REMATCH, rematch_of__isnull=False)
                | (~Q(kind=InvitationKind.REMATCH) & Q(rematch_of__isnull=True)),
            ),
        ]
        indexes = [
            models.Index(fields=["expires_at"], name="invitation_expiry", condition=Q(state=InvitationState.OPEN)),
            models.Index(fields=["kind", "-id"], name="invitation_open", condition=Q(state=InvitationState.OPEN)),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} {self.state}"

    def get_absolute_url(self) -> str:
        """The page of the invitation; who has its address may answer."""
        return f"/play/invitations/{self.code}/"


class SeatAnswer(models.TextChoices):
    """A seat is free for anybody, waits for the one who was asked, or has its answer."""

    OPEN = "open", pgettext_lazy("seat", "Free")
    ASKED = "asked", pgettext_lazy("seat", "Asked")
    ACCEPTED = "accepted", pgettext_lazy("seat", "Takes part")
    DECLINED = "declined", pgettext_lazy("seat", "Declined")


class InvitationSeat(models.Model):
    """Seat `index` of the match to be; a bot, which needs no asking, with the version that will play."""

    invitation = models.ForeignKey(Invitation, models.CASCADE, related_name="seats", verbose_name=_("invitation"))
    index = models.PositiveSmallIntegerField(_("seat"))
    player = models.ForeignKey(
        Player, models.CASCADE, null=True, blank=True, related_name="invitation_seats", verbose_name=_("player")
    )
    version = models.ForeignKey(
        BotVersion, models.CASCADE, null=True, blank=True, related_name="+", verbose_name=_("version")
    )
    state = models.CharField(_("state"), max_length=8, choices=SeatAnswer, default=SeatAnswer.OPEN)

    class Meta:
        verbose_name = _("seat of an invitation")
        verbose_name_plural = _("seats of invitations")
        ordering = ["invitation", "index"]
        constraints = [
            models.UniqueConstraint("invitation", "index", name="invitation_seat_once"),
            models.CheckConstraint(
                name="invitation_seat_open_is_free",
                condition=Q(state=SeatAnswer.OPEN, player__isnull=True)
                | (~Q(state=SeatAnswer.OPEN) & Q(player__isnull=False)),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.invitation_id}:{self.index}"
