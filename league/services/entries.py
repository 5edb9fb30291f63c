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
from league.services.audit import LONGEST_REASON
from league.services.memberships import require_mine, standing_reasons

#: Entries before they are accepted.
_NOT_YET = (EntryState.PENDING, EntryState.WAITING_LIST)
#: Entries that count for the limit on an owner's bots.
_STANDING = (*LIVE_ENTRIES, *_NOT_YET)
#: What an organiser took out stays out.
_REMOVED = (EntryState.REFUSED, EntryState.DISQUALIFIED)


def why_not(*, tournament: Tournament, player: Player) -> list[LeagueError]:
    """Every reason why this player cannot enter now; empty when it can.

    A full tournament is no reason: it has a waiting list.
    """
    return why_not_each(tournament=tournament, players=[player])[player.pk]


def why_not_each(*, tournament: Tournament, players: Sequence[Player]) -> dict[int, list[LeagueError]]:
    """`why_not` of many players by primary key; four queries for players whose bots are loaded."""
    outside = _outside_league(tournament, players)
    live = EntryMember.objects.filter(tournament=tournament, until__isnull=True)
    entered = set(live.filter(player__in=players).values_list("player_id", flat=True))
    removed = dict(
        EntryMember.objects.filter(tournament=tournament, player__in=players, entry__state__in=_REMOVED)
        .order_by("pk")
        .values_list("player_id", "entry__reason")
    )
    owners = {player.bot.owner_id for player in players if player.kind == PlayerKind.BOT}
    playing = live.filter(player__bot__owner__in=owners, entry__state__in=_STANDING)
    of_owners = set(playing.values_list("player__bot__owner_id", "player_id")) if owners else set()
    found: dict[int, list[LeagueError]] = {}
    for player in players:
        reasons: list[LeagueError] = []
        if tournament.state != TournamentState.REGISTRATION:
            reasons.append(NotEligible("entry_closed", _("The registration of this tournament is not open.")))
        if player.pk in entered:
            reasons.append(NotEligible("already_entered", _("Already entered in this tournament.")))
        if player.pk in removed:
            reasons.append(
                NotEligible("removed", _("Taken out of this tournament: %(reason)s"), reason=removed[player.pk] or "—")
            )
        if player.pk in outside:
            reasons.append(outside[player.pk])
        reasons += _player_reasons(tournament, player, of_owners)
        found[player.pk] = reasons
    return found


def no_longer_each(*, tournament: Tournament, players: Sequence[Player]) -> dict[int, LeagueError]:
    """Why players who entered cannot play after all, by primary key: looked at when the registration closes.

    One query for players whose bots are loaded.
    """
    found = _outside_league(tournament, players)
    for player in players:
        if player.kind == PlayerKind.BOT and player.bot.active_version_id is None:
            found.setdefault(player.pk, _no_version())
    return found


def _outside_league(tournament: Tournament, players: Sequence[Player]) -> dict[int, LeagueError]:
    """Players who are no active members of the league, with the reason; one query."""
    known = {row.player_id: row for row in Membership.objects.filter(league=tournament.league_id, player__in=players)}
    found: dict[int, LeagueError] = {}
    for player in players:
        membership = known.get(player.pk)
        if membership is not None and membership.state == MembershipState.ACTIVE:
            continue
        if membership is not None and membership.state in (MembershipState.SUSPENDED, MembershipState.BANNED):
            found[player.pk] = standing_reasons(membership)[0]
        else:
            found[player.pk] = NotEligible(
                "not_member", _("Only members of the league can enter. Join the league first.")
            )
    return found


def _no_version() -> NotEligible:
    return NotEligible(
        "no_qualified_version", _("The bot has no qualified version yet. Upload one that passes every check.")
    )


def _player_reasons(tournament: Tournament, player: Player, playing: Collection[tuple[int, int]]) -> list[LeagueError]:
    """`playing`: the bots that take part, as (owner, player)."""
    if player.kind != PlayerKind.BOT:
        # The browser table is where people play; a tournament of theirs is scheduled by hand until it opens.
        return [NotEligible("bots_only", _("This tournament is played by bots. Enter one of your bots."))]
    reasons: list[LeagueError] = []
    bot, limit = player.bot, tournament.league.bots_per_owner
    if tournament.league.audience == Audience.HUMANS:
        reasons.append(NotEligible("humans_only", _("Only people play in this league, no bots.")))
    if bot.active_version_id is None:
        reasons.append(_no_version())
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
    require_mine(entry.members.order_by("pk").select_related("player__bot")[0].player, actor)
    return _leave(entry, EntryState.WITHDRAWN, actor, "entry.withdraw", reason.strip()[:LONGEST_REASON])


def refuse(*, entry: Entry, actor: User, reason: str) -> Entry:
    """Take somebody else's entry out before the start, for good; raises as `withdraw`."""
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
        if to == EntryState.DISQUALIFIED and entry.state in _NOT_YET:
            to = EntryState.REFUSED
        take_out(entry, to, actor=actor, action=action, reason=reason)
        fill_places(tournament)
    return entry


def fill_places(tournament: Tournament) -> None:
    """Give free places to who waits and can play; the caller holds the tournament's lock."""
    taken = Entry.objects.filter(tournament=tournament, state__in=LIVE_ENTRIES).count()
    waiting = standing_entries(tournament, states=(EntryState.WAITING_LIST,))
    move_up(able(tournament, waiting), free=(tournament.capacity or taken) - taken)


def take_out(entry: Entry, to: EntryState, *, actor: User | None, action: str, reason: str) -> None:
    """End an entry; the caller holds the locks of tournament and entry."""
    before = entry.state
    advance(entry, to, table=ENTRY_TRANSITIONS)
    entry.reason = reason
    entry.save(update_fields=["state", "reason"])
    EntryMember.objects.filter(entry=entry, until__isnull=True).update(until=timezone.now())
    _log(entry, actor, action, before={"state": before}, after={"state": to}, reason=reason)


def standing_entries(tournament: Tournament, *, states: Collection[str]) -> list[Entry]:
    """The entries in these states in the order in which they came, players and versions loaded."""
    return list(
        Entry.objects.filter(tournament=tournament, state__in=states)
        .select_related("tournament__league")
        .prefetch_related("members__player__bot__active_version")
        .order_by("pk")
    )


def player_of(entry: Entry) -> Player:
    """Who plays for an entry whose members are loaded."""
    return next(member.player for member in entry.members.all() if member.until is None)


def able(tournament: Tournament, entries: Sequence[Entry]) -> list[Entry]:
    """Those of the entries that can still play."""
    gone = no_longer_each(tournament=tournament, players=[player_of(entry) for entry in entries])
    return [entry for entry in entries if player_of(entry).pk not in gone]


def move_up(waiting: Sequence[Entry], *, free: int) -> list[Entry]:
    """Give free places to the waiting list, in order; the caller holds the tournament's lock."""
    moved = list(waiting[: max(0, free)])
    for entry in moved:
        advance(entry, EntryState.ACCEPTED, table=ENTRY_TRANSITIONS)
        entry.save(update_fields=["state"])
        _log(entry, None, "entry.move_up", before={"state": EntryState.WAITING_LIST}, after={"state": entry.state})
    return moved


def _log(
    entry: Entry,
    actor: User | None,
    action: str,
    *,
    before: dict[str, object] | None = None,
    after: dict[str, object] | None = None,
    reason: str = "",
) -> None:
    audit.record(
        action=action,
        league=entry.tournament.league,
        tournament=entry.tournament,
        actor=actor,
        target=entry.name,
        before=before,
        after=after,
        reason=reason,
    )
