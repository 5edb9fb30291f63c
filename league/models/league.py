"""A league: a standing community with its members, organisers, rules, rating pool."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.foundation import Transitions
from games.models import Player, Visibility

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager


class LeagueState(models.TextChoices):
    """Paused: nothing new starts, running matches end."""

    DRAFT = "draft", _("Draft")
    OPEN = "open", pgettext_lazy("league", "Open")
    PAUSED = "paused", _("Paused")
    ARCHIVED = "archived", _("Archived")


LEAGUE_TRANSITIONS: Transitions = {
    LeagueState.DRAFT: frozenset({LeagueState.OPEN, LeagueState.ARCHIVED}),
    LeagueState.OPEN: frozenset({LeagueState.PAUSED, LeagueState.ARCHIVED}),
    LeagueState.PAUSED: frozenset({LeagueState.OPEN, LeagueState.ARCHIVED}),
    LeagueState.ARCHIVED: frozenset(),
}


class Audience(models.TextChoices):
    """Who may play in a league."""

    HUMANS = "humans", _("Humans")
    BOTS = "bots", _("Bots")
    OPEN = "open", _("Humans and bots")


class Joining(models.TextChoices):
    """How one becomes a member."""

    OPEN = "open", _("Anyone may join")
    REQUEST = "request", _("On request")
    INVITATION = "invitation", _("With an invitation")


class League(models.Model):
    """A league and its settings; `rules` is what its tournaments start from."""

    name = models.CharField(_("name"), max_length=60, unique=True)
    slug = models.SlugField(_("address"), max_length=60, unique=True)
    about = models.TextField(_("about"), max_length=2000, blank=True, default="")
    state = models.CharField(_("state"), max_length=8, choices=LeagueState, default=LeagueState.DRAFT)
    audience = models.CharField(_("who plays"), max_length=6, choices=Audience, default=Audience.BOTS)
    joining = models.CharField(_("joining"), max_length=10, choices=Joining, default=Joining.OPEN)
    visibility = models.CharField(_("visibility"), max_length=8, choices=Visibility, default=Visibility.PUBLIC)
    invitation_code = models.CharField(_("invitation code"), max_length=40, unique=True, null=True, blank=True)
    rules = models.CharField(_("rules"), max_length=400, default="n=2")
    bots_per_owner = models.PositiveSmallIntegerField(_("bots per owner"), default=2)
    created_at = models.DateTimeField(_("since"), auto_now_add=True)

    if TYPE_CHECKING:
        memberships: RelatedManager["Membership"]

    class Meta:
        verbose_name = _("league")
        verbose_name_plural = _("leagues")
        constraints = [
            models.CheckConstraint(
                name="league_bots_per_owner", condition=models.Q(bots_per_owner__gte=1, bots_per_owner__lte=5)
            )
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """The league's page."""
        return f"/leagues/{self.slug}/"


class Role(models.TextChoices):
    """What a person may do in a league (tournaments: who may do what)."""

    MEMBER = "member", _("Member")
    ARBITER = "arbiter", _("Arbiter")
    ORGANISER = "organiser", _("Organiser")
    OWNER = "owner", _("Owner")


class MembershipState(models.TextChoices):
    """Where a membership stands."""

    INVITED = "invited", _("Invited")
    REQUESTED = "requested", _("Asked to join")
    ACTIVE = "active", pgettext_lazy("member", "Active")
    SUSPENDED = "suspended", pgettext_lazy("member", "Suspended")
    LEFT = "left", _("Left")
    BANNED = "banned", _("Banned")


#: Who is suspended cannot leave: joining again would lift it.
MEMBERSHIP_TRANSITIONS: Transitions = {
    MembershipState.INVITED: frozenset({MembershipState.ACTIVE, MembershipState.LEFT, MembershipState.BANNED}),
    MembershipState.REQUESTED: frozenset({MembershipState.ACTIVE, MembershipState.LEFT, MembershipState.BANNED}),
    MembershipState.ACTIVE: frozenset({MembershipState.SUSPENDED, MembershipState.LEFT, MembershipState.BANNED}),
    MembershipState.SUSPENDED: frozenset({MembershipState.ACTIVE, MembershipState.BANNED}),
    MembershipState.LEFT: frozenset({MembershipState.INVITED, MembershipState.REQUESTED, MembershipState.ACTIVE}),
    MembershipState.BANNED: frozenset({MembershipState.ACTIVE}),
}


class Membership(models.Model):
    """A player (human or bot) in a league. Roles above member are for people; a bot is a plain member."""

    league = models.ForeignKey(League, models.CASCADE, related_name="memberships", verbose_name=_("league"))
    player = models.ForeignKey(Player, models.PROTECT, related_name="memberships", verbose_name=_("player"))
    role = models.CharField(_("role"), max_length=9, choices=Role, default=Role.MEMBER)
    state = models.CharField(_("state"), max_length=9, choices=MembershipState, default=MembershipState.ACTIVE)
    reason = models.CharField(_("reason"), max_length=500, blank=True, default="")
    since = models.DateTimeField(_("since"), auto_now_add=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+", verbose_name=_("by")
    )

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        constraints = [models.UniqueConstraint("league", "player", name="membership_once")]
        indexes = [models.Index(fields=["player", "state"], name="membership_player")]

    def __str__(self) -> str:
        return f"{self.player} in {self.league}"
