"""Reading leagues: which a person may see, lists, members."""

from collections.abc import Iterable

from django.db.models import Case, Count, IntegerField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from accounts.models import User
from games.models import Player, PlayerKind, Visibility
from league.models import League, LeagueState, Membership, MembershipState, Role, Tournament, TournamentState
from league.permissions import Viewer

#: Roles from the highest to the lowest, as lists of members show them.
ROLE_ORDER = (Role.OWNER, Role.ORGANISER, Role.ARBITER, Role.MEMBER)
_LIVE = (TournamentState.RUNNING, TournamentState.SUSPENDED)


def of_person(user: User) -> QuerySet[Membership]:
    """The memberships of a person and of his bots, whatever their state."""
    return Membership.objects.filter(Q(player__user=user) | Q(player__bot__owner=user))


def visible(viewer: Viewer) -> QuerySet[League]:
    """The leagues whose pages this viewer may open: drafts and private ones are for their members."""
    if viewer.is_authenticated and viewer.acts_as_staff:
        return League.objects.all()
    open_to_all = ~Q(visibility=Visibility.PRIVATE) & ~Q(state=LeagueState.DRAFT)
    if not viewer.is_authenticated:
        return League.objects.filter(open_to_all)
    mine = of_person(viewer).filter(state=MembershipState.ACTIVE).values("league")
    return League.objects.filter(open_to_all | Q(pk__in=mine))


def listed(viewer: Viewer) -> QuerySet[League]:
    """Those of `visible` that lists show: the public ones and one's own; with `players`, `tournaments`, `live`."""
    shown = Q(visibility=Visibility.PUBLIC)
    if viewer.is_authenticated:
        shown |= Q(pk__in=of_person(viewer).filter(state=MembershipState.ACTIVE).values("league"))
    return with_counts(visible(viewer).filter(shown))


def with_counts(rows: QuerySet[League]) -> QuerySet[League]:
    """Annotate `players` (active members who play), `tournament_count` and `live` (tournaments in play)."""
    active = Membership.objects.filter(state=MembershipState.ACTIVE)
    bots = Q(player__kind=PlayerKind.BOT)
    shown = Tournament.objects.exclude(state=TournamentState.DRAFT)
    return rows.annotate(
        players=_counted(active.filter(bots)),
        tournament_count=_counted(shown),
        live=_counted(shown.filter(state__in=_LIVE)),
    )


def _counted(rows: QuerySet) -> Coalesce:
    counts = rows.filter(league=OuterRef("pk")).order_by().values("league").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counts, output_field=IntegerField()), 0)


#: A role as a number, 0 for an owner.
ROLE_RANK = Case(
    *(When(role=role, then=Value(index)) for index, role in enumerate(ROLE_ORDER)), output_field=IntegerField()
)


def members(league: League) -> QuerySet[Membership]:
    """Its active members: people with a role first, then by name."""
    active = league.memberships.filter(state=MembershipState.ACTIVE)
    return with_people(active).order_by(ROLE_RANK, "player__name", "pk")


def with_people(rows: QuerySet[Membership]) -> QuerySet[Membership]:
    """Memberships with player, bot, its author and version."""
    return rows.select_related("player__bot__owner__player", "player__bot__active_version", "player__user", "by")


def my_players(user: User) -> list[Player]:
    """Who a person can join or enter with: the bots, by name, and last the person; one query."""
    rows = Player.objects.filter(Q(user=user) | Q(bot__owner=user)).select_related("bot__active_version", "bot__owner")
    return sorted(rows, key=lambda player: (player.kind != PlayerKind.BOT, player.name))


def my_memberships(league: League, user: User) -> list[Membership]:
    """How I and my bots stand in a league, those who left excepted; one query."""
    rows = of_person(user).filter(league=league).exclude(state=MembershipState.LEFT)
    return sorted(
        rows.select_related("player__bot__active_version"),
        key=lambda row: (row.player.kind != PlayerKind.BOT, row.player.name),
    )


def run_by(user: User, roles: Iterable[Role] = (Role.ARBITER, Role.ORGANISER, Role.OWNER)) -> QuerySet[League]:
    """The leagues in which the person has one of these roles, with `my_role`; all of them for staff."""
    mine = Membership.objects.filter(player__user=user, state=MembershipState.ACTIVE, role__in=list(roles))
    rows = League.objects.all() if user.acts_as_staff else League.objects.filter(pk__in=mine.values("league"))
    return with_counts(rows).annotate(my_role=Subquery(mine.filter(league=OuterRef("pk")).values("role")[:1]))
