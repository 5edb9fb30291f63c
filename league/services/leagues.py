"""Leagues: found, set up, open, pause, archive."""

import secrets
from collections.abc import Callable
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from accounts.foundation import advance, lock, lock_one
from accounts.models import User
from accounts.services.users import require_confirmed
from games.engine import Rules as EngineRules
from games.engine import RulesError
from games.models import Visibility
from league.errors import LeagueError
from league.models import (
    LEAGUE_TRANSITIONS,
    Audience,
    Joining,
    League,
    LeagueState,
    Membership,
    MembershipState,
    Role,
    Tournament,
    TournamentState,
)
from league.permissions import Act, require
from league.services import audit, work
from league.services.checks import checked_about, checked_choice, checked_name, checked_number

LONGEST_NAME = 60
MOST_BOTS = 5
#: Names whose addresses (/leagues/<slug>/, /organise/<slug>/) are taken by pages of the site.
RESERVED = frozenset({"new", "matches"})
#: Tournaments that nobody waits for.
_AT_REST = (TournamentState.DRAFT, TournamentState.FINISHED, TournamentState.CANCELLED)
#: Settings that `update` may change.
EDITABLE = ("about", "audience", "joining", "visibility", "rules", "bots_per_owner")


def create(
    *,
    owner: User,
    name: str,
    about: str = "",
    audience: str = Audience.BOTS,
    joining: str = Joining.OPEN,
    visibility: str = Visibility.PUBLIC,
    rules: str = "n=2",
    bots_per_owner: int = 2,
) -> League:
    """Found a league, in draft, with its owner.

    Raises `email_unconfirmed`, `bad_name`, `league_name_empty`, `league_name_reserved`, `league_name_taken`, and as
    `update`.
    """
    require_confirmed(owner)
    name = checked_name(name, longest=LONGEST_NAME)
    settings = _checked(
        {
            "about": about,
            "audience": audience,
            "joining": joining,
            "visibility": visibility,
            "rules": rules,
            "bots_per_owner": bots_per_owner,
        }
    )
    slug = slugify(name)[:LONGEST_NAME]
    if not slug:
        raise LeagueError("league_name_empty", _("Give the league a name with letters or digits."), status=422)
    if slug in RESERVED:
        raise LeagueError("league_name_reserved", _("This name is an address of the site. Choose another name."))
    taken = LeagueError("league_name_taken", _("There is a league of this name already. Choose another name."))
    if League.objects.filter(slug=slug).exists() or League.objects.filter(name__iexact=name).exists():
        raise taken
    try:
        with transaction.atomic():
            league = League.objects.create(
                name=name,
                slug=slug,
                invitation_code=_new_invitation(),
                **settings,
            )
            Membership.objects.create(league=league, player=owner.player, role=Role.OWNER, by=owner)
            audit.record(action="league.create", league=league, actor=owner, target=league.name)
    except IntegrityError as error:
        raise taken from error
    return league


def checked_rules(code: str) -> EngineRules:
    """The rules that a code names; LeagueError `bad_rules` with the engine's sentence."""
    try:
        rules = EngineRules.parse(code)
    except RulesError as error:
        raise LeagueError(
            "bad_rules", _("These rules cannot be played: %(why)s"), status=422, why=str(error)
        ) from error
    if rules.trump != "upcard" or rules.open != "none":
        raise LeagueError(
            "bad_rules", _("Leagues play with a trump and closed hands: choose rules that have both."), status=422
        )
    return rules


def update(*, league: League, actor: User, **changes: Any) -> League:
    """Change settings of a league (`EDITABLE`); tournaments that exist keep theirs. What is the same leaves no line.

    Raises `about_too_long`, `bad_choice`, `bad_number`, `bad_rules`.
    """
    require(actor, Act.MANAGE_LEAGUE, league)
    unknown = set(changes) - set(EDITABLE)
    if unknown:
        raise TypeError(f"not editable: {', '.join(sorted(unknown))}")
    changes = _checked(changes)
    with transaction.atomic():
        league = lock_one(League.objects.filter(pk=league.pk))
        changes = {name: value for name, value in changes.items() if getattr(league, name) != value}
        if not changes:
            return league
        before = {name: getattr(league, name) for name in changes}
        for name, value in changes.items():
            setattr(league, name, value)
        league.save(update_fields=list(changes))
        audit.record(
            action="league.update", league=league, actor=actor, target=league.name, before=before, after=changes
        )
    return league


