"""What a player has before it: the next match, why it is played, how many stand before it."""

from dataclasses import dataclass

from django.db.models import Case, Count, Exists, F, OuterRef, Q, When

from bots.models import BotSeat, BotVersion
from games.models import Match, MatchOutcome, MatchState, Player, Seat
from league.selectors.matches import MatchRow, row_of, with_lines

_WAITING = (MatchState.PLANNED, MatchState.QUEUED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """The next match of a player; `before` counts the matches of bots that were made before it and wait too.

    Its `row.place` says why it is played: the round of a tournament.
    """

    row: MatchRow
    waiting: int
    before: int

    @property
    def is_playing(self) -> bool:
        """Whether it has begun."""
        return self.row.match.state == MatchState.PLAYING

    @property
    def is_held(self) -> bool:
        """Whether its tournament is paused."""
        return self.row.match.on_hold


def ahead(player: Player) -> Ahead | None:
    """What a player has before it, of what everybody may see; None when there is nothing. Four queries at most."""
    own = Match.objects.listed().filter(seats__player=player, state__in=(*_WAITING, MatchState.PLAYING))
    is_playing = Case(When(state=MatchState.PLAYING, then=0), default=1)
    first = with_lines(own).order_by(is_playing, "on_hold", "pk").first()
    if first is None:
        return None
    counted = own.filter(state__in=_WAITING).count()
    before = 0
    if first.state != MatchState.PLAYING:
        people = Seat.objects.filter(match=OuterRef("pk"), bot_seat__isnull=True)
        earlier = Match.objects.filter(state__in=_WAITING, on_hold=False, pk__lt=first.pk)
        before = earlier.filter(~Exists(people)).count()
    return Ahead(row=row_of(first), waiting=counted, before=before)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRecord:
    """How a version did in the matches that everybody sees."""

    version: BotVersion
    won: int
    drawn: int
    lost: int

    @property
    def played(self) -> int:
        """Matches in all."""
        return self.won + self.drawn + self.lost


def records(versions: tuple[BotVersion, ...]) -> tuple[VersionRecord, ...]:
    """The record of each version that has played, in their order; one query."""
    shown = Match.objects.listed().finished()
    of_side = Q(seat__match__outcome=MatchOutcome.WON)
    rows = {
        row["version"]: row
        for row in BotSeat.objects.filter(version__in=versions, seat__match__in=shown)
        .values("version")
        .annotate(
            played=Count("pk"),
            won=Count("pk", filter=of_side & Q(seat__match__winner_side=F("seat__side"))),
            drawn=Count("pk", filter=Q(seat__match__outcome=MatchOutcome.DRAWN)),
        )
    }
    return tuple(
        VersionRecord(
            version=version,
            won=row["won"],
            drawn=row["drawn"],
            lost=row["played"] - row["won"] - row["drawn"],
        )
        for version in versions
        if (row := rows.get(version.pk))
    )
