"""Joining and leaving a league, as a person or with a bot."""

import secrets
from collections.abc import Collection, Sequence

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.foundation import advance, lock_one
from accounts.models import User
from games.models import Player, PlayerKind
from league.errors import LeagueError, NotEligible, not_allowed
from league.models import (
    MEMBERSHIP_TRANSITIONS,
    Audience,
    EntryMember,
    EntryState,
    Joining,
    League,
    LeagueState,
    Membership,
    MembershipState,
    Role,
)
from league.permissions import Act, require
from league.services import audit

#: States in which an entry still binds its player to the league.
_BINDING = (EntryState.ACCEPTED, EntryState.CHECKED_IN, EntryState.PLAYING)


def why_not(*, league: League, player: Player, code: str = "") -> list[LeagueError]:
    """Every reason why this player cannot join now; empty when it can. Reads only."""
    return why_not_each(league=league, players=[player], code=code)[player.pk]


def why_not_each(*, league: League, players: Sequence[Player], code: str = "") -> dict[int, list[LeagueError]]:
    """`why_not` of many players by primary key; two queries for players whose bots are loaded."""
    known = {row.player_id: row for row in Membership.objects.filter(league=league, player__in=players)}
    owners = {player.bot.owner_id for player in players if player.kind == PlayerKind.BOT}
    active = Membership.objects.filter(league=league, player__bot__owner__in=owners, state=MembershipState.ACTIVE)
    playing = set(active.values_list("player__bot__owner_id", "player_id")) if owners else set()
    general = _general_reasons(league, code)
    return {
        player.pk: [
            *general,
            *_player_reasons(league, player, playing),
            *(_standing_reasons(known[player.pk]) if player.pk in known else ()),
        ]
        for player in players
    }


def _general_reasons(league: League, code: str) -> list[LeagueError]:
    reasons: list[LeagueError] = []
    if league.state != LeagueState.OPEN:
        reasons.append(NotEligible("league_not_open", _("The league is not open for new members at the moment.")))
    if league.joining == Joining.INVITATION and not is_invitation(league, code):
        reasons.append(
            NotEligible("invitation_needed", _("This league is joined by invitation: ask its organisers for the link."))
        )
    return reasons


def is_invitation(league: League, code: str) -> bool:
    """Whether the code is the league's invitation."""
    return bool(league.invitation_code) and secrets.compare_digest(
        code.encode(errors="replace"), str(league.invitation_code).encode()
    )


def _player_reasons(league: League, player: Player, playing: Collection[tuple[int, int]]) -> list[LeagueError]:
    """`playing`: the bots in the league, as (owner, player)."""
    if player.kind != PlayerKind.BOT:
        return []
    bot = player.bot
    reasons: list[LeagueError] = []
    if league.audience == Audience.HUMANS:
        reasons.append(NotEligible("humans_only", _("Only people play in this league, no bots.")))
    if bot.active_version_id is None:
        reasons.append(
            NotEligible(
                "no_qualified_version", _("The bot has no qualified version yet. Upload one that passes every check.")
            )
        )
    others = [other for owner, other in playing if owner == bot.owner_id and other != player.pk]
    if not bot.is_house and len(others) >= league.bots_per_owner:
        reasons.append(
            NotEligible(
                "too_many_bots",
                _("You already have %(limit)s bots in this league, which is the limit. Take one out first."),
                limit=league.bots_per_owner,
            )
        )
    return reasons


def _standing_reasons(membership: Membership) -> list[LeagueError]:
    match membership.state:
        case MembershipState.ACTIVE:
            return [NotEligible("already_member", _("Already a member of this league."))]
        case MembershipState.REQUESTED:
            return [NotEligible("already_requested", _("The request to join is waiting for an organiser’s answer."))]
        case MembershipState.SUSPENDED:
            return [
                NotEligible("suspended", _("Suspended from this league: %(reason)s"), reason=membership.reason or "—")
            ]
        case MembershipState.BANNED:
            return [NotEligible("banned", _("Excluded from this league: %(reason)s"), reason=membership.reason or "—")]
    return []


