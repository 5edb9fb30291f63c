"""Another match of the same players, seats exchanged: made when all people at the table have asked for it in time."""

import secrets
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.foundation import advance, lock_one
from bots.house import HOUSE
from games import live
from games.engine import Rules
from games.errors import TableError
from games.models import Match, MatchMode, MatchState, PlayerKind, Seat, Visibility
from games.services.deals import start_match
from league.errors import LeagueError
from league.models import (
    INVITATION_TRANSITIONS,
    Invitation,
    InvitationKind,
    InvitationSeat,
    InvitationState,
    SeatAnswer,
)
from league.selectors.play import LEVELS, open_practice
from league.services import practice
from league.services.invitations import CODE_BYTES
from league.services.seating import Sitter, make_match

#: How long after the end of a match it may be asked for.
OPEN_FOR: Final = timedelta(seconds=60)
_MODES: Final = (MatchMode.PRACTICE, MatchMode.CASUAL, MatchMode.RATED)


def ask(*, match: Match, seat: int, address: str = "") -> dict[str, Any]:
    """Ask for a rematch: `{waiting: [seats]}`, or `{code}` of the new match, begun, once everybody has asked.

    Asking again changes nothing. A guest's game is counted at `address`, where the request comes from. Raises
    TableError `rematch_not_here` (403), `not_over`, `rematch_closed`, LeagueError `practice_open`, `no_bot`, and for
    guests as `practice.may_begin`.
    """
    with transaction.atomic():
        row = lock_one(Match.objects.filter(pk=match.pk))
        if row.mode not in _MODES:
            raise TableError(
                "rematch_not_here", _("Matches of a tournament have no rematch: its rounds decide."), status=403
            )
        if row.state != MatchState.FINISHED or row.finished_at is None:
            raise TableError("not_over", _("A rematch can be asked for when the match is over."))
        invitation = Invitation.objects.filter(rematch_of=row).select_related("match").first()
        if invitation is not None and invitation.match is not None:
            return {"code": invitation.match.code}
        if timezone.now() > row.finished_at + OPEN_FOR:
            raise TableError(
                "rematch_closed", _("A rematch can be asked for within a minute: challenge your opponent instead.")
            )
        seated = _seated(row)
        if seated[seat].player.kind == PlayerKind.GUEST:
            practice.may_begin(address=address, level=_level(seated))
        invitation = invitation or _open(row, seated, seat)
        mine = seated[seat].player
        own = invitation.seats.filter(player=mine, state=SeatAnswer.ASKED)
        is_news = own.update(state=SeatAnswer.ACCEPTED) > 0
        waiting = _waiting(invitation, seated)
        if not is_news:
            return {"waiting": waiting}
        row.live_seq += 1
        row.save(update_fields=["live_seq"])
        if waiting:
            live.publish(row, "rematch", {"by": seat})
            return {"waiting": waiting}
        made = _make(row, invitation, seated)
        live.publish(row, "rematch", {"by": seat, "code": made.code})
        return {"code": made.code}


def _seated(match: Match) -> list[Seat]:
    seats = match.seats.select_related("player__bot__active_version", "bot_seat__version")
    return list(seats.order_by("index"))


def _level(seated: list[Seat]) -> str:
    """The level of the house bot that plays."""
    names = {one.player.name for one in seated}
    return next((level for level in LEVELS if HOUSE[level] in names), "")


def _open(match: Match, seated: list[Seat], seat: int) -> Invitation:
    """The invitation of a match to its own players; bots have nothing against it."""
    assert match.finished_at is not None
    invitation = Invitation.objects.create(
        code=secrets.token_urlsafe(CODE_BYTES),
        kind=InvitationKind.REMATCH,
        by=seated[seat].player,
        rules=match.rules,
        clock=match.clock,
        mode=match.mode,
        visibility=match.visibility,
        expires_at=match.finished_at + OPEN_FOR,
        rematch_of=match,
    )
    count = len(seated)
    InvitationSeat.objects.bulk_create(
        InvitationSeat(
            invitation=invitation,
            index=(one.index + 1) % count,
            player=one.player,
            version=_version(one),
            state=SeatAnswer.ASKED if _version(one) is None else SeatAnswer.ACCEPTED,
        )
        for one in seated
    )
    return invitation


def _version(seat: Seat) -> Any:
    bot_seat = getattr(seat, "bot_seat", None)
    return None if bot_seat is None else bot_seat.version


def _waiting(invitation: Invitation, seated: list[Seat]) -> list[int]:
    """The seats, of the match that is over, whose people have not asked yet."""
    asked = invitation.seats.filter(state=SeatAnswer.ASKED).values_list("player_id", flat=True)
    missing = set(asked)
    return [one.index for one in seated if one.player_id in missing]


def _make(match: Match, invitation: Invitation, seated: list[Seat]) -> Match:
    """Make the match and begin it: everybody has just asked for it."""
    if match.mode == MatchMode.PRACTICE and any(
        _version(one) is None and open_practice(one.player) is not None for one in seated
    ):
        raise LeagueError("practice_open", _("You have a game in play. Resume it first."))
    made = make_match(
        rules=Rules.parse(match.rules),
        clock=match.clock,
        mode=MatchMode(match.mode),
        visibility=Visibility(match.visibility),
        sitters=[Sitter(one.player, _playing(one)) for one in [*seated[-1:], *seated[:-1]]],
    )
    invitation.match = made
    advance(invitation, InvitationState.TAKEN, table=INVITATION_TRANSITIONS)
    invitation.save(update_fields=["state", "match"])
    return start_match(match=made)


def _playing(seat: Seat) -> Any:
    """The version that a bot plays with now; it may have another one since."""
    if _version(seat) is None:
        return None
    active = seat.player.bot.active_version
    if active is None:
        raise LeagueError(
            "no_bot", _("%(name)s does not play at the moment: choose another opponent."), name=seat.player.name
        )
    return active
