"""Who may do what in a league: one table, used by services, pages and the API alike."""

from enum import StrEnum
from typing import Final

from django.contrib.auth.models import AnonymousUser

from accounts.models import User
from league.errors import NotAllowed, not_allowed
from league.models import League, Membership, MembershipState, Role

Viewer = User | AnonymousUser


class Act(StrEnum):
    """What needs a role."""

    RULE = "rule"  # re-run or void a match, forfeit, override
    RUN_ROUNDS = "run_rounds"  # entries, draw, release, pause, disqualify
    MANAGE_TOURNAMENTS = "manage_tournaments"  # create, cancel, appoint arbiters
    MANAGE_LEAGUE = "manage_league"  # settings, members' roles, archive


_LADDER: Final = (Role.MEMBER, Role.ARBITER, Role.ORGANISER, Role.OWNER)
#: The lowest role that may; staff may everything.
LOWEST: Final[dict[Act, Role]] = {
    Act.RULE: Role.ARBITER,
    Act.RUN_ROUNDS: Role.ORGANISER,
    Act.MANAGE_TOURNAMENTS: Role.ORGANISER,
    Act.MANAGE_LEAGUE: Role.OWNER,
}


def role_of(user: Viewer, league: League) -> Role | None:
    """The person's role in the league, None for who is no active member."""
    if not user.is_authenticated:
        return None
    found = (
        Membership.objects.filter(league=league, player__user=user, state=MembershipState.ACTIVE)
        .values_list("role", flat=True)
        .first()
    )
    return Role(found) if found else None


def acts_of(user: Viewer, league: League) -> frozenset[Act]:
    """All that the person may do in the league; one query at most."""
    if not user.is_authenticated or not user.is_active:
        return frozenset()
    if user.acts_as_staff:
        return frozenset(Act)
    role = role_of(user, league)
    if role is None:
        return frozenset()
    return frozenset(act for act in Act if _LADDER.index(role) >= _LADDER.index(LOWEST[act]))


def may(user: Viewer, act: Act, league: League) -> bool:
    """Whether the person may do this in the league."""
    return act in acts_of(user, league)


def require(user: Viewer | None, act: Act, league: League) -> None:
    """Refuse (`not_allowed`, 403) unless the person may; `None` is the site itself and may."""
    if user is not None and not may(user, act, league):
        raise not_allowed()


__all__ = ["LOWEST", "Act", "NotAllowed", "Viewer", "acts_of", "may", "require", "role_of"]
