"""Invitations: made, accepted, declined, withdrawn, expired. The last seat that is taken makes the match.

Every verb locks the invitation's row first; a visit to its page changes nothing.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.foundation import advance, lock, lock_one
from accounts.models import User
from accounts.services import notices, rates
from bots.models import BotVersion, VersionState
from games import live
from games.clocks import parse_clock
from games.engine import Rules
from games.models import Match, MatchMode, MatchState, Player, PlayerKind, Visibility
from games.services import matches as match_verbs
from games.services.deals import start_match
from league.errors import LeagueError, NotAllowed
from league.models import (
    INVITATION_TRANSITIONS,
    Invitation,
    InvitationKind,
    InvitationSeat,
    InvitationState,
    SeatAnswer,
)
from league.reasons import NOT_STARTED
from league.selectors.play import table_address
from league.services.ratings import pair_limit
from league.services.ratings.pools import is_rateable
from league.services.seating import Sitter, make_match

CODE_BYTES: Final = 16
#: How long an invitation waits.
LIFETIME: Final = {
    InvitationKind.LINK: timedelta(hours=24),
    InvitationKind.NAME: timedelta(hours=24),
    InvitationKind.SEEK: timedelta(minutes=10),
}
#: A match that nobody has begun for so long after it was made is void.
START_WITHIN: Final = timedelta(minutes=15)
#: Open invitations a person, seeks included; invitations a person may make in an hour.
MOST_OPEN: Final = 20
MOST_AN_HOUR: Final = 60


@dataclass(frozen=True, slots=True)
class Wish:
    """Who shall sit at a seat: nobody yet (whoever comes), a person, a bot with its version."""

    player: Player | None = None
    version: BotVersion | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InvitationOrder:
    """What is offered. `wishes` are the seats after the maker's own, in playing order."""

    kind: InvitationKind
    rules: Rules
    clock: str
    mode: MatchMode = MatchMode.CASUAL
    visibility: Visibility = Visibility.PUBLIC
    wishes: Sequence[Wish] = (Wish(),)


def make(*, by: Player, order: InvitationOrder) -> Invitation:
    """Offer a match. When all others are bots nobody has to be asked: it is made, and begun, at once.

    Raises LeagueError `invitation.seats`, `invitation.self`, `invitation.twice`, `invitation.mode`, `invitation.rated`,
    `invitation.clock`, `invitation.too_many`, `seek_open`, `pair_limit`; BadMatch `match.clock`;
    AccountsError `too_often`.
    """
    now = timezone.now()
    _check(by, order, now)
    rates.spend(what="invitation", who=by.pk, limit=MOST_AN_HOUR, seconds=3600)
    try:
        with transaction.atomic():
            lock_one(Player.objects.filter(pk=by.pk))
            mine = Invitation.objects.filter(by=by, state=InvitationState.OPEN, expires_at__gt=now)
            if mine.count() >= MOST_OPEN:
                raise LeagueError(
                    "invitation.too_many",
                    _("You have %(count)d open invitations: withdraw some first."),
                    count=MOST_OPEN,
                )
            if order.kind == InvitationKind.SEEK:
                _expire(lock(Invitation.objects.filter(by=by, kind=order.kind, state="open", expires_at__lte=now)))
            invitation = Invitation.objects.create(
                code=secrets.token_urlsafe(CODE_BYTES),
                kind=order.kind,
                by=by,
                rules=order.rules.code,
                clock=order.clock,
                mode=order.mode,
                visibility=order.visibility,
                expires_at=now + LIFETIME[order.kind],
            )
            InvitationSeat.objects.bulk_create(
                [
                    InvitationSeat(invitation=invitation, index=0, player=by, state=SeatAnswer.ACCEPTED),
                    *(_seat(invitation, index, wish) for index, wish in enumerate(order.wishes, start=1)),
                ]
            )
            if all(wish.version is not None for wish in order.wishes):
                start_match(match=_complete(invitation))
            else:
                _tell_asked(invitation)
    except IntegrityError as error:
        if "invitation_one_open_seek_a_person" not in str(error):
            raise
        raise LeagueError("seek_open", _("You have an open seek already: withdraw it first.")) from error
    return invitation


def _seat(invitation: Invitation, index: int, wish: Wish) -> InvitationSeat:
    if wish.version is not None:
        state = SeatAnswer.ACCEPTED
    else:
        state = SeatAnswer.OPEN if wish.player is None else SeatAnswer.ASKED
    return InvitationSeat(invitation=invitation, index=index, player=wish.player, version=wish.version, state=state)


