"""Reading rounds: who meets whom, how far it is, the matches of each pairing."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import QuerySet

from games.models import Match, MatchState, Player, Seat
from league.models import Pairing, PairingMatch, PairingSlot, PairingState, Round, RoundState, Stage, Tournament
from league.numbers import halves

#: Pairings of more matches than this show the count and a link, not each match.
MATCHES_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A side of a pairing; `points` empty while it is open."""

    entry: int
    name: str
    url: str
    kind: str
    points: str
    wins: int
    is_winner: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A match of a pairing: `score` deals by side of the pairing, `winner` its side."""

    number: int
    match: Match
    score: str
    winner: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """A pairing; `second` None for a bye. `over` of `count` matches are over; `matches` empty when there are many."""

    board: int
    state: str
    label: str
    first: Side
    second: Side | None
    count: int
    over: int
    drawn: int
    matches: tuple[Played, ...]

    @property
    def is_bye(self) -> bool:
        """Whether the first side rests."""
        return self.second is None

    @property
    def is_open(self) -> bool:
        """Whether its result is still to come."""
        return self.state in (PairingState.PLANNED, PairingState.LIVE)


def shown(stage: Stage) -> QuerySet[Round]:
    """The rounds of a stage: all but discarded draws."""
    return stage.rounds.exclude(state=RoundState.DISCARDED)


def rounds(stage: Stage) -> list[Round]:
    """The rounds of a stage, in order; one query."""
    return list(shown(stage).order_by("number"))


def current(found: list[Round]) -> Round | None:
    """The round that a page opens at: the last one that was released, else the first."""
    shown = [round_ for round_ in found if round_.released_at is not None]
    unfinished = [round_ for round_ in shown if round_.state != RoundState.FINISHED]
    return unfinished[0] if unfinished else shown[-1] if shown else found[0] if found else None


def meetings(round_: Round) -> list[Meeting]:
    """The pairings of a round by board; seven queries for any number."""
    pairings = round_.pairings.prefetch_related(
        "slots__entry__members__player", "pairing_matches__match__seats"
    ).order_by("board")
    return [_meeting(pairing) for pairing in pairings]


def _meeting(pairing: Pairing) -> Meeting:
    slots = sorted(pairing.slots.all(), key=lambda slot: slot.index)
    players = [_player(slot) for slot in slots]
    places = [place for place in pairing.pairing_matches.all() if not place.replaced]
    side_of = {player.pk: index for index, player in enumerate(players) if player is not None}
    best = max((slot.points_h or 0 for slot in slots), default=0)
    worst = min((slot.points_h or 0 for slot in slots), default=0)
    sides = [
        Side(
            entry=slot.entry_id or 0,
            name=slot.entry.name if slot.entry else "",
            url=player.get_absolute_url() if player else "",
            kind=player.kind if player else "",
            points="" if slot.points_h is None else halves(slot.points_h),
            wins=slot.wins,
            is_winner=best > worst and slot.points_h == best,
        )
        for slot, player in zip(slots, players, strict=True)
    ]
    played = tuple(_played(place, side_of) for place in sorted(places, key=lambda place: place.number))
    return Meeting(
        board=pairing.board + 1,
        state=pairing.state,
        label=str(pairing.get_state_display()),
        first=sides[0],
        second=sides[1] if slots[1].entry_id else None,
        count=len(played),
        over=sum(one.match.is_over for one in played),
        drawn=sum(one.match.state == MatchState.FINISHED and one.winner is None for one in played),
        matches=played if len(played) <= MATCHES_SHOWN else (),
    )


def _player(slot: PairingSlot) -> Player | None:
    if slot.entry is None:
        return None
    return next((member.player for member in slot.entry.members.all()), None)


def _played(place: PairingMatch, side_of: Mapping[int, int]) -> Played:
    match = place.match
    seats = sorted(match.seats.all(), key=lambda seat: seat.index)
    turned = bool(seats) and side_of.get(seats[0].player_id, 0) == 1
    score = list(reversed(match.score)) if turned else list(match.score)
    winner = match.winner_side
    if winner is not None and turned:
        winner = 1 - winner
    return Played(
        number=place.number, match=match, score="–".join(map(str, score)) if match.score else "", winner=winner
    )


def matches(tournament: Tournament, *, round_number: int | None = None, board: int | None = None) -> QuerySet:
    """Every match of a tournament, replaced ones included, newest first; rows are `PairingMatch`."""
    rows = PairingMatch.objects.filter(pairing__stage__tournament=tournament)
    if round_number is not None:
        rows = rows.filter(pairing__round__number=round_number)
    if board is not None:
        rows = rows.filter(pairing__board=board - 1)
    return rows.select_related("match", "pairing__round").prefetch_related("match__seats__player").order_by("-pk")


def seated(match: Match) -> list[Seat]:
    """The seats of a match whose seats are loaded, in playing order."""
    return sorted(match.seats.all(), key=lambda seat: seat.index)
