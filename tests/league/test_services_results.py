"""From results to standings: equal to a computation from scratch at every moment, and once whatever runs at once."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from games.models import Match
from games.services import matches as match_verbs
from league.models import Pairing, PairingMatch, PairingSlot, Round, Standing, Tournament
from league.services import results, rulings, standings, tournaments
from league.services.ratings import periods, rebuild
from league.services.tournaments import RoundRobinSettings
from league.tasks import apply_results
from tests.league.at_once import Together, threads
from tests.league.playing import everything, finish_all, give_result, make_tournament, undone, waiting

REASON = "The power went out at the desk."
POINTS = st.lists(st.integers(0, 120), min_size=2, max_size=3)


def _started(count: int, **fields) -> tuple[Tournament, object]:
    tournament, organiser = make_tournament(count, settings=RoundRobinSettings(**fields))
    return tournaments.start(tournament=tournament, actor=organiser), organiser


def _stored(tournament: Tournament) -> dict[int, list[tuple[object, ...]]]:
    rows = Standing.objects.filter(stage__tournament=tournament).order_by("after_round", "rank", "entry_id")
    found: dict[int, list[tuple[object, ...]]] = {}
    for row in rows:
        found.setdefault(row.after_round, []).append(
            (
                row.entry_id, row.rank, row.points_h, row.played, row.won, row.drawn, row.lost,
                (row.deals_won, row.deals_lost), (row.card_points_for, row.card_points_against), row.form,
                [{key: value for key, value in one.items() if key != "decided"} for one in row.tie_breaks],
            )
        )  # fmt: skip
    return found


def _computed(tournament: Tournament, rounds: list[int]) -> dict[int, list[tuple[object, ...]]]:
    stage = tournament.stages.select_related("tournament").get()
    found = {}
    for number in rounds:
        rows = sorted(standings.compute(stage=stage, until=number), key=lambda row: (row.rank, row.entry))
        found[number] = [
            (
                row.entry, row.rank, row.points, row.played, row.won, row.drawn, row.lost, row.deals, row.cards,
                row.form, [value.to_dict() for value in row.values],
            )
            for row in rows
        ]  # fmt: skip
    return found


def _assert_whole(tournament: Tournament) -> None:
    stored = _stored(tournament)
    ends = ("final", "forfeit", "double_forfeit", "void")
    reached = Pairing.objects.filter(stage__tournament=tournament, state__in=ends).order_by("-round__number").first()
    finished = Round.objects.filter(stage__tournament=tournament, state="finished").values_list("number", flat=True)
    assert set(stored) >= set(finished) | ({reached.round.number} if reached else set())
    assert stored == _computed(tournament, list(stored))


@pytest.mark.django_db
@settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.data())
def test_the_stored_standings_are_what_a_computation_from_scratch_gives_at_every_moment(made, data):
    tournament, organiser = made
    with undone():
        for _step in range(data.draw(st.integers(1, 12))):
            open_ones = waiting(tournament)
            over = list(PairingMatch.objects.filter(replaced=False, match__state__in=("finished", "void")))
            act = data.draw(st.sampled_from(["result", "result", "result", "void", "rerun"]))
            if act == "rerun" and over:
                place = data.draw(st.sampled_from(over))
                rulings.void_and_rerun(match=place.match, actor=organiser, reason=REASON)
            elif open_ones:
                match = data.draw(st.sampled_from(open_ones))
                if act == "void":
                    match_verbs.void(match=match, reason="infrastructure")
                else:
                    points = [(one, 120 - one) for one in data.draw(POINTS)]
                    give_result(match, data.draw(st.sampled_from([0, 1, None])), points=points)
            if data.draw(st.booleans()):
                results.apply_pending()
                _assert_whole(tournament)
        results.apply_pending()
        _assert_whole(tournament)
        finish_all(tournament)
        _assert_whole(tournament)
        tournament.refresh_from_db()
        assert tournament.state == "finished"


@pytest.fixture
def made(db):
    return _started(4, encounter=2)


@pytest.mark.django_db
@pytest.mark.parametrize(("scoring", "wanted"), [("outcome", [2, 0]), ("share", [5, 3])])
def test_points_of_an_encounter_by_its_outcome_or_by_every_match(scoring, wanted):
    tournament, _organiser = _started(3, encounter=4, mirrored=False, encounter_scoring=scoring)
    pairing = waiting(tournament)[0].pairing_match.pairing
    first = pairing.slots.get(index=0).entry.members.get().player_id
    places = list(pairing.pairing_matches.order_by("number"))
    for place, result in zip(places, ["first", "second", "first", "drawn"], strict=True):
        seated = list(place.match.seats.order_by("index").values_list("player_id", flat=True))
        side = seated.index(first)
        winner = {"first": side, "second": 1 - side, "drawn": None}[result]
        points = [(80, 40), (50, 70)] if side == 0 else [(40, 80), (70, 50)]
        give_result(place.match, winner, points=points)
    results.apply_pending()
    slots = list(PairingSlot.objects.filter(pairing=pairing).order_by("index"))
    assert [slot.points_h for slot in slots] == wanted
    assert [slot.match_points_h for slot in slots] == [5, 3]
    assert [slot.wins for slot in slots] == [2, 1]
    assert [slot.deals_won for slot in slots] == [4, 4]
    assert [slot.card_points for slot in slots] == [4 * 130, 4 * 110]


@pytest.mark.django_db
def test_an_encounter_in_play_has_no_points_yet():
    tournament, _organiser = _started(3, encounter=2)
    match = waiting(tournament)[0]
    give_result(match, 0)
    results.apply_pending()
    pairing = match.pairing_match.pairing
    assert (pairing.state, pairing.round.state) == ("live", "running")
    assert not Standing.objects.exists()


@pytest.mark.django_db
def test_a_tournament_that_cannot_be_counted_does_not_stop_the_others():
    """A bug in the data of one tournament: an award without a winner."""
    broken, _organiser = _started(3, encounter=1, mirrored=False)
    sound, _organiser = _started(3, encounter=1, mirrored=False)
    match = give_result(waiting(broken)[0], 0, points=[(60, 60)])
    match.deals.update(termination="crash")
    give_result(waiting(sound)[0], 0)
    assert results.apply_pending() == 1
    assert PairingMatch.objects.get(match=match).applied_at is None


@pytest.mark.django_db
def test_a_result_whose_task_was_never_run_is_found_by_the_sweep():
    tournament, _organiser = _started(3, encounter=1, mirrored=False)
    for match in waiting(tournament):
        give_result(match, 1)  # the process that would have counted them is dead
    assert set(Pairing.objects.exclude(state="bye").values_list("state", flat=True)) == {"planned"}
    apply_results()
    assert set(Pairing.objects.exclude(state="bye").values_list("state", flat=True)) == {"final"}
    before = everything()
    apply_results()
    assert everything() == before


# ---- at once


def _play_and_count(tournament: Tournament, together: Together) -> None:
    rng = random.Random(7)
    matches = waiting(tournament)
    for start in range(0, len(matches), 6):
        for match in matches[start : start + 6]:
            points = [(value := rng.randrange(121), 120 - value) for _deal in range(2)]
            give_result(match, rng.choice([0, 1, None]), points=points)
        together(lambda _index: results.apply_pending())


@pytest.mark.django_db(transaction=True)
def test_eight_that_count_at_once_count_each_result_once(clean_valkey):
    tournament, _organiser = _started(6, encounter=2)
    with threads(8) as together:
        _play_and_count(tournament, together)
    stored = _stored(tournament)
    assert stored == _computed(tournament, [1, 2, 3, 4, 5])
    assert PairingMatch.objects.filter(applied_at=None).count() == 0
    tournament.refresh_from_db()
    assert tournament.state == "finished"
    slots = list(PairingSlot.objects.order_by("pk").values())
    PairingMatch.objects.update(applied_at=None)  # all over again, by one
    assert results.apply_pending() == Match.objects.count() == 30
    assert list(PairingSlot.objects.order_by("pk").values()) == slots
    assert _stored(tournament) == stored
    with threads(4) as together:
        assert sum(together(lambda _index: periods.sweep())) == 5
    assert all(check.is_identical and check.rows == 60 for check in rebuild.check_all())
