"""Reading test games."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import CharField, Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat

from accounts.models import User
from bots.models import Bot, BotSeat, BotVersion, Fault, TestGame, VersionState
from games.models import Match, MatchState

_OPEN = (MatchState.PLANNED, MatchState.QUEUED, MatchState.PLAYING)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchLine:
    """A match of a test game; `is_won` from the view of the tested version: None when drawn, void or not over.

    `faults` counts its own.
    """

    match: Match
    number: int
    score: tuple[int, ...]
    is_won: bool | None
    faults: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TestGamePage:
    """Where a test game stands. `won drawn lost` count matches of the tested version."""

    __test__ = False

    game: TestGame
    lines: tuple[MatchLine, ...]
    won: int
    drawn: int
    lost: int
    over: int

    @property
    def total(self) -> int:
        """Matches in all."""
        return len(self.lines)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to play."""
        return self.over == self.total

    @property
    def seen(self) -> str:
        """Changes whenever the page would."""
        return "-".join(f"{line.match.state[0]}{''.join(map(str, line.match.score))}" for line in self.lines)


def with_group(games: QuerySet[TestGame]) -> QuerySet[TestGame]:
    """Annotate the work group as the database knows it."""
    return games.annotate(work=Concat(Value("x:"), Cast("pk", CharField()), output_field=CharField()))


def unfinished(user: User) -> QuerySet[TestGame]:
    """The test games of a person with matches to play; one query."""
    open_matches = Match.objects.filter(group=OuterRef("work"), state__in=_OPEN)
    return with_group(TestGame.objects.filter(by=user)).filter(Exists(open_matches))


def of_bot(bot: Bot) -> QuerySet[TestGame]:
    """The test games that a bot's people asked for, the newest first; one query."""
    rows = TestGame.objects.filter(version__bot=bot)
    return rows.select_related("version__bot__player", "opponent__bot__player", "by").order_by("-pk")


def pages(games: Iterable[TestGame]) -> list[TestGamePage]:
    """Where test games stand; three queries for any number."""
    rows = list(games)
    matches = Match.objects.filter(group__in=[game.group for game in rows]).defer("seed").order_by("pk")
    by_group: dict[str, list[Match]] = {}
    for match in matches:
        by_group.setdefault(match.group, []).append(match)
    found = [match.pk for group in by_group.values() for match in group]
    seats = BotSeat.objects.filter(seat__match__in=found)
    sides: dict[tuple[int, int], int] = {}
    for match_id, side, version in seats.order_by("-seat__index").values_list(
        "seat__match_id", "seat__side", "version_id"
    ):
        sides[match_id, version] = side
    faults = Counter(Fault.objects.filter(match__in=found).order_by().values_list("match_id", "version_id"))
    return [_page(game, by_group.get(game.group, []), sides, faults) for game in rows]


def _page(
    game: TestGame, matches: list[Match], sides: dict[tuple[int, int], int], faults: Mapping[tuple[int, int], int]
) -> TestGamePage:
    lines = []
    for number, match in enumerate(matches):
        # A version against itself: it sits first in the first match of each pair, second in the second.
        side = number % 2 if game.version_id == game.opponent_id else sides.get((match.pk, game.version_id), 0)
        is_won = None if match.winner_side is None else match.winner_side == side
        score = tuple(match.score) if side == 0 else tuple(reversed(match.score))
        own = faults.get((match.pk, game.version_id), 0) if match.is_over else 0
        lines.append(MatchLine(match=match, number=number + 1, score=score, is_won=is_won, faults=own))
    finished = [line for line in lines if line.match.state == MatchState.FINISHED]
    return TestGamePage(
        game=game,
        lines=tuple(lines),
        won=sum(line.is_won is True for line in finished),
        drawn=sum(line.is_won is None for line in finished),
        lost=sum(line.is_won is False for line in finished),
        over=sum(line.match.is_over for line in lines),
    )


def opponents(bot: Bot, user: User) -> list[BotVersion]:
    """Whom a bot may meet: active versions of bots that allow it, and all qualified ones of those one runs; a query."""
    own = Q(bot__owner=user) | Q(bot__mates__user=user, bot__mates__accepted_at__isnull=False) | Q(bot=bot)
    others = Q(bot__allows_tests=True, bot__active_version=F("pk"))
    rows = BotVersion.objects.filter(own | others, state=VersionState.QUALIFIED, bot__deleted_at__isnull=True)
    return list(rows.select_related("bot__player").defer("report").distinct().order_by("bot__player__name", "-number"))
