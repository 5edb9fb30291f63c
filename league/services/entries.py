"""Entries: who takes part in a tournament."""

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
    reasons: list[LeagueError] = []
    league = tournament.league
    if tournament.state != TournamentState.REGISTRATION:
        reasons.append(NotEligible("entry_closed", _("The registration of this tournament is not open.")))
    if not Membership.objects.filter(league=league, player=player, state=MembershipState.ACTIVE).exists():
        reasons.append(NotEligible("not_member", _("Only members of the league can enter. Join the league first.")))
    if league.audience == Audience.HUMANS and player.kind == PlayerKind.BOT:
        reasons.append(NotEligible("humans_only", _("Only people play in this league, no bots.")))
    if player.kind != PlayerKind.BOT:
        # The browser table is where people play; a tournament of theirs is scheduled by hand until it opens.
        reasons.append(NotEligible("bots_only", _("This tournament is played by bots. Enter one of your bots.")))
    elif player.bot.active_version_id is None:
        reasons.append(
            NotEligible(
                "no_qualified_version", _("The bot has no qualified version yet. Upload one that passes every check.")
            )
        )
    else:
        reasons += _owner_reasons(tournament, player)
    if EntryMember.objects.filter(tournament=tournament, player=player, until__isnull=True).exists():
        reasons.append(NotEligible("already_entered", _("Already entered in this tournament.")))
    return reasons


def _owner_reasons(tournament: Tournament, player: Player) -> list[LeagueError]:
    bot, limit = player.bot, tournament.league.bots_per_owner
    others = EntryMember.objects.filter(
        tournament=tournament, player__bot__owner=bot.owner, until__isnull=True, entry__state__in=LIVE_ENTRIES
    ).exclude(player=player)
    if bot.is_house or others.count() < limit:
        return []
    return [
        NotEligible(
            "too_many_entries",
            _("You already have %(limit)s bots in this tournament, which is the limit. Withdraw one first."),
            limit=limit,
        )
    ]


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
