"""Reading matches: the history with its filters, a line of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from bots.models import Fault
from games.models import Match, MatchOutcome, MatchState, Player, PlayerKind, Seat
from league.models import League, PairingMatch, Tournament
from league.permissions import Viewer
from league.selectors import leagues, tournaments
from league.selectors.keyset import Column, Kind

#: What a list shows: word in the address -> states.
STATES: Final = {
    "finished": (MatchState.FINISHED,),
    "playing": (MatchState.PLAYING,),
    "waiting": (MatchState.PLANNED, MatchState.QUEUED),
    "void": (MatchState.VOID,),
}
#: Results that a list can be narrowed to; won and lost are a player's.
RESULTS: Final = ("won", "lost", "drawn", "fault")
NEWEST: Final = (Column("finished_at", is_descending=True, kind=Kind.MOMENT), Column("pk", is_descending=True))
UNFINISHED: Final = (Column("pk", is_descending=True),)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchFilter:
    """What somebody looks for; `unknown_player` is a name that nobody has: then nothing is found."""

    state: str = "finished"
    result: str = ""
    player: Player | None = None
    league: League | None = None
    tournament: Tournament | None = None
    unknown_player: str = ""

    @property
    def order(self) -> Sequence[Column]:
        """The columns that order the list: when a match ended, or when it was made."""
        return NEWEST if self.state in {"finished", "void"} else UNFINISHED

    @property
    def is_narrow(self) -> bool:
        """Whether anything but the newest results is asked for."""
        return self != MatchFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A side of a match in a list: `rating` as it was shown when the match was made, "1512?" while provisional."""

    name: str
    kind: str
    url: str
    version: str
    rating: str
    wins: int | None
    is_winner: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRow:
    """A line of the history. `place` ties it to its tournament, None outside one."""

    match: Match
    sides: tuple[Side, ...]
    place: PairingMatch | None
    at: datetime

    @property
    def tournament(self) -> Tournament | None:
        """The tournament that it belongs to."""
        return self.place.pairing.stage.tournament if self.place else None

    @property
    def round_number(self) -> int | None:
        """The round of the tournament."""
        return self.place.pairing.round.number if self.place and self.place.pairing.round else None

    @property
    def score(self) -> str:
        """Deals won by side: `2–1`; empty before the first."""
        return "–".join(str(side.wins) for side in self.sides) if self.match.score else ""


def history(wanted: MatchFilter) -> QuerySet[Match]:
    """The public matches that a filter names, with all that a line shows (two queries); the caller orders them."""
    rows = Match.objects.listed().filter(state__in=STATES[wanted.state])
    if wanted.unknown_player:
        return rows.none()
    if wanted.state in {"finished", "void"}:
        rows = rows.filter(finished_at__isnull=False)  # the index of the history starts there
    if wanted.player is not None:
        rows = rows.filter(Exists(_seats(wanted.player)))
    if wanted.tournament is not None:
        rows = rows.filter(pairing_match__pairing__stage__tournament=wanted.tournament)
    elif wanted.league is not None:
        rows = rows.filter(pairing_match__pairing__stage__tournament__league=wanted.league)
    return with_lines(rows.filter(_result(wanted)))


def _seats(player: Player) -> QuerySet[Seat]:
    return Seat.objects.filter(match=OuterRef("pk"), player=player)


def _result(wanted: MatchFilter) -> Q:
    if wanted.result == "drawn":
        return Q(outcome=MatchOutcome.DRAWN)
    if wanted.result == "fault":
        return Q(Exists(Fault.objects.filter(match=OuterRef("pk"))))
    if wanted.result in {"won", "lost"} and wanted.player is not None:
        own = Exists(_seats(wanted.player).filter(side=OuterRef("winner_side")))
        return Q(outcome=MatchOutcome.WON) & (Q(own) if wanted.result == "won" else ~Q(own))
    return Q()


def with_lines(rows: QuerySet[Match]) -> QuerySet[Match]:
    """Load what a line shows: seats with players, round, tournament and league; two queries in all."""
    tournament = "pairing_match__pairing__stage__tournament"
    seats = Prefetch("seats", Seat.objects.select_related("player").order_by("index"))
    found = rows.select_related("pairing_match__pairing__round", f"{tournament}__league").prefetch_related(seats)
    return found.defer("seed", f"{tournament}__about", f"{tournament}__league__about")


def row_of(match: Match) -> MatchRow:
    """The line of a match that `with_lines` loaded."""
    by_side: dict[int, list[Seat]] = {}
    for seat in match.seats.all():
        by_side.setdefault(seat.side, []).append(seat)
    return MatchRow(
        match=match,
        sides=tuple(_side(match, side, by_side[side]) for side in sorted(by_side)),
        place=getattr(match, "pairing_match", None),
        at=match.finished_at or match.started_at or match.created_at,
    )


def _side(match: Match, side: int, seats: Sequence[Seat]) -> Side:
    first = seats[0]
    return Side(
        name=" + ".join(seat.player.name for seat in seats),
        kind=first.player.kind,
        url=first.player.get_absolute_url() if first.player.kind != PlayerKind.GUEST else "",
        version=str(first.shown.get("version", "")),
        rating=shown_rating(first),
        wins=match.score[side] if side < len(match.score) else None,
        is_winner=match.winner_side == side,
    )


def shown_rating(seat: Seat) -> str:
    """The rating that a seat showed when its match was made: "1512", "1512?" while provisional, empty without one."""
    rating = seat.shown.get("rating")
    return "" if rating is None else f"{rating}{'?' if seat.shown.get('provisional') else ''}"


def player_named(text: str) -> Player | None:
    """Who has this address (`velabot`) or name, guests excepted; one query."""
    found = Player.objects.exclude(kind=PlayerKind.GUEST).filter(Q(slug=text.lower()) | Q(name__iexact=text))
    return min(found, key=lambda player: player.slug != text.lower(), default=None) if text else None


def leagues_to_choose(viewer: Viewer) -> list[League]:
    """The leagues that a filter offers, by name; one query."""
    return list(leagues.visible(viewer).filter(visibility="public").only("pk", "slug", "name").order_by("name")[:200])


def tournament_at(code: str, viewer: Viewer) -> Tournament | None:
    """The tournament that a filter names; one query."""
    return tournaments.visible(viewer).filter(code=code.lower()).first() if code else None
