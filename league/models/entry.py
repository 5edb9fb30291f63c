"""An entry: who takes part in a tournament, under which starting number, with which version."""

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.foundation import Transitions
from bots.models import BotVersion
from games.models import Player
from league.models.tournament import Tournament

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager


class EntryState(models.TextChoices):
    """Where an entry stands."""

    PENDING = "pending", _("Waiting for an answer")
    WAITING_LIST = "waiting_list", _("On the waiting list")
    ACCEPTED = "accepted", _("Accepted")
    REFUSED = "refused", _("Refused")
    CHECKED_IN = "checked_in", _("Checked in")
    PLAYING = "playing", _("Playing")
    FINISHED = "finished", _("Finished")
    WITHDRAWN = "withdrawn", _("Withdrawn")
    DISQUALIFIED = "disqualified", _("Disqualified")


_LEAVES = frozenset({EntryState.WITHDRAWN, EntryState.DISQUALIFIED})
ENTRY_TRANSITIONS: Transitions = {
    EntryState.PENDING: frozenset(
        {EntryState.ACCEPTED, EntryState.REFUSED, EntryState.WAITING_LIST, EntryState.WITHDRAWN}
    ),
    EntryState.WAITING_LIST: frozenset({EntryState.ACCEPTED, EntryState.REFUSED, EntryState.WITHDRAWN}),
    EntryState.ACCEPTED: frozenset({EntryState.CHECKED_IN, EntryState.PLAYING}) | _LEAVES,
    EntryState.CHECKED_IN: frozenset({EntryState.PLAYING}) | _LEAVES,
    EntryState.PLAYING: frozenset({EntryState.FINISHED}) | _LEAVES,
    EntryState.REFUSED: frozenset(),
    EntryState.FINISHED: frozenset(),
    EntryState.WITHDRAWN: frozenset({EntryState.PENDING, EntryState.ACCEPTED, EntryState.WAITING_LIST}),
    EntryState.DISQUALIFIED: frozenset(),
}

#: States of an entry that takes part or will.
LIVE_ENTRIES = (EntryState.ACCEPTED, EntryState.CHECKED_IN, EntryState.PLAYING, EntryState.FINISHED)


class Entry(models.Model):
    """A participant. `number` (from 1) is the starting number, drawn at the start; `version` the bot version, fixed
    then."""

    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="entries", verbose_name=_("tournament"))
    name = models.CharField(_("name"), max_length=80)
    number = models.PositiveSmallIntegerField(_("starting number"), null=True, blank=True)
    state = models.CharField(_("state"), max_length=12, choices=EntryState, default=EntryState.PENDING)
    version = models.ForeignKey(
        BotVersion, models.PROTECT, null=True, blank=True, related_name="entries", verbose_name=_("version")
    )
    reason = models.CharField(_("reason"), max_length=500, blank=True, default="")
    created_at = models.DateTimeField(_("entered at"), auto_now_add=True)

    if TYPE_CHECKING:
        members: RelatedManager["EntryMember"]

    class Meta:
        verbose_name = _("entry")
        verbose_name_plural = _("entries")
        constraints = [models.UniqueConstraint("tournament", "number", name="entry_number_once")]
        indexes = [models.Index(fields=["tournament", "state"], name="entry_state")]

    def __str__(self) -> str:
        return self.name


class EntryMember(models.Model):
    """A player of an entry, from `since` to `until`; plays in a tournament for one entry at a time."""

    entry = models.ForeignKey(Entry, models.CASCADE, related_name="members", verbose_name=_("entry"))
    tournament = models.ForeignKey(Tournament, models.CASCADE, related_name="+", verbose_name=_("tournament"))
    player = models.ForeignKey(Player, models.PROTECT, related_name="entry_memberships", verbose_name=_("player"))
    since = models.DateTimeField(_("since"), auto_now_add=True)
    until = models.DateTimeField(_("until"), null=True, blank=True)

    class Meta:
        verbose_name = _("member of an entry")
        verbose_name_plural = _("members of entries")
        constraints = [
            models.UniqueConstraint(
                "tournament", "player", name="entry_member_once_a_tournament", condition=Q(until__isnull=True)
            )
        ]

    def __str__(self) -> str:
        return f"{self.player} ({self.entry})"
