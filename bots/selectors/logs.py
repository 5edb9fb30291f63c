"""What a bot did in a match, question by question: for who runs it, once the match is over."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Exists, OuterRef, QuerySet

from bots.models import BotVersion, DealLog, Fault
from bots.selectors.move_times import MoveTimes
from bots.selectors.permissions import can_run
from games.engine import Deal as Played
from games.engine import EngineError, Record, Rules, format_cards, parse_cards
from games.models import Deal, Match, MatchState, Seat
from games.selectors.visibility import Viewer, with_set_over

#: Days for which the log of a deal is kept. Faults keep theirs for the life of their version.
LOG_DAYS: Final = 90
#: From so many of its latest deals the think times of a version are told.
TIMED_DEALS: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question to a bot, its answer and its price. `ply` counts the plays of the deal before it.

    Cards as codes; `card` is None where the bot failed. Times in us, None where they are not kept any more.
    """

    ply: int
    trick: int
    hand: tuple[str, ...]
    lying: tuple[str, ...]
    card: str | None
    cpu_us: int | None = None
    wall_us: int | None = None
    note: str = ""
    text: str = ""

    @property
    def cpu_ms(self) -> float | None:
        """CPU time, ms."""
        return None if self.cpu_us is None else self.cpu_us / 1000

    @property
    def wall_ms(self) -> float | None:
        """Time by the clock, ms."""
        return None if self.wall_us is None else self.wall_us / 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLog:
    """A seat's part of a deal. `before` is what the bot wrote before its first answer."""

    seat: Seat
    version: BotVersion
    questions: tuple[Question, ...]
    before: str
    bank_left_us: int | None
    fault: Fault | None

    @property
    def bank_left_ms(self) -> int | None:
        """What was left of the bank at the end, ms of CPU."""
        return None if self.bank_left_us is None else self.bank_left_us // 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class DealPage:
    """The log of one deal; `expired_at` says when its times and texts were removed, None while they are kept."""

    number: int
    deal: Deal | None
    seats: tuple[SeatLog, ...]
    expired_at: datetime | None


def seats_run_by(match: Match, viewer: Viewer) -> list[Seat]:
    """The seats of a match whose bots this viewer runs, in order."""
    if viewer is None:
        return []
    seats = match.seats.filter(bot_seat__isnull=False).select_related("player", "bot_seat__version__bot__player")
    return [seat for seat in seats.order_by("index") if can_run(seat.bot_seat.version.bot, viewer)]


def numbers(match: Match) -> list[int]:
    """The deals of which there is something to tell: those that ended, and one that could not be played."""
    played = match.deals.exclude(termination="").values_list("number", flat=True)
    return sorted({*played, *Fault.objects.filter(match=match).values_list("number", flat=True)})


def deal_page(match: Match, number: int, seats: Sequence[Seat]) -> DealPage:
    """The log of deal `number` for these seats."""
    deal = match.deals.filter(number=number).exclude(termination="").first()
    faults = {fault.seat: fault for fault in Fault.objects.filter(match=match, number=number).order_by("-pk")}
    log = DealLog.objects.filter(deal=deal).first() if deal else None
    ended = deal.finished_at if deal else None
    expired = ended + timedelta(days=LOG_DAYS) if ended and log is None else None
    return DealPage(
        number=number,
        deal=deal,
        seats=tuple(_seat_log(match, deal, log, seat, faults.get(seat.index)) for seat in seats),
        expired_at=expired,
    )


def _seat_log(match: Match, deal: Deal | None, log: DealLog | None, seat: Seat, fault: Fault | None) -> SeatLog:
    texts = texts_of(log, seat.index)
    return SeatLog(
        seat=seat,
        version=seat.bot_seat.version,
        questions=tuple(_questions(match, deal, log, seat.index, fault, texts)) if deal else (),
        before=texts.get(None, ""),
        bank_left_us=log.bank_left_us[seat.index] if log and seat.index < len(log.bank_left_us) else None,
        fault=fault,
    )