def _check(by: Player, order: InvitationOrder, now: datetime) -> None:
    people = [wish.player for wish in order.wishes if wish.player is not None and wish.version is None]
    if by.kind != PlayerKind.HUMAN or len(order.wishes) != order.rules.n - 1:
        raise LeagueError("invitation.seats", _("Name who sits at each seat of the table."), status=422)
    if by in people:
        raise LeagueError("invitation.self", _("You cannot challenge yourself."), status=422)
    if len(set(people)) < len(people):
        raise LeagueError("invitation.twice", _("A person can be asked for one seat only."), status=422)
    if any(person.kind != PlayerKind.HUMAN for person in people):
        raise LeagueError("invitation.seats", _("Name who sits at each seat of the table."), status=422)
    if order.mode not in (MatchMode.CASUAL, MatchMode.RATED):
        raise LeagueError("invitation.mode", _("A match between people is casual or rated."), status=422)
    is_against_people = any(wish.version is None for wish in order.wishes)
    if parse_clock(order.clock) is None and is_against_people:
        raise LeagueError("invitation.clock", _("Between people a clock is needed: choose one."), status=422)
    if order.mode == MatchMode.RATED:
        is_fair = not order.rules.first_dealer.startswith("seat:")  # who deals second leads: that is drawn by lot
        if any(wish.version is not None for wish in order.wishes) or not (is_fair and is_rateable(order.rules)):
            raise LeagueError(
                "invitation.rated",
                _("Only best of 3, 5 or 7 between two people, by the usual rules, counts for Elo: make it casual."),
                status=422,
            )
        if people and pair_limit.is_reached(by, people[0], now=now):
            raise pair_limit_reached()


def pair_limit_reached() -> LeagueError:
    """Said of a rated challenge that would not count any more."""
    return LeagueError(
        "pair_limit",
        _("You two have played %(count)d rated matches in 24 hours: the next one would not count. Make it casual."),
        count=pair_limit.MOST,
    )


# -- answers


def accept(*, invitation: Invitation, actor: User, seat: int | None = None) -> Invitation:
    """Take the seat that one was asked for, or a free one (`seat`, else the first); again: nothing changes.

    Raises LeagueError `taken`, `declined`, `withdrawn`, `expired`, `invitation.own`; NotAllowed `invitation.not_asked`.
    """
    player = actor.player
    with transaction.atomic():
        row = lock_one(Invitation.objects.filter(pk=invitation.pk))
        seats = list(row.seats.select_related("player", "version").order_by("index"))
        if any(one.player_id == player.pk and one.state == SeatAnswer.ACCEPTED for one in seats):
            if row.by_id == player.pk and row.state == InvitationState.OPEN:
                raise LeagueError("invitation.own", _("This is your own invitation: send it to somebody else."))
            return row
        must_be_open(row)
        found = _free_seat(seats, player, seat)
        found.player, found.state = player, SeatAnswer.ACCEPTED
        found.save(update_fields=["player", "state"])
        if all(one.state == SeatAnswer.ACCEPTED for one in seats):
            _complete(row)
            _tell_taken(row, seats, player)
        else:
            _tell_state(row, [one.player for one in seats])
    return row


def must_be_open(invitation: Invitation, *, now: datetime | None = None) -> None:
    """Raises LeagueError by the name of the state in which an invitation can no longer be answered."""
    now = now or timezone.now()
    state = invitation.state
    if state == InvitationState.OPEN and invitation.expires_at <= now:
        state = InvitationState.EXPIRED
    if state == InvitationState.OPEN:
        return
    said = {
        InvitationState.TAKEN: _("Somebody was quicker: the seats are taken."),
        InvitationState.DECLINED: _("The invitation was declined."),
        InvitationState.WITHDRAWN: _("The invitation was withdrawn."),
        InvitationState.EXPIRED: _("The invitation has expired: ask for a new one."),
    }
    raise LeagueError(state, said[InvitationState(state)])


def _free_seat(seats: Sequence[InvitationSeat], player: Player, wanted: int | None) -> InvitationSeat:
    """The seat of the player, or one that is free for anybody."""
    for one in seats:
        if one.player_id == player.pk and one.state == SeatAnswer.ASKED:
            return one
    free = [one for one in seats if one.state == SeatAnswer.OPEN]
    if not free and any(one.state == SeatAnswer.ASKED for one in seats):
        raise NotAllowed("invitation.not_asked", _("This invitation is for somebody else."))
    chosen = [one for one in free if wanted is None or one.index == wanted]
    if not chosen:
        raise LeagueError("taken", _("This seat is taken: choose another one."))
    return chosen[0]