def join(*, league: League, player: Player, actor: User, code: str = "") -> Membership:
    """Make the player a member, or ask to be one where the league decides; raises the first reason of `why_not`."""
    require_mine(player, actor)
    with transaction.atomic():
        league = lock_one(League.objects.filter(pk=league.pk))
        reasons = why_not(league=league, player=player, code=code)
        if reasons:
            raise reasons[0]
        asked = league.joining == Joining.REQUEST
        state = MembershipState.REQUESTED if asked else MembershipState.ACTIVE
        membership = Membership.objects.filter(league=league, player=player).first()
        if membership is None:
            membership = Membership.objects.create(league=league, player=player, state=state, by=actor)
        else:
            advance(membership, state, table=MEMBERSHIP_TRANSITIONS)
            membership.by, membership.reason = actor, ""
            membership.save(update_fields=["state", "by", "reason"])
        audit.record(action="member.ask" if asked else "member.join", league=league, actor=actor, target=player.name)
    return membership


def leave(*, league: League, player: Player, actor: User) -> Membership:
    """End a membership. Refused: the last owner, a player who is entered in a tournament that is not over."""
    require_mine(player, actor)
    with transaction.atomic():
        lock_one(League.objects.filter(pk=league.pk))
        membership = _locked(league, player)
        entered = EntryMember.objects.filter(
            player=player,
            tournament__league=league,
            until__isnull=True,
            entry__state__in=_BINDING,
        ).exclude(tournament__state__in=("finished", "cancelled"))
        if entered.exists():
            raise LeagueError(
                "entered_in_tournament",
                _("Entered in the tournament “%(name)s”. Withdraw from it first, then leave the league."),
                name=entered.select_related("tournament").first().tournament.name,  # type: ignore[union-attr]
            )
        owners = Membership.objects.filter(league=league, role=Role.OWNER, state=MembershipState.ACTIVE)
        if membership.role == Role.OWNER and not owners.exclude(pk=membership.pk).exists():
            raise LeagueError("last_owner", _("A league needs an owner. Appoint another one first."))
        advance(membership, MembershipState.LEFT, table=MEMBERSHIP_TRANSITIONS)
        membership.role = Role.MEMBER
        membership.save(update_fields=["state", "role"])
        audit.record(action="member.leave", league=league, actor=actor, target=player.name)
    return membership


def answer(*, league: League, player: Player, actor: User, accept: bool, reason: str = "") -> Membership:
    """Accept or refuse a request to join."""
    require(actor, Act.RUN_ROUNDS, league)
    to = MembershipState.ACTIVE if accept else MembershipState.LEFT
    return _set(league, player, to, actor, "member.accept" if accept else "member.refuse", reason.strip())


def suspend(*, league: League, player: Player, actor: User, reason: str) -> Membership:
    """Keep a member from new tournaments until it is lifted."""
    require(actor, Act.RUN_ROUNDS, league)
    return _set(league, player, MembershipState.SUSPENDED, actor, "member.suspend", audit.checked_reason(reason))


def reinstate(*, league: League, player: Player, actor: User, reason: str) -> Membership:
    """Lift a suspension or a ban."""
    require(actor, Act.RUN_ROUNDS, league)
    return _set(league, player, MembershipState.ACTIVE, actor, "member.reinstate", audit.checked_reason(reason))


def ban(*, league: League, player: Player, actor: User, reason: str) -> Membership:
    """Exclude a member."""
    require(actor, Act.MANAGE_LEAGUE, league)
    return _set(league, player, MembershipState.BANNED, actor, "member.ban", audit.checked_reason(reason))


def require_mine(player: Player, actor: User) -> None:
    """Refuse (`not_allowed`) unless the player is the person's own, or a bot of his; staff may for anyone."""
    owner_id = player.bot.owner_id if player.kind == PlayerKind.BOT else player.user_id
    if owner_id != actor.pk and not actor.is_staff:
        raise not_allowed()


def _locked(league: League, player: Player) -> Membership:
    try:
        return lock_one(Membership.objects.filter(league=league, player=player))
    except Membership.DoesNotExist as error:
        raise LeagueError("not_member", _("Not a member of this league.")) from error


def _set(league: League, player: Player, to: MembershipState, actor: User, action: str, reason: str = "") -> Membership:
    with transaction.atomic():
        lock_one(League.objects.filter(pk=league.pk))
        membership = _locked(league, player)
        if membership.role == Role.OWNER and to != MembershipState.ACTIVE:
            raise LeagueError(
                "owner_protected", _("An owner cannot be suspended or excluded. Take the role away first.")
            )
        before = membership.state
        advance(membership, to, table=MEMBERSHIP_TRANSITIONS)
        membership.reason = reason
        membership.save(update_fields=["state", "reason"])
        audit.record(
            action=action,
            league=league,
            actor=actor,
            target=player.name,
            before={"state": before},
            after={"state": to},
            reason=reason,
        )
    return membership