def texts_of(log: DealLog | None, seat: int) -> dict[int | None, str]:
    """What a seat wrote in a deal, by the ply of the answer that followed; None: before the first."""
    texts: dict[int | None, str] = {}
    if log is not None and seat < len(log.logs):
        for ply, text in log.logs[seat]:
            texts[ply] = texts.get(ply, "") + text
    return texts


def _questions(
    match: Match, row: Deal, log: DealLog | None, seat: int, fault: Fault | None, texts: dict[int | None, str]
) -> list[Question]:
    deal = record_of(match.parsed_rules, row).replay(0)
    found = []
    for ply, card in enumerate(parse_cards(row.plays)):
        if deal.turn == seat:
            notes = log.notes if log else ()
            found.append(
                _question(
                    deal,
                    ply,
                    card=format_cards((card,)),
                    cpu_us=_at(log.cpu_us, ply) if log else None,
                    wall_us=_at(log.wall_us, ply) if log else None,
                    note=_at(notes, ply) or "",
                    text=texts.get(ply, ""),
                )
            )
        deal.play(card)
    if fault is not None and fault.ply is not None and not deal.over:
        found.append(_question(deal, fault.ply, card=None, text=texts.get(fault.ply, "")))
    return found


def _question(deal: Played, ply: int, **more: Any) -> Question:
    view = deal.observe(deal.turn)
    lying = tuple(card for _, card in view.table)
    return Question(ply=ply, trick=deal.tricks_done + 1, hand=tuple(view.hand), lying=lying, **more)


def _at(values: Sequence[Any], place: int) -> Any:
    return values[place] if place < len(values) else None


def record_of(rules: Rules, deal: Deal) -> Record:
    """The engine's record of a stored deal."""
    return Record(rules, parse_cards(deal.deck), parse_cards(deal.plays), deal.dealer, parse_cards(deal.turned))


# ---- faults


def faults_of(bot_id: int, *, version_id: int | None = None) -> QuerySet[Fault]:
    """The faults of a bot in matches whose logs may be read, the newest first; one query."""
    readable: QuerySet[Any] = with_set_over(Match.objects.filter(state__in=(MatchState.FINISHED, MatchState.VOID)))
    rows = Fault.objects.filter(version__bot=bot_id, match__in=readable.filter(set_over=True).values("pk"))
    if version_id is not None:
        rows = rows.filter(version=version_id)
    return rows.select_related("match", "version__bot__player").order_by("-pk")


# ---- think times


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkTimes(MoveTimes):
    """Those of its latest `deals`."""

    deals: int


def think_times(version: BotVersion) -> ThinkTimes | None:
    """The think times of a version in its last TIMED_DEALS deals; None when no log of one is kept. Two queries."""
    its = Seat.objects.filter(match=OuterRef("deal__match"), bot_seat__version=version)
    logs = DealLog.objects.filter(Exists(its)).select_related("deal__match").defer("notes", "logs")
    rows = list(logs.order_by("-deal_id")[:TIMED_DEALS])
    seats: dict[int, set[int]] = {}
    mine = Seat.objects.filter(match__in={row.deal.match_id for row in rows}, bot_seat__version=version)
    for match_id, index in mine.values_list("match_id", "index"):
        seats.setdefault(match_id, set()).add(index)
    times: list[int] = []
    for row in rows:
        own = seats.get(row.deal.match_id, set())
        times += [us for seat, us in zip(_seats_of(row.deal), row.cpu_us, strict=False) if seat in own]
    if not times:
        return None
    times.sort()
    return ThinkTimes(
        moves=len(times),
        deals=len(rows),
        p50_us=times[(len(times) - 1) // 2],
        p95_us=times[(len(times) - 1) * 95 // 100],
        max_us=times[-1],
    )


def _seats_of(row: Deal) -> tuple[int, ...]:
    """The seat of each play."""
    try:
        deal = record_of(row.match.parsed_rules, row).replay()
    except EngineError:
        return ()
    return deal.played_by