def decline(*, invitation: Invitation, actor: User) -> Invitation:
    """Say no to being asked by name; the invitation is over for all. Again: nothing changes.

    Raises LeagueError as `must_be_open`, NotAllowed `invitation.not_asked`.
    """
    player = actor.player
    with transaction.atomic():
        row = lock_one(Invitation.objects.filter(pk=invitation.pk))
        seats = list(row.seats.select_related("player").order_by("index"))
        mine = next((one for one in seats if one.player_id == player.pk), None)
        if mine is not None and mine.state == SeatAnswer.DECLINED:
            return row
        must_be_open(row)
        if mine is None or mine.index == 0:
            raise NotAllowed("invitation.not_asked", _("This invitation is for somebody else."))
        mine.state = SeatAnswer.DECLINED
        mine.save(update_fields=["state"])
        _close(row, InvitationState.DECLINED)
        _tell_state(row, [one.player for one in seats])
        notices.notify(users=_users([row.by]), kind="challenge_declined", url=row.get_absolute_url(), name=player.name)
    return row


def withdraw(*, invitation: Invitation, actor: User) -> Invitation:
    """Take one's own invitation back. Again: nothing changes. Raises as `must_be_open`, NotAllowed `not_yours`."""
    with transaction.atomic():
        row = lock_one(Invitation.objects.filter(pk=invitation.pk))
        if row.by_id != actor.player.pk:
            raise NotAllowed("invitation.not_yours", _("Only who made an invitation can withdraw it."))
        if row.state != InvitationState.WITHDRAWN:
            must_be_open(row)
            _close(row, InvitationState.WITHDRAWN)
            _tell_state(row, [one.player for one in row.seats.select_related("player")])
    return row


# -- what happens by itself


def sweep() -> int:
    """Expire what nobody has answered, void what nobody has begun; the number of both. May run at any time."""
    now = timezone.now()
    with transaction.atomic():
        late = Invitation.objects.filter(state=InvitationState.OPEN, expires_at__lte=now)
        done = _expire(list(late.select_for_update(skip_locked=True, no_key=True, of=("self",)).order_by("pk")[:500]))
    idle = Match.objects.filter(state=MatchState.PLANNED, invitation__isnull=False, created_at__lte=now - START_WITHIN)
    for match in idle.order_by("pk")[:500]:
        done += _void(match)
    return done


def _void(match: Match) -> int:
    with transaction.atomic():
        row = lock_one(Match.objects.filter(pk=match.pk))
        if row.state != MatchState.PLANNED:
            return 0
        match_verbs.void(match=row, reason=NOT_STARTED)
    return 1


def _expire(rows: Sequence[Invitation]) -> int:
    for row in rows:
        _close(row, InvitationState.EXPIRED)
        if row.kind != InvitationKind.REMATCH:
            _tell_state(row, [one.player for one in row.seats.select_related("player")])
    return len(rows)


def _close(row: Invitation, state: InvitationState) -> None:
    advance(row, state, table=INVITATION_TRANSITIONS)
    row.save(update_fields=["state"])


def _complete(row: Invitation) -> Match:
    """Every seat has somebody: make the match. Bots play with the version that is active now."""
    seats = row.seats.select_related("player__bot__active_version", "version").order_by("index")
    match = make_match(
        rules=Rules.parse(row.rules),
        clock=row.clock,
        mode=MatchMode(row.mode),
        visibility=Visibility(row.visibility),
        sitters=[_sitter(seat) for seat in seats],
    )
    row.match = match
    advance(row, InvitationState.TAKEN, table=INVITATION_TRANSITIONS)
    row.save(update_fields=["state", "match"])
    return match


def _sitter(seat: InvitationSeat) -> Sitter:
    assert seat.player is not None
    if seat.version is None:
        return Sitter(seat.player)
    active = seat.player.bot.active_version
    is_able = active is not None and active.state == VersionState.QUALIFIED
    if not is_able:
        raise LeagueError(
            "no_bot", _("%(name)s does not play at the moment: choose another opponent."), name=seat.player.name
        )
    return Sitter(seat.player, active)


# -- telling


def _users(players: Sequence[Player | None]) -> list[User]:
    return [player.user for player in players if player is not None and player.user is not None]


def _tell_asked(row: Invitation) -> None:
    """Those who were asked by name."""
    seats = row.seats.filter(state=SeatAnswer.ASKED).select_related("player__user")
    asked = _users([seat.player for seat in seats])
    notices.notify(users=asked, kind="challenged", url=row.get_absolute_url(), name=row.by.name)
    for user in asked:
        live.publish_to_user(user.pk, "invited", {"code": row.code})


def _tell_taken(row: Invitation, seats: Sequence[InvitationSeat], last: Player) -> None:
    """The others: their table is ready. Who made the invitation finds it in the inbox too."""
    assert row.match is not None
    notices.notify(users=_users([row.by]), kind="challenge_accepted", url=table_address(row.match), name=last.name)
    _tell_state(row, [one.player for one in seats if one.player_id != last.pk])


def _tell_state(row: Invitation, players: Sequence[Player | None]) -> None:
    told = {"code": row.code, "state": row.state, "match": row.match.code if row.match is not None else None}
    for user in _users(players):
        live.publish_to_user(user.pk, "invitation", told)
