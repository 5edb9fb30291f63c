"""Reading versions: lists, checks in words, results, games of a check."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from bots import upload_texts
from bots.house import HOUSE
from bots.limits import LOST_WINDOW, MAX_LOST, RETURNED
from bots.models import Bot, BotVersion, QualifyGame, QualifyState, VersionState
from bots.selectors.move_times import MoveTimes


@dataclass(frozen=True, slots=True)
class Check:
    """One check in the reader's language. `place` is `file:line` or empty; the log is private."""

    check: str
    ok: bool
    is_remark: bool
    title: str
    message: str
    place: str
    what_to_do: str
    ms: int
    log: str
    request: str
    answer: str

    @property
    def seconds(self) -> float:
        """How long it took, s."""
        return self.ms / 1000


@dataclass(frozen=True, slots=True)
class Result:
    """What a version reached against one opponent: `score` in thousandths of the deals, `difference` in points."""

    opponent: str
    deals: int
    score: int
    difference: int

    @property
    def percent(self) -> float:
        """The score in per cent."""
        return self.score / 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary(MoveTimes):
    """The end of a check: results by opponent, and the times of its moves."""

    results: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class Games:
    """The deals of a version against one opponent."""

    opponent: str
    games: tuple[QualifyGame, ...]


def of_bot(bot: Bot) -> QuerySet[BotVersion]:
    """All versions of a bot, the newest first, without their reports."""
    return bot.versions.select_related("bot__player").defer("report").order_by("-number")


def checks(version: BotVersion) -> tuple[Check, ...]:
    """Every check of a version that has been made, in order."""
    return tuple(_check(row) for row in version.report)


def _check(row: dict[str, Any]) -> Check:
    params = row.get("params") or {}
    code, file, line = row.get("code", ""), row.get("file", ""), row.get("line")
    return Check(
        check=row["check"],
        ok=row["ok"],
        is_remark=row["ok"] and bool(row.get("what_to_do")),
        title=upload_texts.title(row["check"]),
        message=upload_texts.sentence(code, params),
        place=f"{file}:{line}" if file and line else "",
        what_to_do=upload_texts.advice(row.get("what_to_do", ""), params),
        ms=row.get("ms", 0),
        log=row.get("log", ""),
        request=row.get("request", ""),
        answer=row.get("answer", ""),
    )


def summary(version: BotVersion) -> Summary | None:
    """What the last step of the check says; None before it, and for a version that did not come to play."""
    last = version.report[-1] if version.report else {}
    params = last.get("params") or {}
    if last.get("check") != "verdict" or not params.get("moves"):
        return None
    results = tuple(
        Result(HOUSE.get(name, name), params[key], params.get(f"score_{name}", 0), params.get(f"difference_{name}", 0))
        for key, name in ((f"deals_{name}", name) for name in HOUSE)
        if key in params
    )
    times = {name: params[name] for name in ("moves", "p50_us", "p95_us", "max_us")}
    return Summary(results=results, **times)


def games(version: BotVersion) -> tuple[Games, ...]:
    """The deals of the last check that played any, by opponent."""
    rows = list(
        QualifyGame.objects.filter(run__version=version)
        .only("run", "step", "number", "opponent", "seat", "points", "winner_side", "termination", "fault_seat")
        .order_by("-run_id", "opponent", "number")
    )
    last: Sequence[QualifyGame] = [row for row in rows if row.run_id == rows[0].run_id]
    opponents = dict.fromkeys(row.opponent for row in sorted(last, key=lambda row: row.pk))
    return tuple(
        Games(upload_texts.opponent(name), tuple(row for row in last if row.opponent == name)) for name in opponents
    )


def last_games(version: BotVersion) -> QuerySet[QualifyGame]:
    """The deals of the last check that played any, with their cards; none while a check is open. Two queries."""
    if is_undecided(version):
        return QualifyGame.objects.none()
    last = QualifyGame.objects.filter(run__version=version).order_by("-run_id").values("run_id")[:1]
    return QualifyGame.objects.filter(run_id__in=last)


def waits_after_losses(version: BotVersion) -> bool:
    """Whether it waits because our machine failed too often while it was checked, not for another version."""
    if version.state != VersionState.UPLOADED or version.bot.versions.filter(state=VersionState.CHECKING).exists():
        return False
    return lost_checks(version) >= MAX_LOST


def lost_checks(version: BotVersion) -> int:
    """How many of its checks our machine lost within LOST_WINDOW."""
    since = timezone.now() - LOST_WINDOW
    lost = version.checks.filter(state=QualifyState.LOST, ended_at__gt=since)
    return lost.exclude(reason=RETURNED).count()


def is_undecided(version: BotVersion) -> bool:
    """Whether the page should look again soon."""
    return (
        version.state in {VersionState.UPLOADED, VersionState.CHECKING}
        or version.checks.filter(state__in=("queued", "playing")).exists()
    )


def replay_data(game: QualifyGame) -> dict[str, Any]:
    """A deal of a check as the replay page reads it."""
    bot = game.run.version.bot.player.name
    opponent = upload_texts.opponent(game.opponent)
    names = {None: (f"{bot} 1", f"{bot} 2"), 0: (bot, opponent), 1: (opponent, bot)}[game.seat]
    return {
        "rules": game.rules,
        "seats": [{"index": seat, "side": seat, "name": name, "kind": "bot"} for seat, name in enumerate(names)],
        "deals": [
            {
                "number": game.number,
                "deck": game.deck,
                "dealer": game.dealer,
                "plays": game.plays,
                "points": game.points,
                "winner_side": game.winner_side,
                "termination": game.termination,
                "think_ms": game.think_ms,
            }
        ],
        "commitment": "",
    }
