"""Practice: a game against house bots, by anybody. One at a time a person; guests within limits."""

import ipaddress
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, Max, OuterRef
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.foundation import lock, lock_one
from accounts.models import User
from accounts.services import rates
from games.clocks import NO_CLOCK
from games.engine import Rules
from games.errors import TableError
from games.models import Match, MatchMode, MatchState, Player, PlayerKind, Seat, Visibility
from games.services import guests, play
from games.services import matches as match_verbs
from games.services.deals import start_match
from league.errors import LeagueError
from league.models import Invitation, InvitationSeat
from league.reasons import NOT_STARTED
from league.selectors.play import LEVELS, house_bot, open_practice
from league.services.seating import Sitter, make_match

#: Games of guests a day and address block; the strongest level counts twice, since it thinks longest.
GUEST_GAMES_A_DAY: Final = 20
COSTS: Final = {"esperto": 2}
DAY_S: Final = 24 * 3600
#: Games of guests in play on the whole site.
MOST_GUEST_GAMES: Final = 200
#: A guest who was not seen for so long is forgotten, with the games.
FORGET_AFTER: Final = timedelta(days=30)
#: Who deals first -> the engine's word; the person sits at seat 0.
DEALERS: Final = {"lot": "random", "me": "seat:0", "other": "seat:1"}
_RUNNING: Final = (MatchState.PLANNED, MatchState.PLAYING)


@dataclass(frozen=True, slots=True, kw_only=True)
class PracticeOrder:
    """The new-game panel. `level` of LEVELS, `players` 2 or 4, `dealer` of DEALERS, `first_to` 1 or 2."""

    level: str = "medio"
    players: int = 2
    signals: bool = False
    dealer: str = "lot"
    clock: str = NO_CLOCK
    first_to: int = 2

    def rules(self) -> Rules:
        """The rules of the table: the site's own."""
        rules = Rules.preset("fantacarte", self.players)
        signals = "auto" if self.signals and rules.has_partners else "none"
        return replace(rules, format=f"first_to:{self.first_to}", first_dealer=DEALERS[self.dealer], signals=signals)


def start(*, player: Player, order: PracticeOrder, leaves: bool = False) -> Match:
    """Begin a game; the first card may be played. With `leaves` the game that is on is given up for it.

    Raises LeagueError `practice_open` (a game is on), `no_bot`, BadMatch `match.clock`.
    """
    is_guest = player.kind == PlayerKind.GUEST
    with transaction.atomic():
        player = lock_one(Player.objects.filter(pk=player.pk))
        if (match := open_practice(player)) is not None:
            if not leaves:
                raise LeagueError(
                    "practice_open",
                    _("You have a game in play. Resume it, or give it up to begin another one."),
                    match=match.code,
                )
            _give_up(match, player)
        made = make_match(
            rules=order.rules(),
            clock=order.clock,
            mode=MatchMode.PRACTICE,
            visibility=Visibility.PRIVATE if is_guest else Visibility.UNLISTED,
            sitters=[Sitter(player), *(_bot(order.level) for _seat in range(order.players - 1))],
        )
        return start_match(match=made)


def start_as_guest(
    *, guest: Player | None, order: PracticeOrder, address: str, leaves: bool = False
) -> tuple[Match, str | None]:
    """The same without an account; a guest is made when there is none, and its key returned.

    Raises as `start`, and AccountsError `too_often` (429), LeagueError `busy_guests` (503).
    """
    if guest is not None and not leaves and open_practice(guest) is not None:
        return start(player=guest, order=order), None  # refused: nothing is counted
    may_begin(address=address, level=order.level)
    with transaction.atomic():
        guest, key = (guest, None) if guest is not None else guests.create()
        return start(player=guest, order=order, leaves=leaves), key


def may_begin(*, address: str, level: str) -> None:
    """Count a game of a guest at this address. Raises AccountsError `too_often`, LeagueError `busy_guests`."""
    here = Exists(Seat.objects.filter(match=OuterRef("pk"), player__kind=PlayerKind.GUEST))
    running = Match.objects.filter(here, mode=MatchMode.PRACTICE, state=MatchState.PLAYING, pause="")
    if running.count() >= MOST_GUEST_GAMES:
        raise LeagueError(
            "busy_guests",
            _("All tables for guests are taken. Sign up to play at once, or try again in a few minutes."),
            status=503,
        )
    for _game in range(COSTS.get(level, 1)):
        rates.spend(what="practice", who=address_block(address), limit=GUEST_GAMES_A_DAY, seconds=DAY_S)


def address_block(address: str) -> str:
    """What one household shares: the /24 of an IPv4 address, the /64 of an IPv6 one.

    >>> address_block("203.0.113.77"), address_block("2001:db8:1:2:3::4"), address_block("::ffff:203.0.113.77")
    ('203.0.113.0/24', '2001:db8:1:2::/64', '203.0.113.0/24')
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    prefix = 24 if found.version == 4 else 64
    return str(ipaddress.ip_network((found, prefix), strict=False))


def _bot(level: str) -> Sitter:
    bot = house_bot(level if level in LEVELS else "medio")
    if bot is None:
        raise LeagueError("no_bot", _("This bot is not ready to play yet: choose another level."))
    return Sitter(bot.player, bot.active_version)


def _give_up(match: Match, player: Player) -> None:
    """End the game for the player who leaves it."""
    seat = match.seats.get(player=player)
    row = match.deals.order_by("-number").first()
    with suppress(TableError):  # it ended meanwhile
        if row is None:
            match_verbs.void(match=match, reason=NOT_STARTED)
        else:
            play.resign(match=match, seat=seat.index, deal=row.number, scope="match")


# -- a guest who has an account now


def keep(*, guest: Player, user: User) -> int:
    """Make a guest's games those of the user's player; their number. The guest is gone afterwards."""
    with transaction.atomic():
        mine = lock_one(Player.objects.filter(user=user))
        guest = lock_one(Player.objects.filter(pk=guest.pk, kind=PlayerKind.GUEST))
        matches = Match.objects.filter(seats__player=guest)
        pks = [match.pk for match in lock(Match.objects.filter(pk__in=matches.values("pk")))]
        Seat.objects.filter(player=guest).update(player=mine)
        Match.objects.filter(pk__in=pks, visibility=Visibility.PRIVATE).update(visibility=Visibility.UNLISTED)
        InvitationSeat.objects.filter(player=guest).update(player=mine)
        Invitation.objects.filter(by=guest).update(by=mine)
        guest.delete()
    return len(pks)


def drop(*, guest: Player) -> int:
    """Delete a guest with all its games; the number of games."""
    with transaction.atomic():
        guest = lock_one(Player.objects.filter(pk=guest.pk, kind=PlayerKind.GUEST))
        rows = lock(Match.objects.filter(pk__in=Seat.objects.filter(player=guest).values("match")))
        Match.objects.filter(pk__in=[match.pk for match in rows]).delete()
        guest.delete()
    return len(rows)


def forget_unseen(*, most: int = 500) -> int:
    """Delete guests who began no game for 30 days: their cookie is void by now. Their number."""
    since = timezone.now() - FORGET_AFTER
    old = Player.objects.filter(kind=PlayerKind.GUEST, created_at__lt=since)
    unseen = old.annotate(latest=Max("seats__match__created_at")).exclude(latest__gte=since)
    return _each(list(unseen.order_by("pk")[:most]), lambda guest: drop(guest=guest))


def _each(rows: list[Player], act: Callable[[Player], object]) -> int:
    done = 0
    for row in rows:
        with suppress(Player.DoesNotExist):  # somebody else was quicker
            act(row)
            done += 1
    return done
