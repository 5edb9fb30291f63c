"""Leagues: found, set up, open, pause, archive."""

import secrets
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from accounts.foundation import advance, lock_one
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
from league.services import audit

#: Names whose addresses (/leagues/<slug>/, /organise/<slug>/) are taken by pages of the site.
RESERVED = frozenset({"new", "matches"})
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
    """Found a league, in draft, with its owner; raises `email_unconfirmed`, `league_name_taken`, `bad_rules`."""
    require_confirmed(owner)
    name = " ".join(name.split())
    slug = slugify(name)[:60]
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
                about=about.strip(),
                audience=audience,
                joining=joining,
                visibility=visibility,
                rules=checked_rules(rules).code,
                bots_per_owner=bots_per_owner,
                invitation_code=secrets.token_urlsafe(16),
            )
            Membership.objects.create(league=league, player=owner.player, role=Role.OWNER, by=owner)
            audit.record(action="league.create", league=league, actor=owner, target=league.name)
    except IntegrityError as error:
        raise taken from error
    return league


def checked_rules(code: str) -> EngineRules:
    """The rules that a code names; LeagueError `bad_rules` with the engine's sentence."""
    try:
        return EngineRules.parse(code)
    except RulesError as error:
        raise LeagueError(
            "bad_rules", _("These rules cannot be played: %(why)s"), status=422, why=str(error)
        ) from error


def update(*, league: League, actor: User, **changes: Any) -> League:
    """Change settings of a league (`EDITABLE`); tournaments that exist keep theirs."""
    require(actor, Act.MANAGE_LEAGUE, league)
    unknown = set(changes) - set(EDITABLE)
    if unknown:
        raise TypeError(f"not editable: {', '.join(sorted(unknown))}")
    if "rules" in changes:
        changes["rules"] = checked_rules(changes["rules"]).code
    with transaction.atomic():
        league = lock_one(League.objects.filter(pk=league.pk))
        before = {name: getattr(league, name) for name in changes}
        for name, value in changes.items():
            setattr(league, name, value)
        league.save(update_fields=list(changes))
        audit.record(action="league.update", league=league, actor=actor, before=before, after=changes)
    return league


def publish(*, league: League, actor: User | None) -> League:
    """Open a league to members: draft or paused -> open."""
    return _advance(league, LeagueState.OPEN, actor, "league.open")


def pause(*, league: League, actor: User | None, reason: str) -> League:
    """Nothing new starts, running matches end."""
    return _advance(league, LeagueState.PAUSED, actor, "league.pause", audit.checked_reason(reason))


def archive(*, league: League, actor: User | None, reason: str) -> League:
    """Close a league for good; refused (`tournament_running`) while a tournament runs."""
    reason = audit.checked_reason(reason)
    running = (TournamentState.RUNNING, TournamentState.SUSPENDED)
    if Tournament.objects.filter(league=league, state__in=running).exists():
        raise LeagueError(
            "tournament_running",
            _("A tournament of this league is running. End or cancel it, then archive the league."),
        )
    return _advance(league, LeagueState.ARCHIVED, actor, "league.archive", reason)


def appoint(*, league: League, actor: User, member: Membership, role: str) -> Membership:
    """Give a person a role. Refused: bots, people who are not active members, taking the last owner's role."""
    require(actor, Act.MANAGE_LEAGUE, league)
    with transaction.atomic():
        lock_one(League.objects.filter(pk=league.pk))
        member = lock_one(Membership.objects.filter(pk=member.pk, league=league))
        if member.player.user_id is None or member.state != MembershipState.ACTIVE:
            raise LeagueError("role_needs_person", _("Only people who are active members can have a role."))
        owners = Membership.objects.filter(league=league, role=Role.OWNER, state=MembershipState.ACTIVE)
        if member.role == Role.OWNER and role != Role.OWNER and not owners.exclude(pk=member.pk).exists():
            raise LeagueError("last_owner", _("A league needs an owner. Appoint another one first."))
        before, member.role = member.role, role
        member.save(update_fields=["role"])
        audit.record(
            action="league.appoint",
            league=league,
            actor=actor,
            target=member.player.name,
            before={"role": before},
            after={"role": role},
        )
    return member


def _advance(league: League, to: LeagueState, actor: User | None, action: str, reason: str = "") -> League:
    require(actor, Act.MANAGE_LEAGUE, league)
    with transaction.atomic():
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
