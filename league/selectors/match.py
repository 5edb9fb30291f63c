"""Reading one match for its page: seats, deals, faults, runs, its place in a tournament, its twins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from bots.models import Fault, MatchRun, RunState
from bots.selectors.permissions import can_see_code
from games.models import PLAYED_ENDS, Deal, DealEnd, Match, PlayerKind, Seat
from games.selectors.visibility import Viewer, can_see_cards, can_see_seed, is_staff, set_is_over, visible_matches
from league.models import MatchAmendment, PairingMatch
from league.reasons import of_run
from league.selectors.matches import shown_rating
from league.selectors.ratings import Receipt, receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLine:
    """Who sits where; `rating` as it was shown when the match was made."""

    index: int
    side: int
    name: str
    kind: str
    url: str
    version: str
    version_url: str
    rating: str
    is_winner: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultDetail:
    """What the owner of the bot and staff may read of a fault, once the cards are open to everybody."""

    detail: str
    request: str
    answer: str
    exit: str
    log: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DealLine:
    """A deal that has been played. `points` and `total` by side; `fault_name` who lost it without playing it out."""

    number: int
    dealer: str
    points: tuple[int, ...]
    winner_side: int | None
    is_played: bool
    ending: str
    fault_name: str
    fault_ply: int | None
    fault: FaultDetail | None
    sees_cards: bool
    at: datetime | None

    @property
    def opens_at(self) -> str:
        """Where its replay opens: at the failing card, else at the start."""
        return f"d={self.number}" if self.fault_ply is None else f"d={self.number}&c={self.fault_ply}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """One attempt of the arena; `worker` for staff only."""

    state: str
    label: str
    is_lost: bool
    tier: str
    started_at: datetime | None
    ended_at: datetime | None
    reason: str
    worker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPage:
    """All that the page of a match shows. `seed` is empty and `hidden` says why while it may not be shown."""

    match: Match
    seats: tuple[SeatLine, ...]
    side_names: tuple[str, ...]
    deals: tuple[DealLine, ...]
    seed: str
    hidden: str
    place: PairingMatch | None
    twins: tuple[Match, ...]
    replaces: Match | None
    replaced_by: Match | None
    runs: tuple[RunLine, ...]
    has_logs: bool
    receipt: Receipt | None
    amendments: tuple[MatchAmendment, ...]

    @property
    def points(self) -> tuple[int, ...]:
        """Card points of the match by side."""
        return tuple(map(sum, zip(*(deal.points for deal in self.deals), strict=True)))

    @property
    def has_replay(self) -> bool:
        """Whether any deal may be seen."""
        return any(deal.sees_cards for deal in self.deals)

    @property
    def has_table(self) -> bool:
        """Whether somebody plays it at a table, where others may look on."""
        return not self.match.is_over and any(seat.kind != PlayerKind.BOT for seat in self.seats)

    @property
    def is_moving(self) -> bool:
        """Whether the page should look again soon: it is not over, its set is not, or its rating is to come."""
        waits = self.receipt is not None and self.receipt.state == "pending" and self.match.termination != "void"
        return not self.match.is_over or bool(self.hidden) or waits

    @property
    def seen(self) -> str:
        """Changes whenever the page would: what a reader has, so that an unchanged page is not sent again."""
        rated = self.receipt.state if self.receipt else ""
        last_run = f"{len(self.runs)}{self.runs[-1].state}" if self.runs else ""
        return "-".join(map(str, (self.match.state, len(self.deals), last_run, bool(self.hidden), rated)))


def find(code: str, viewer: Viewer) -> Match | None:
    """The match at an address, for who may see it; two queries."""
    return visible_matches(viewer, Match.objects.filter(code=code.upper())).first()


def page_of(match: Match, viewer: Viewer) -> MatchPage:
    """Everything for the page of a match that the viewer may see; thirteen queries, and one a bot for the signed-in."""
    seats = list(match.seats.select_related("player", "bot_seat__version__bot__player").order_by("index"))
    sides = _side_names(seats)
    set_over = set_is_over(match)
    sees_seed = can_see_seed(match, viewer, set_over=set_over)
    place = _place(match)
    replaces, replaced_by = _replaced(place)
    return MatchPage(
        match=match,
        seats=tuple(_seat(match, seat) for seat in seats),
        side_names=sides,
        deals=_deals(match, seats, viewer, set_over=set_over, sees_logs=sees_seed),
        seed=bytes(match.seed).hex() if sees_seed else "",
        hidden="" if sees_seed else "set_not_over" if match.is_over else "match_not_over",
        place=place,
        twins=_twins(match),
        replaces=replaces,
        replaced_by=replaced_by,
        runs=_runs(match, viewer),
        has_logs=sees_seed and runs_a_bot(seats, viewer),
        receipt=receipt(match),
        amendments=tuple(MatchAmendment.objects.filter(match=match).select_related("actor__player").order_by("pk")),
    )


def runs_a_bot(seats: Sequence[Seat], viewer: Viewer) -> bool:
    """Whether the viewer runs the bot of one of these seats."""
    bots = [seat.bot_seat.version.bot for seat in seats if hasattr(seat, "bot_seat")]
    return viewer is not None and any(can_see_code(bot, viewer) for bot in bots)


def _side_names(seats: Sequence[Seat]) -> tuple[str, ...]:
    names: dict[int, list[str]] = {}
    for seat in seats:
        names.setdefault(seat.side, []).append(seat.player.name)
    return tuple(" + ".join(names[side]) for side in sorted(names))


def _seat(match: Match, seat: Seat) -> SeatLine:
    bot_seat = getattr(seat, "bot_seat", None)
    return SeatLine(
        index=seat.index,
        side=seat.side,
        name=seat.player.name,
        kind=seat.player.kind,
        url=seat.player.get_absolute_url() if seat.player.kind != PlayerKind.GUEST else "",
        version=bot_seat.version.label if bot_seat else "",
        version_url=bot_seat.version.get_absolute_url() if bot_seat else "",
        rating=shown_rating(seat),
        is_winner=match.winner_side == seat.side,
    )


def _deals(
    match: Match, seats: Sequence[Seat], viewer: Viewer, *, set_over: bool, sees_logs: bool
) -> tuple[DealLine, ...]:
    faults: dict[int | None, Fault] = {
        fault.deal_id: fault for fault in match.faults.select_related("version__bot") if fault.deal_id
    }
    rows = [deal for deal in match.deals.order_by("number") if deal.is_over]
    return tuple(_deal(match, deal, seats, faults, viewer, set_over=set_over, sees_logs=sees_logs) for deal in rows)


def _deal(
    match: Match,
    deal: Deal,
    seats: Sequence[Seat],
    faults: Mapping[int | None, Fault],
    viewer: Viewer,
    *,
    set_over: bool,
    sees_logs: bool,
) -> DealLine:
    fault = faults.get(deal.pk)
    points = [0] * len({seat.side for seat in seats})
    for seat in seats:
        points[seat.side] += deal.points[seat.index] if seat.index < len(deal.points) else 0
    at_fault = deal.fault_seat
    return DealLine(
        number=deal.number,
        dealer=seats[deal.dealer].player.name,
        points=tuple(points),
        winner_side=deal.winner_side,
        is_played=deal.termination in PLAYED_ENDS,
        ending=str(DealEnd(deal.termination).label),
        fault_name=seats[at_fault].player.name if at_fault is not None else "",
        fault_ply=fault.ply if fault else None,
        fault=_detail(fault, viewer) if fault and sees_logs else None,
        sees_cards=can_see_cards(match, deal, viewer, set_over=set_over),
        at=deal.finished_at,
    )


def _detail(fault: Fault, viewer: Viewer) -> FaultDetail | None:
    if viewer is None or not can_see_code(fault.version.bot, viewer):
        return None
    return FaultDetail(
        detail=fault.detail, request=fault.request, answer=fault.answer, exit=fault.exit, log=fault.stderr_tail
    )


def _place(match: Match) -> PairingMatch | None:
    rows = PairingMatch.objects.filter(match=match)
    return rows.select_related("pairing__round", "pairing__stage__tournament__league").first()


def _replaced(place: PairingMatch | None) -> tuple[Match | None, Match | None]:
    """The match before this one at its place, and the one that counts instead of it."""
    if place is None:
        return None, None
    same = list(
        PairingMatch.objects.filter(pairing=place.pairing_id, number=place.number)
        .select_related("match")
        .order_by("pk")
    )
    before = [one.match for one in same if one.pk < place.pk]
    counts = next((one.match for one in same if not one.replaced), None) if place.replaced else None
    return (before[-1] if before else None), counts


def _twins(match: Match) -> tuple[Match, ...]:
    if match.mirror_set is None:
        return ()
    rows = Match.objects.filter(mirror_set=match.mirror_set, rerun=match.rerun).exclude(pk=match.pk)
    return tuple(rows.defer("seed").order_by("mirror_index"))


def _runs(match: Match, viewer: Viewer) -> tuple[RunLine, ...]:
    staff = is_staff(viewer)
    return tuple(
        RunLine(
            state=run.state,
            label=str(run.get_state_display()),
            is_lost=run.state in {RunState.LOST, RunState.REFUSED},
            tier=run.tier,
            started_at=run.started_at,
            ended_at=run.ended_at,
            reason=of_run(run.reason, with_detail=staff),
            worker=run.worker if staff else "",
        )
        for run in MatchRun.objects.filter(match=match).order_by("pk")
    )
