"""Who may see a match, its cards and its seed, and when. Every page, API, export and picture asks here.

Two questions decide. May this viewer see the match at all (`can_see_match`)? Is it the moment (`can_see_cards`,
`can_see_seed`)? The moment holds for everybody, staff included: a hidden card is shown to nobody.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User
from games.models import Deal, Match, MatchState, Visibility

Viewer: TypeAlias = User | AnonymousUser | None

#: Conditions on `Match` under which a signed-in user may see private matches, besides sitting at them. The apps above
#: add theirs in `ready()` (members of the league, owners of the bots).
private_viewers: list[Callable[[User], Q]] = []

_OVER = (MatchState.FINISHED, MatchState.VOID)


def visible_matches(viewer: Viewer, matches: QuerySet[Match] | None = None) -> QuerySet[Match]:
    """Those of `matches` whose pages this viewer may open: all but the private matches of others."""
    rows = Match.objects.all() if matches is None else matches
    if is_staff(viewer):
        return rows
    open_to_all = ~Q(visibility=Visibility.PRIVATE)
    if not isinstance(viewer, User) or not viewer.is_authenticated:
        return rows.filter(open_to_all)
    own = Q(pk__in=Match.objects.filter(seats__player__user=viewer).values("pk"))
    for condition in private_viewers:
        own |= condition(viewer)
    return rows.filter(open_to_all | own)


def can_see_match(match: Match, viewer: Viewer) -> bool:
    """Whether the match exists for this viewer (404 otherwise)."""
    if match.visibility != Visibility.PRIVATE or is_staff(viewer):
        return True
    return visible_matches(viewer, Match.objects.filter(pk=match.pk)).exists()


def set_is_over(match: Match) -> bool:
    """Whether the match, and every other one of its mirrored set, is finished or void."""
    if match.mirror_set is None or not match.is_over:
        return match.is_over
    return not Match.objects.filter(_same_set(match)).exclude(state__in=_OVER).exists()


def sets_over(matches: Iterable[Match]) -> Mapping[int, bool]:
    """`set_is_over` of many matches by primary key, in at most one query."""
    rows = list(matches)
    wanted = {(row.mirror_set, row.rerun) for row in rows if row.mirror_set is not None and row.is_over}
    unfinished: set[tuple[UUID | None, int]] = set()
    if wanted:
        others = Match.objects.filter(mirror_set__in={found for found, _ in wanted}).exclude(state__in=_OVER)
        unfinished = set(others.values_list("mirror_set", "rerun"))
    return {row.pk: row.is_over and (row.mirror_set, row.rerun) not in unfinished for row in rows}


def with_set_over(matches: QuerySet[Match]) -> QuerySet[Match]:
    """Annotate `set_over`: `set_is_over` of each row, decided by the database."""
    others = Match.objects.filter(mirror_set=OuterRef("mirror_set"), rerun=OuterRef("rerun")).exclude(state__in=_OVER)
    return matches.annotate(set_over=Q(state__in=_OVER) & ~Exists(others))


def can_see_cards(match: Match, deal: Deal, viewer: Viewer, *, set_over: bool | None = None) -> bool:
    """Whether deck, hands and plays of a deal may be shown: it is over, and so is the set of a mirrored match.

    `set_over` spares the query when the caller knows it (`sets_over`, `with_set_over`).
    """
    if not deal.is_over or not can_see_match(match, viewer):
        return False
    if match.mirror_set is None:
        return True
    return set_is_over(match) if set_over is None else set_over


def can_see_seed(match: Match, viewer: Viewer, *, set_over: bool | None = None) -> bool:
    """Whether the seed may be shown: the match is over, and so is its mirrored set. Logs follow the same moment."""
    if not match.is_over or not can_see_match(match, viewer):
        return False
    return set_is_over(match) if set_over is None else set_over


def is_staff(viewer: Viewer) -> bool:
    """Whether the viewer works here (sees private matches; sees no card earlier than anybody else)."""
    return isinstance(viewer, User) and viewer.acts_as_staff


def _same_set(match: Match) -> Q:
    return Q(mirror_set=match.mirror_set, rerun=match.rerun)