def _checked(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings as they are stored."""
    checks: dict[str, Callable[[Any], Any]] = {
        "about": checked_about,
        "audience": partial(checked_choice, choices=Audience),
        "joining": partial(checked_choice, choices=Joining),
        "visibility": partial(checked_choice, choices=Visibility),
        "rules": lambda code: checked_rules(code).code,
        "bots_per_owner": partial(checked_number, least=1, most=MOST_BOTS),
    }
    return {name: checks[name](value) for name, value in settings.items()}


def renew_invitation(*, league: League, actor: User) -> League:
    """Draw another invitation; the one before no longer opens the league. The code itself is not in the log."""
    require(actor, Act.RUN_ROUNDS, league)
    with transaction.atomic():
        league = lock_one(League.objects.filter(pk=league.pk))
        league.invitation_code = _new_invitation()
        league.save(update_fields=["invitation_code"])
        audit.record(action="league.invitation", league=league, actor=actor, target=league.name)
    return league


def _new_invitation() -> str:
    return secrets.token_urlsafe(16)


def publish(*, league: League, actor: User | None) -> League:
    """Open a league to members: draft or paused -> open; its matches that wait may be played again."""
    with transaction.atomic():
        league = _advance(league, LeagueState.OPEN, actor, "league.open")
        work.release_league(league=league)
    return league


def pause(*, league: League, actor: User | None, reason: str) -> League:
    """Nothing new starts: matches that wait are held, those in play end."""
    require(actor, Act.MANAGE_LEAGUE, league)
    reason = audit.checked_reason(reason)
    with transaction.atomic():
        league = _advance(league, LeagueState.PAUSED, actor, "league.pause", reason)
        # Who releases a round holds its tournament: matches that are being made just now are seen below, and held.
        lock(Tournament.objects.filter(league=league, state=TournamentState.RUNNING))
        work.hold_league(league=league)
    return league


def archive(*, league: League, actor: User | None, reason: str) -> League:
    """Close a league for good; refused (`tournament_running`) while a tournament takes entries, is ready or runs."""
    require(actor, Act.MANAGE_LEAGUE, league)
    reason = audit.checked_reason(reason)
    with transaction.atomic():
        league = lock_one(League.objects.filter(pk=league.pk))
        if (still := still_running(league)) is not None:
            raise still
        return _advance(league, LeagueState.ARCHIVED, actor, "league.archive", reason)


def still_running(league: League) -> LeagueError | None:
    """Why the league cannot be archived: a tournament of it is not over; None when it can."""
    still = Tournament.objects.filter(league=league).exclude(state__in=_AT_REST).order_by("pk").first()
    if still is None:
        return None
    return LeagueError(
        "tournament_running",
        _("The tournament “%(name)s” of this league is not over. End or cancel it, then archive the league."),
        name=still.name,
    )


def appoint(*, league: League, actor: User, member: Membership, role: str) -> Membership:
    """Give a person a role: an organiser makes arbiters of members, an owner any other change.

    Raises `bad_choice`, `role_needs_person` (bots, people who are not active members), `last_owner`.
    """
    new = Role(checked_choice(role, Role))
    with transaction.atomic():
        lock_one(League.objects.filter(pk=league.pk))
        member = lock_one(Membership.objects.filter(pk=member.pk, league=league).select_related("player"))
        is_small = {Role(member.role), new} <= {Role.MEMBER, Role.ARBITER}
        require(actor, Act.MANAGE_TOURNAMENTS if is_small else Act.MANAGE_LEAGUE, league)
        if member.player.user_id is None or member.state != MembershipState.ACTIVE:
            raise LeagueError("role_needs_person", _("Only people who are active members can have a role."))
        if member.role == new:
            return member
        owners = Membership.objects.filter(league=league, role=Role.OWNER, state=MembershipState.ACTIVE)
        if member.role == Role.OWNER and not owners.exclude(pk=member.pk).exists():
            raise LeagueError("last_owner", _("A league needs an owner. Appoint another one first."))
        before, member.role = member.role, new
        member.save(update_fields=["role"])
        audit.record(
            action="league.appoint",
            league=league,
            actor=actor,
            target=member.player.name,
            before={"role": before},
            after={"role": new},
        )
    return member


def _advance(league: League, to: LeagueState, actor: User | None, action: str, reason: str = "") -> League:
    require(actor, Act.MANAGE_LEAGUE, league)
    league = lock_one(League.objects.filter(pk=league.pk))
    before = league.state
    advance(league, to, table=LEAGUE_TRANSITIONS)
    league.save(update_fields=["state"])
    audit.record(
        action=action,
        league=league,
        actor=actor,
        target=league.name,
        before={"state": before},
        after={"state": to},
        reason=reason,
    )
    return league
