"""Standings, stored after each round: recomputed from the pairings, never added to."""

from collections.abc import Sequence

from django.db.models import Exists, Max, OuterRef, Q

from league.models import Entry, EntryState, Pairing, PairingSlot, PairingState, Round, RoundState, Stage, Standing
from league.scoring import Entrant, PairingEnd, PairingResult
from league.scoring import Standing as Row
from league.scoring import standings as ranked

_ENDS = {
    PairingState.FINAL: PairingEnd.PLAYED,
    PairingState.FORFEIT: PairingEnd.FORFEIT,
    PairingState.DOUBLE_FORFEIT: PairingEnd.DOUBLE_FORFEIT,
    PairingState.VOID: PairingEnd.VOID,
}
_FIELDS = (
    "rank", "points_h", "played", "won", "drawn", "lost", "deals_won", "deals_lost",
    "card_points_for", "card_points_against", "tie_breaks", "form",
)  # fmt: skip


def compute(*, stage: Stage, until: int) -> tuple[Row, ...]:
    """The standings from the pairings of rounds 1..until that are over; reads only."""
    return _ranked(stage, _entrants(stage), _results(stage, until))


def _ranked(stage: Stage, entrants: Sequence[Entrant], results: Sequence[PairingResult]) -> tuple[Row, ...]:
    return ranked(entrants=entrants, results=results, seed=bytes(stage.tournament.seed))


def _entrants(stage: Stage) -> list[Entrant]:
    entries = Entry.objects.filter(tournament=stage.tournament_id, number__isnull=False)
    return [Entrant(entry=one.pk, disqualified=one.state == EntryState.DISQUALIFIED) for one in entries]


def _results(stage: Stage, until: int) -> list[PairingResult]:
    """The rest of a round robin with an odd number is no result: byes are left out."""
    pairings = Pairing.objects.filter(stage=stage, round__number__lte=until, state__in=_ENDS)
    results: list[PairingResult] = []
    for pairing in pairings.select_related("round").prefetch_related("slots"):
        first, second = sorted(pairing.slots.all(), key=lambda slot: slot.index)
        results.append(_result(pairing, first, second))
    return results


def _result(pairing: Pairing, first: PairingSlot, second: PairingSlot) -> PairingResult:
    if pairing.round is None or first.entry_id is None or second.entry_id is None:
        raise ValueError(f"pairing {pairing.pk} is no meeting of a round")
    return PairingResult(
        round=pairing.round.number,
        entries=(first.entry_id, second.entry_id),
        end=_ENDS[PairingState(pairing.state)],
        points=(first.points_h or 0, second.points_h or 0),
        wins=(first.wins, second.wins),
        deals=(first.deals_won, second.deals_won),
        cards=(first.card_points, second.card_points),
    )


def refresh(*, stage: Stage, rounds: Sequence[Round]) -> None:
    """Store the standings again after each of `rounds` and every later one that has standings or results.

    Called in the transaction that holds the tournament's lock; the number of queries does not depend on the rounds.
    """
    if not rounds:
        return
    first = min(round_.number for round_ in rounds)
    reached = Pairing.objects.filter(stage=stage, state__in=_ENDS).aggregate(Max("round__number"))["round__number__max"]
    if reached is None:
        Standing.objects.filter(stage=stage).delete()
        return
    Standing.objects.filter(stage=stage, after_round__gt=reached).delete()
    is_over = Q(state=RoundState.FINISHED) | Q(number=reached)
    has_standings = Exists(Standing.objects.filter(stage=stage, after_round=OuterRef("number")))
    wanted = Round.objects.filter(is_over | Q(has_standings), stage=stage, number__gte=first, number__lte=reached)
    results, entrants = _results(stage, reached), _entrants(stage)
    rows = [
        _stored(stage, number, row)
        for number in sorted(set(wanted.values_list("number", flat=True)))
        for row in _ranked(stage, entrants, [result for result in results if result.round <= number])
    ]
    Standing.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["stage", "after_round", "entry"], update_fields=_FIELDS
    )


def _stored(stage: Stage, after_round: int, row: Row) -> Standing:
    return Standing(
        stage=stage,
        after_round=after_round,
        entry_id=row.entry,
        rank=row.rank,
        points_h=row.points,
        played=row.played,
        won=row.won,
        drawn=row.drawn,
        lost=row.lost,
        deals_won=row.deals[0],
        deals_lost=row.deals[1],
        card_points_for=row.cards[0],
        card_points_against=row.cards[1],
        tie_breaks=[
            value.to_dict() | ({"decided": True} if value.criterion is row.decided_by else {}) for value in row.values
        ],
        form=row.form,
    )
