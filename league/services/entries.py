"""Entries: who takes part in a tournament."""

from collections.abc import Collection, Sequence

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.foundation import advance, lock_one
from accounts.models import User
from accounts.services.users import require_confirmed
from games.models import Player, PlayerKind
from league.errors import LeagueError, NotEligible
from league.models import (
    ENTRY_TRANSITIONS,
    LIVE_ENTRIES,
    Audience,
    Entry,
    EntryMember,
    EntryState,
    Membership,
    MembershipState,
    Tournament,
    TournamentState,
)
from league.permissions import Act, require
from league.services import audit
from league.services.memberships import require_mine


def why_not(*, tournament: Tournament, player: Player) -> list[LeagueError]:
    """Every reason why this player cannot enter now; empty when it can.

    A full tournament is no reason: it has a waiting list.
    """
    return why_not_each(tournament=tournament, players=[player])[player.pk]


def why_not_each(*, tournament: Tournament, players: Sequence[Player]) -> dict[int, list[LeagueError]]:
    """`why_not` of many players by primary key; three queries for players whose bots are loaded."""
    members = set(
        Membership.objects.filter(
            league=tournament.league, player__in=players, state=MembershipState.ACTIVE
        ).values_list("player_id", flat=True)
    )
    live = EntryMember.objects.filter(tournament=tournament, until__isnull=True)
    entered = set(live.filter(player__in=players).values_list("player_id", flat=True))
    owners = {player.bot.owner_id for player in players if player.kind == PlayerKind.BOT}
    playing = live.filter(player__bot__owner__in=owners, entry__state__in=LIVE_ENTRIES)
    of_owners = set(playing.values_list("player__bot__owner_id", "player_id")) if owners else set()
    found: dict[int, list[LeagueError]] = {}
    for player in players:
        reasons: list[LeagueError] = []
        if tournament.state != TournamentState.REGISTRATION:
            reasons.append(NotEligible("entry_closed", _("The registration of this tournament is not open.")))
        if player.pk not in members:
            reasons.append(NotEligible("not_member", _("Only members of the league can enter. Join the league first.")))
        reasons += _player_reasons(tournament, player, of_owners)
        if player.pk in entered:
            reasons.append(NotEligible("already_entered", _("Already entered in this tournament.")))
        found[player.pk] = reasons
    return found


def _player_reasons(
    tournament: Tournament, player: Player, playing: Collection[tuple[int, int]]
) -> list[LeagueError]:
    """`playing`: the bots that take part, as (owner, player)."""
    if player.kind != PlayerKind.BOT:
        # The browser table is where people play; a tournament of theirs is scheduled by hand until it opens.
        return [NotEligible("bots_only", _("This tournament is played by bots. Enter one of your bots."))]
    reasons: list[LeagueError] = []
    bot, limit = player.bot, tournament.league.bots_per_owner
    if tournament.league.audience == Audience.HUMANS:
        reasons.append(NotEligible("humans_only", _("Only people play in this league, no bots.")))
    if bot.active_version_id is None:
        reasons.append(
            NotEligible(
                "no_qualified_version", _("The bot has no qualified version yet. Upload one that passes every check.")
            )
        )
    others = [other for owner, other in playing if owner == bot.owner_id and other != player.pk]
    if not bot.is_house and len(others) >= limit:
        reasons.append(
            NotEligible(
                "too_many_entries",
                _("You already have %(limit)s bots in this tournament, which is the limit. Withdraw one first."),
                limit=limit,
            )
        )
    return reasons


def enter(*, tournament: Tournament, player: Player, actor: User) -> Entry:
    """Enter a player; on the waiting list when all places are taken. Raises the first reason of `why_not`."""
    require_mine(player, actor)
    require_confirmed(actor)
    with transaction.atomic():
        tournament = lock_one(Tournament.objects.filter(pk=tournament.pk).select_related("league"))
        reasons = why_not(tournament=tournament, player=player)
        if reasons:
            raise reasons[0]
        taken = Entry.objects.filter(tournament=tournament, state__in=LIVE_ENTRIES).count()
        is_full = tournament.capacity is not None and taken >= tournament.capacity
        entry = Entry.objects.create(
            tournament=tournament,
            name=player.name,
            state=EntryState.WAITING_LIST if is_full else EntryState.ACCEPTED,
        )
        EntryMember.objects.create(entry=entry, tournament=tournament, player=player)
        _log(entry, actor, "entry.enter", after={"state": entry.state})
    return entry


def withdraw(*, entry: Entry, actor: User, reason: str = "") -> Entry:
    """Take an entry back before the start; the first of the waiting list moves up.

    Raises `too_late` once the tournament runs: an organiser decides then.
    """
    require_mine(entry.members.get(until__isnull=True).player, actor)
    return _leave(entry, EntryState.WITHDRAWN, actor, "entry.withdraw", reason.strip())


def refuse(*, entry: Entry, actor: User, reason: str) -> Entry:
    """Take somebody else's entry out before the start."""
    require(actor, Act.RUN_ROUNDS, entry.tournament.league)
    return _leave(entry, EntryState.DISQUALIFIED, actor, "entry.refuse", audit.checked_reason(reason))


def _leave(entry: Entry, to: EntryState, actor: User, action: str, reason: str) -> Entry:
    with transaction.atomic():
        tournament = lock_one(Tournament.objects.filter(pk=entry.tournament_id))
        if tournament.state != TournamentState.REGISTRATION:
            raise LeagueError(
                "too_late", _("The entries are fixed: the registration is closed. Ask an organiser of the league.")
            )
        entry = lock_one(Entry.objects.filter(pk=entry.pk).select_related("tournament__league"))
        advance(entry, to, table=ENTRY_TRANSITIONS)
        entry.reason = reason
        entry.save(update_fields=["state", "reason"])
        EntryMember.objects.filter(entry=entry, until__isnull=True).update(until=timezone.now())
        _log(entry, actor, action, after={"state": to}, reason=reason)
        _move_up(tournament)
    return entry


def _move_up(tournament: Tournament) -> None:
    """Give free places to the waiting list, in order."""
    taken = Entry.objects.filter(tournament=tournament, state__in=LIVE_ENTRIES).count()
    free = (tournament.capacity or 0) - taken
    waiting = Entry.objects.filter(tournament=tournament, state=EntryState.WAITING_LIST).order_by("pk")
    for entry in waiting.select_related("tournament__league")[: max(0, free)]:
        advance(entry, EntryState.ACCEPTED, table=ENTRY_TRANSITIONS)
        entry.save(update_fields=["state"])
        _log(entry, None, "entry.move_up", after={"state": entry.state})


def _log(
    entry: Entry, actor: User | None, action: str, *, after: dict[str, object] | None = None, reason: str = ""
) -> None:
    audit.record(
        action=action,
        league=entry.tournament.league,
        tournament=entry.tournament,
        actor=actor,
        target=entry.name,
        after=after,
        reason=reason,
    )
