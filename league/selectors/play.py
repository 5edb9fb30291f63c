"""Reading for who wants to play: running games, open seeks, challenges, bots to play against."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.utils import timezone

from bots.house import HOUSE
from bots.models import Bot, VersionState
from games.models import Match, MatchMode, MatchState, Player, PlayerKind, Seat
from league.models import Invitation, InvitationKind, InvitationSeat, InvitationState, RatingCurrent, SeatAnswer
from league.selectors.ratings import ESTABLISHED, START_M, pool_code, shown_of_versions, whole

#: The levels of practice, weakest first: file names of house bots.
LEVELS: Final = ("principiante", "medio", "esperto")
SHOWN: Final = 50
NOW: Final = 6
_RUNNING: Final = (MatchState.PLANNED, MatchState.PLAYING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Game:
    """A game that somebody has begun: who else sits there, how it stands."""

    match: Match
    others: str
    table: str

    @property
    def is_practice(self) -> bool:
        """Whether it is a game against bots that counts nowhere."""
        return self.match.mode == MatchMode.PRACTICE


def table_address(match: Match) -> str:
    """Where the match is played and watched."""
    return f"{match.get_absolute_url()}table/"


def running(player: Player | None) -> list[Game]:
    """The games that this player has begun and not ended, the newest first; two queries."""
    if player is None:
        return []
    rows = _with_seats(Match.objects.filter(seats__player=player, state__in=_RUNNING)).order_by("-pk")
    return [_game(match, player) for match in rows[:SHOWN]]


def open_practice(player: Player) -> Match | None:
    """The practice game that is not over; one query."""
    return Match.objects.filter(seats__player=player, mode=MatchMode.PRACTICE, state__in=_RUNNING).first()


def last_practice(player: Player | None) -> Match | None:
    """The game of practice that was begun last, with its seats; two queries."""
    if player is None:
        return None
    return _with_seats(Match.objects.filter(seats__player=player, mode=MatchMode.PRACTICE)).order_by("-pk").first()


def people_now() -> list[Game]:
    """Tables in public where somebody plays now, the newest first; two queries."""
    person = Exists(Seat.objects.filter(match=OuterRef("pk"), player__kind=PlayerKind.HUMAN))
    rows = _with_seats(Match.objects.listed().filter(person, state=MatchState.PLAYING)).order_by("-started_at", "-pk")
    return [_game(match, None) for match in rows[:NOW]]


def _with_seats(rows: QuerySet[Match]) -> QuerySet[Match]:
    seats = Prefetch("seats", Seat.objects.select_related("player").order_by("index"))
    return rows.prefetch_related(seats).defer("seed")


def _game(match: Match, me: Player | None) -> Game:
    sides: dict[int, list[str]] = {}
    for seat in match.seats.all():
        if me is None or seat.player_id != me.pk:
            sides.setdefault(seat.side, []).append(seat.player.name)
    joint = " – " if me is None else ", "
    return Game(
        match=match, others=joint.join(" + ".join(names) for names in sides.values()), table=table_address(match)
    )


# -- invitations


def find(code: str) -> Invitation | None:
    """The invitation of a code, with all that its page shows; two queries."""
    return _with_invited(Invitation.objects.filter(code=code)).first()


def open_seeks(*, now: datetime | None = None) -> QuerySet[Invitation]:
    """Seeks that somebody may take, the newest first; two queries."""
    live = Q(kind=InvitationKind.SEEK, state=InvitationState.OPEN, expires_at__gt=now or timezone.now())
    return _with_invited(Invitation.objects.filter(live)).order_by("-pk")[:SHOWN]


def challenges(player: Player) -> QuerySet[Invitation]:
    """What waits for an answer of this player, the newest first; two queries."""
    asked = InvitationSeat.objects.filter(player=player, state=SeatAnswer.ASKED).values("invitation")
    rows = Invitation.objects.filter(pk__in=asked, state=InvitationState.OPEN, expires_at__gt=timezone.now())
    return _with_invited(rows.exclude(kind=InvitationKind.REMATCH)).order_by("-pk")[:SHOWN]


def made_by(player: Player) -> QuerySet[Invitation]:
    """What this player has offered and nobody has answered yet, the newest first; two queries."""
    rows = Invitation.objects.filter(by=player, state=InvitationState.OPEN, expires_at__gt=timezone.now())
    return _with_invited(rows.exclude(kind=InvitationKind.REMATCH)).order_by("-pk")[:SHOWN]


def _with_invited(rows: QuerySet[Invitation]) -> QuerySet[Invitation]:
    seats = Prefetch("seats", InvitationSeat.objects.select_related("player", "version").order_by("index"))
    return rows.select_related("by", "match").prefetch_related(seats)


# -- who can be played against


def published_bots() -> QuerySet[Bot]:
    """Bots that sit down with anybody, by name; one query."""
    playing = Bot.objects.filter(active_version__state=VersionState.QUALIFIED, deleted_at__isnull=True)
    return playing.select_related("player", "active_version").order_by("player__name", "pk")


def house_bot(level: str) -> Bot | None:
    """The house bot of a level; None while it is not qualified here. One query."""
    return published_bots().filter(is_house=True, player__name=HOUSE[level]).first()


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A level of practice: the house bot that plays it, its whole Elo once it was rated, None before it is there."""

    name: str
    bot: Bot | None
    elo: int | None
    is_provisional: bool


def levels() -> list[Level]:
    """The levels of practice, weakest first; two queries."""
    names = {HOUSE[name]: name for name in LEVELS}
    bots = {names[bot.player.name]: bot for bot in published_bots().filter(is_house=True, player__name__in=names)}
    shown = shown_of_versions([bot.active_version for bot in bots.values() if bot.active_version], league=None)
    return [_level(name, bots.get(name), shown) for name in LEVELS]


def _level(name: str, bot: Bot | None, shown: Mapping[int, Mapping[str, Any]]) -> Level:
    found = shown.get(bot.active_version_id or 0, {}) if bot is not None else {}
    elo = found["rating"] if found.get("n") else None
    return Level(name=name, bot=bot, elo=elo, is_provisional=bool(found.get("provisional")))


def people_named(text: str) -> list[Player]:
    """The people with this address or name, two at most: who has the address exactly as written stands alone."""
    people = Player.objects.filter(kind=PlayerKind.HUMAN, user__is_active=True).select_related("user")
    found = list(people.filter(Q(slug=text.lower()) | Q(name__iexact=text)).order_by("pk")[:3])
    return [player for player in found if player.slug == text][:1] or found[:2]


def shown_of_people(players: Sequence[Player]) -> dict[int, dict[str, Any]]:
    """What a match shows of people: whole Elo, provisional; by primary key, one query."""
    rows = RatingCurrent.objects.filter(pool__code=pool_code("human", None), player__in=players)
    found = {pk: (rating_m, n) for pk, rating_m, n in rows.values_list("player_id", "rating_m", "n")}
    return {player.pk: _shown(*found.get(player.pk, (START_M, 0))) for player in players}


def ratings_of(invitations: Iterable[Invitation]) -> dict[int, dict[str, Any]]:
    """The same of who made these invitations."""
    return shown_of_people(list({one.by_id: one.by for one in invitations}.values()))


def _shown(rating_m: int, n: int) -> dict[str, Any]:
    return {"rating": whole(rating_m), "provisional": n < ESTABLISHED, "n": n}
