"""Reading for organisers: what needs a hand, what waits, what a ruling would touch."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Case, Count, Exists, Min, OuterRef, Q, QuerySet, Value, When

from bots.models import Fault
from games.models import Match, MatchState
from league.models import (
    League,
    Membership,
    MembershipState,
    PairingMatch,
    Round,
    RoundState,
    Tournament,
    TournamentState,
)
from league.selectors.leagues import ROLE_RANK, with_people

#: Rows of each list.
SHOWN = 20
#: A match that waits longer than this is an anomaly, s.
LONG_WAIT_S = 300
_LIVE = (TournamentState.RUNNING, TournamentState.SUSPENDED)
_WAITING = (MatchState.PLANNED, MatchState.QUEUED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Matches of a league on their way: waiting, in play, held by a pause; `oldest` waits since then."""

    waiting: int
    playing: int
    held: int
    oldest: datetime | None
    is_slow: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Anomalies:
    """What an organiser should look at, the most urgent first."""

    void: tuple[PairingMatch, ...]
    paused: tuple[Tournament, ...]
    to_release: tuple[Tournament, ...]
    to_start: tuple[Tournament, ...]
    requests: int
    faults: tuple[tuple[str, str, int], ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing needs a hand."""
        return not (self.void or self.paused or self.to_release or self.to_start or self.requests or self.faults)


def queue(league: League, *, now: datetime) -> Queue:
    """The matches of the league that are not over; one query."""
    mine = Match.objects.filter(pairing_match__pairing__stage__tournament__league=league)
    waits = Q(state__in=_WAITING, on_hold=False)
    found = mine.filter(state__in=(*_WAITING, MatchState.PLAYING)).aggregate(
        waiting=Count("pk", filter=waits),
        playing=Count("pk", filter=Q(state=MatchState.PLAYING)),
        held=Count("pk", filter=Q(state__in=_WAITING, on_hold=True)),
        oldest=Min("created_at", filter=waits),
    )
    oldest = found["oldest"]
    return Queue(**found, is_slow=oldest is not None and now - oldest > timedelta(seconds=LONG_WAIT_S))


def anomalies(league: League, *, now: datetime) -> Anomalies:
    """What needs a hand in a league; seven queries."""
    tournaments = list(
        league.tournaments.filter(state__in=(*_LIVE, TournamentState.READY)).annotate(
            has_confirmed=Exists(_rounds(RoundState.CONFIRMED)),
            has_open=Exists(_rounds(RoundState.RELEASED, RoundState.RUNNING)),
        )
    )
    running = [one for one in tournaments if one.state == TournamentState.RUNNING]
    by_hand = [one for one in running if one.control == Tournament.Control.HAND]
    return Anomalies(
        void=tuple(_void(league)),
        paused=tuple(one for one in tournaments if one.state == TournamentState.SUSPENDED),
        to_release=tuple(one for one in by_hand if one.has_confirmed and not one.has_open),
        to_start=tuple(one for one in tournaments if one.state == TournamentState.READY),
        requests=league.memberships.filter(state=MembershipState.REQUESTED).count(),
        faults=tuple(_faults(league, since=now - timedelta(days=1))),
    )


def _rounds(*states: RoundState) -> QuerySet[Round]:
    return Round.objects.filter(stage__tournament=OuterRef("pk"), state__in=states)


def _void(league: League) -> QuerySet[PairingMatch]:
    """Matches that nobody played again; those of cancelled tournaments are meant to be void."""
    return (
        PairingMatch.objects.filter(
            pairing__stage__tournament__league=league, replaced=False, match__state=MatchState.VOID
        )
        .exclude(pairing__stage__tournament__state=TournamentState.CANCELLED)
        .select_related("match", "pairing__stage__tournament", "pairing__round")
        .prefetch_related("match__seats__player")
        .order_by("-pk")[:SHOWN]
    )


def _faults(league: League, *, since: datetime) -> list[tuple[str, str, int]]:
    """Name, address and number of faults of the bots that failed most often since then."""
    rows = (
        Fault.objects.filter(created_at__gte=since, match__pairing_match__pairing__stage__tournament__league=league)
        .order_by()
        .values_list("version__bot__player__name", "version__bot__player__slug")
        .annotate(count=Count("pk"))
        .order_by("-count", "version__bot__player__name")[:5]
    )
    return [(name, f"/bots/{slug}/", count) for name, slug, count in rows]


def memberships(league: League) -> QuerySet[Membership]:
    """Everybody who stands in the league or waits to, those who left excepted: requests first."""
    waits_first = Case(When(state=MembershipState.REQUESTED, then=Value(0)), default=Value(1))
    rows = with_people(league.memberships.exclude(state=MembershipState.LEFT))
    return rows.order_by(waits_first, ROLE_RANK, "player__name", "pk")


def same_set(place: PairingMatch) -> Sequence[PairingMatch]:
    """The matches that would be played again with this one: its mirrored set, or itself; empty when replaced."""
    rows = PairingMatch.objects.filter(pairing=place.pairing_id, replaced=False)
    if place.match.mirror_set is None:
        rows = rows.filter(pk=place.pk)
    else:
        rows = rows.filter(match__mirror_set=place.match.mirror_set, match__rerun=place.match.rerun)
    return list(rows.select_related("match").prefetch_related("match__seats__player").order_by("number"))
