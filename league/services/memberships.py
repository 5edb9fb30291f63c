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
    TournamentState,
)
from league.permissions import Act, require
from league.services import audit

#: Reasons why a request to join cannot be accepted any more.
_STILL_REFUSED = ("humans_only", "no_qualified_version", "too_many_bots")
#: States in which an entry still binds its player to the league.
_BINDING = (
    EntryState.PENDING, EntryState.WAITING_LIST, EntryState.ACCEPTED, EntryState.CHECKED_IN, EntryState.PLAYING,
)  # fmt: skip


def why_not(*, league: League, player: Player, code: str = "") -> list[LeagueError]:
    """Every reason why this player cannot join now; empty when it can. Reads only."""
    return why_not_each(league=league, players=[player], code=code)[player.pk]


def why_not_each(*, league: League, players: Sequence[Player], code: str = "") -> dict[int, list[LeagueError]]:
    """`why_not` of many players by primary key; two queries for players whose bots are loaded."""
    known = {row.player_id: row for row in Membership.objects.filter(league=league, player__in=players)}
    owners = {player.bot.owner_id for player in players if player.kind == PlayerKind.BOT}
    active = Membership.objects.filter(league=league, player__bot__owner__in=owners, state=MembershipState.ACTIVE)
    playing = set(active.values_list("player__bot__owner_id", "player_id")) if owners else set()
    is_invited = is_invitation(league, code)
    return {
        player.pk: [
            *(standing_reasons(known[player.pk]) if player.pk in known else ()),
            *_general_reasons(league, is_invited=is_invited or _was_invited(known.get(player.pk))),
            *_player_reasons(league, player, playing),
        ]
        for player in players
    }


def _was_invited(membership: Membership | None) -> bool:
    return membership is not None and membership.state in (MembershipState.INVITED, MembershipState.ACTIVE)


def _general_reasons(league: League, *, is_invited: bool) -> list[LeagueError]:
    reasons: list[LeagueError] = []
    if league.state != LeagueState.OPEN:
        reasons.append(NotEligible("league_not_open", _("The league is not open for new members at the moment.")))
    if league.joining == Joining.INVITATION and not is_invited:
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


def standing_reasons(membership: Membership) -> list[LeagueError]:
    """Why somebody with this membership cannot become a member: he is one, or waits, or must not."""
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
    """End a membership, or take back a request to join.

    Refused: `last_owner`, `entered_in_tournament` (one that is not over), `suspended` (leaving would lift it), a member
    who left already or is excluded (`bad_state`).
    """
    require_mine(player, actor)
    with transaction.atomic():
        lock_one(League.objects.filter(pk=league.pk))
        membership = _locked(league, player)
        if membership.state == MembershipState.SUSPENDED:
            raise LeagueError(
                "suspended", _("Suspended from this league: who is suspended cannot leave it. Ask its organisers.")
            )
        entered = EntryMember.objects.filter(
            player=player,
            tournament__league=league,
            until__isnull=True,
            entry__state__in=_BINDING,
        ).exclude(tournament__state__in=(TournamentState.FINISHED, TournamentState.CANCELLED))
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
    """Accept or refuse a request to join; raises `no_request`, and `too_many_bots` and the like as `why_not`."""
    require(actor, Act.RUN_ROUNDS, league)
    to = MembershipState.ACTIVE if accept else MembershipState.LEFT
    with transaction.atomic():
        league = lock_one(League.objects.filter(pk=league.pk))
        membership = _locked(league, player)
        if membership.state != MembershipState.REQUESTED:
            raise LeagueError(
                "no_request", _("There is no request to answer: somebody answered it, or it was withdrawn.")
            )
        if accept:
            refusals = why_not_accept_each(league=league, players=[player])[player.pk]
            if refusals:
                raise refusals[0]
        return _set(membership, to, actor, "member.accept" if accept else "member.refuse", reason.strip()[:500])


def why_not_accept_each(*, league: League, players: Sequence[Player]) -> dict[int, list[LeagueError]]:
    """Why requests to join cannot be accepted, by primary key; two queries for players whose bots are loaded."""
    found = why_not_each(league=league, players=players)
    return {player: [one for one in reasons if one.code in _STILL_REFUSED] for player, reasons in found.items()}


def suspend(*, league: League, player: Player, actor: User, reason: str) -> Membership:
    """Keep a member from new tournaments until it is lifted. An organiser is suspended by an owner."""
    require(actor, Act.RUN_ROUNDS, league)
    reason = audit.checked_reason(reason)
    with transaction.atomic():
        membership = _locked_against(league, player, actor)
        return _set(membership, MembershipState.SUSPENDED, actor, "member.suspend", reason)


def reinstate(*, league: League, player: Player, actor: User, reason: str) -> Membership:
    """Lift a suspension or, as an owner, an exclusion; raises `not_suspended` when there is none."""
    require(actor, Act.RUN_ROUNDS, league)
    reason = audit.checked_reason(reason)
    with transaction.atomic():
        lock_one(League.objects.filter(pk=league.pk))
        membership = _locked(league, player)
        if membership.state == MembershipState.BANNED:
            require(actor, Act.MANAGE_LEAGUE, league)
        elif membership.state != MembershipState.SUSPENDED:
            raise LeagueError("not_suspended", _("This member is neither suspended nor excluded."))
        return _set(membership, MembershipState.ACTIVE, actor, "member.reinstate", reason)


def ban(*, league: League, player: Player, actor: User, reason: str) -> Membership:
    """Exclude a member, or who asked to be one, for good."""
    require(actor, Act.MANAGE_LEAGUE, league)
    reason = audit.checked_reason(reason)
    with transaction.atomic():
        membership = _locked_against(league, player, actor)
        return _set(membership, MembershipState.BANNED, actor, "member.ban", reason)


def require_mine(player: Player, actor: User) -> None:
    """Refuse (`not_allowed`) unless the player is the person's own, or a bot of his; staff may for anyone."""
    owner_id = player.bot.owner_id if player.kind == PlayerKind.BOT else player.user_id
    if owner_id != actor.pk and not actor.acts_as_staff:
        raise not_allowed()


def _locked(league: League, player: Player) -> Membership:
    try:
        return lock_one(Membership.objects.filter(league=league, player=player).select_related("league", "player"))
    except Membership.DoesNotExist as error:
        raise LeagueError("not_member", _("Not a member of this league.")) from error


def _locked_against(league: League, player: Player, actor: User) -> Membership:
    """The membership of somebody whom a decision goes against: not an owner, an organiser by owners only."""
    lock_one(League.objects.filter(pk=league.pk))
    membership = _locked(league, player)
    if membership.role == Role.OWNER:
        raise LeagueError("owner_protected", _("An owner cannot be suspended or excluded. Take the role away first."))
    if membership.role == Role.ORGANISER:
        require(actor, Act.MANAGE_LEAGUE, league)
    return membership


def _set(membership: Membership, to: MembershipState, actor: User, action: str, reason: str) -> Membership:
    """Write a decision on a membership whose lock the caller holds. Who is excluded has no role any more."""
    before = membership.state
    advance(membership, to, table=MEMBERSHIP_TRANSITIONS)
    membership.reason = reason
    if to not in (MembershipState.ACTIVE, MembershipState.SUSPENDED):
        membership.role = Role.MEMBER
    membership.save(update_fields=["state", "reason", "role"])
    audit.record(
        action=action,
        league=membership.league,
        actor=actor,
        target=membership.player.name,
        before={"state": before},
        after={"state": to},
        reason=reason,
    )
    return membership
