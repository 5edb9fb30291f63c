"""From finished matches to pairings, rounds and standings: an idempotent step that takes whatever waits.

A match is counted by the pairing it belongs to; a pairing is final when none of its matches is open. Everything is
computed from the stored matches, never added to counters: running the step again changes nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.foundation import DomainError, LockError, advance, lock, lock_one
from accounts.foundation.wake import wake
from games.models import PLAYED_ENDS, Deal, Match, MatchEnd, MatchState, Seat
from league.models import (
    PAIRING_TRANSITIONS,
    ROUND_TRANSITIONS,
    Pairing,
    PairingMatch,
    PairingSlot,
    PairingState,
    Round,
    RoundState,
    Stage,
    Tournament,
    TournamentState,
)
from league.scoring import (
    DealScore,
    EncounterScore,
    EncounterScoring,
    MatchScore,
    PairingEnd,
    ScoringError,
    score_encounter,
    tally_deals,
    unplayed_points,
)
from league.services import audit, standings, tournaments
from league.services import rounds as round_verbs
from league.services.work import void_locked

log = structlog.get_logger(__name__)

APPLY_RATINGS = "league.tasks.apply_ratings"
#: Matches counted in one transaction.
BATCH = 200
#: Why the other half of a mirrored set is not played (a code, as those of the arena).
TWIN_IS_VOID = "twin"
_OVER = (MatchState.FINISHED, MatchState.VOID)
_WAITING = Q(applied_at__isnull=True, match__state__in=_OVER)
_AT_TABLE = (MatchEnd.NORMAL, MatchEnd.FAULT, MatchEnd.RESIGN)
_OPEN_PAIRINGS = (PairingState.PLANNED, PairingState.LIVE)


def apply_pending() -> int:
    """Count every match that is over and was not counted yet; returns how many.

    A tournament that somebody works on waits for the next call, one that cannot be counted (a bug) is logged for the
    operator; the others go on.
    """
    waiting = PairingMatch.objects.filter(_WAITING).order_by()
    tournament_ids = sorted(set(waiting.values_list("pairing__stage__tournament_id", flat=True)))
    return sum(_apply_all(tournament_id) for tournament_id in tournament_ids)


def _apply_all(tournament_id: int) -> int:
    counted = 0
    try:
        while taken := _apply_batch(tournament_id):
            counted += taken
    except LockError:
        log.info("tournament_busy", tournament=tournament_id)
    except (DomainError, ScoringError):
        log.exception("results_not_counted", tournament=tournament_id)
    return counted


def _apply_batch(tournament_id: int) -> int:
    now = timezone.now()
    with transaction.atomic():
        # One transaction works on a tournament at a time: a second one waits here and then finds nothing left.
        tournament = lock_one(Tournament.objects.filter(pk=tournament_id).select_related("league"))
        places = list(
            PairingMatch.objects.filter(_WAITING, pairing__stage__tournament=tournament)
            .select_related("match")
            .order_by("pk")[:BATCH]
        )
        if not places:
            return 0
        pairings = lock(Pairing.objects.filter(pk__in={place.pairing_id for place in places}).select_related("stage"))
        for pairing in pairings:
            pairing.stage.tournament = tournament
        _log_void(tournament, places)
        _count(pairings, now)
        PairingMatch.objects.filter(pk__in=[place.pk for place in places]).update(applied_at=now)
        _end_rounds(pairings, now)
    return len(places)


def _log_void(tournament: Tournament, places: Sequence[PairingMatch]) -> None:
    """A match that ended without a result and was not ruled on stands in the public log; an organiser decides."""
    if tournament.state == TournamentState.CANCELLED:
        return
    for place in places:
        if place.match.state == MatchState.VOID and not place.replaced:
            audit.record(
                action="match.void",
                league=tournament.league,
                tournament=tournament,
                actor=None,
                target=place.match.code,
                reason=place.match.void_reason,
            )


@dataclass(frozen=True, slots=True)
class _Played:
    """A match with the player at seat 0 of each side and its deals; `void` also when its mirrored twin is."""

    match: Match
    players: tuple[int, int]
    deals: tuple[Deal, ...]
    void: bool

    def score(self, first_player: int) -> MatchScore:
        """The match as side 0 of the pairing (whose player is `first_player`) sees it."""
        if self.void:
            return MatchScore(winner=None, void=True)
        turned = self.players[0] != first_player
        tally = tally_deals(
            DealScore(
                cards=(deal.points[0], deal.points[1]),
                winner=deal.winner_side,
                awarded=deal.termination not in PLAYED_ENDS,
            )
            for deal in self.deals
        )
        winner = self.match.winner_side
        return MatchScore(
            winner=winner if winner is None or not turned else 1 - winner,
            deals=tally.deals[::-1] if turned else tally.deals,
            cards=tally.cards[::-1] if turned else tally.cards,
            at_table=self.match.termination in _AT_TABLE,
        )


def _count(pairings: Sequence[Pairing], now: datetime) -> None:
    """Give the pairings whose matches are all over their points; those with open matches are in play."""
    _void_twins(pairings)
    played = _played(pairings)
    slots: dict[int, list[PairingSlot]] = defaultdict(list)
    for slot in PairingSlot.objects.filter(pairing__in=pairings).prefetch_related("entry__members"):
        slots[slot.pairing_id].append(slot)
    changed: list[PairingSlot] = []
    for pairing in pairings:
        first, second = sorted(slots[pairing.pk], key=lambda slot: slot.index)
        matches = played[pairing.pk]
        if any(one.match.state not in _OVER for one in matches):
            if pairing.state == PairingState.PLANNED:
                advance(pairing, PairingState.LIVE, table=PAIRING_TRANSITIONS)
            continue
        scoring = EncounterScoring(pairing.stage.encounter_scoring)
        score = score_encounter((one.score(_player_of(first)) for one in matches), scoring=scoring)
        points = (
            score.points
            if score.matches
            else unplayed_points(
                PairingEnd.VOID,
                matches=len(matches),
                scoring=scoring,
                void_half=pairing.stage.tournament.state != TournamentState.CANCELLED,
            )
        )
        ended = PairingState.FINAL if score.matches else PairingState.VOID
        if pairing.state != ended:  # else it was counted before: its matches came in two batches
            advance(pairing, ended, table=PAIRING_TRANSITIONS)
            pairing.finished_at = now
        changed += [_filled(first, points, score), _filled(second, points, score)]
    Pairing.objects.bulk_update(pairings, ["state", "finished_at"])
    PairingSlot.objects.bulk_update(changed, ["points_h", "match_points_h", "wins", "deals_won", "card_points"])


def _void_twins(pairings: Sequence[Pairing]) -> None:
    """What is left of a mirrored set that has a void match is not played: one half alone says nothing."""
    current = PairingMatch.objects.filter(pairing__in=pairings, replaced=False, match__mirror_set__isnull=False)
    void_sets = current.filter(match__state=MatchState.VOID).values("match__mirror_set")
    twins = current.filter(match__mirror_set__in=void_sets).exclude(match__state__in=_OVER)
    open_twins = Match.objects.filter(pk__in=list(twins.values_list("match_id", flat=True)))
    void_locked(matches=[match for match in lock(open_twins) if not match.is_over], reason=TWIN_IS_VOID)


def _filled(slot: PairingSlot, points: tuple[int, int], score: EncounterScore) -> PairingSlot:
    side = slot.index
    slot.points_h = points[side]
    slot.match_points_h = score.match_points[side]
    slot.wins = score.wins[side]
    slot.deals_won = score.deals[side]
    slot.card_points = score.cards[side]
    return slot


def _player_of(slot: PairingSlot) -> int:
    if slot.entry is None:
        raise ValueError("a bye has no matches")
    return slot.entry.members.all()[0].player_id


def _played(pairings: Sequence[Pairing]) -> dict[int, list[_Played]]:
    """The matches of the pairings that were not replaced, with seats and deals; three queries."""
    current = PairingMatch.objects.filter(pairing__in=pairings, replaced=False)
    places = list(current.select_related("match").order_by("number"))
    ids = [place.match_id for place in places]
    seats: dict[int, list[int]] = defaultdict(list)
    for match_id, player_id in (
        Seat.objects.filter(match__in=ids).order_by("match_id", "index").values_list("match_id", "player_id")
    ):
        seats[match_id].append(player_id)
    deals: dict[int, list[Deal]] = defaultdict(list)
    for deal in Deal.objects.filter(match__in=ids).exclude(termination="").order_by("match_id", "number"):
        deals[deal.match_id].append(deal)
    void_sets = {place.match.mirror_set for place in places if place.match.state == MatchState.VOID}
    found: dict[int, list[_Played]] = defaultdict(list)
    for place in places:
        match = place.match
        first, second = seats[match.pk]
        is_half = match.mirror_set is not None and match.mirror_set in void_sets
        void = match.state == MatchState.VOID or is_half
        found[place.pairing_id].append(_Played(match, (first, second), tuple(deals[match.pk]), void))
    return found


def _end_rounds(pairings: Sequence[Pairing], now: datetime) -> None:
    """End the rounds without open pairings, refresh the standings, go on with the tournament."""
    by_stage: dict[int, set[int]] = defaultdict(set)
    for pairing in pairings:
        if pairing.round_id is not None and pairing.state not in _OPEN_PAIRINGS:
            by_stage[pairing.stage_id].add(pairing.round_id)
    stages = {pairing.stage_id: pairing.stage for pairing in pairings}
    started = {pairing.round_id for pairing in pairings if pairing.round_id is not None}
    Round.objects.filter(pk__in=started, state=RoundState.RELEASED).update(state=RoundState.RUNNING)
    for stage_id, round_ids in by_stage.items():
        _after(stages[stage_id], round_ids, now)


def _after(stage: Stage, round_ids: Iterable[int], now: datetime) -> None:
    touched = list(Round.objects.filter(pk__in=round_ids))
    still_open = set(
        Pairing.objects.filter(round__in=touched, state__in=_OPEN_PAIRINGS).values_list("round_id", flat=True)
    )
    ended = [one for one in touched if one.pk not in still_open and one.state == RoundState.RUNNING]
    for round_ in ended:
        advance(round_, RoundState.FINISHED, table=ROUND_TRANSITIONS)
        round_.finished_at = now
    Round.objects.bulk_update(ended, ["state", "finished_at"])
    standings.refresh(stage=stage, rounds=touched)
    if not ended:
        return
    wake(APPLY_RATINGS)
    tournament = stage.tournament
    is_over = tournaments.finish_if_over(tournament=tournament, now=now)
    goes_on = not is_over and tournament.state == TournamentState.RUNNING
    if goes_on and tournament.control == Tournament.Control.AUTOMATIC:
        round_verbs.release_due(tournament=tournament, now=now)
