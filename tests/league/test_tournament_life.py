"""Whole round robins: from the registration to the last rating."""

import hashlib
import hmac

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.models import Match, MatchState
from games.services import matches as match_verbs
from league.models import (
    AuditEntry,
    Pairing,
    PairingMatch,
    PairingState,
    RatingEvent,
    RatingPool,
    Round,
    RoundState,
    Standing,
)
from league.services import results, rulings, standings, tournaments
from league.services.ratings import periods, rebuild
from league.services.tournaments import RoundRobinSettings
from tests.league.playing import make_tournament, play_all

pytestmark = pytest.mark.django_db


def test_a_round_robin_ends_by_itself_with_standings_and_ratings_equal_to_a_rebuild():
    tournament, organiser = make_tournament(4)
    tournaments.start(tournament=tournament, actor=organiser)
    play_all(tournament)
    tournament.refresh_from_db()
    assert tournament.state == "finished"
    assert Pairing.objects.filter(stage__tournament=tournament).count() == 6
    assert set(Pairing.objects.filter(stage__tournament=tournament).values_list("state", flat=True)) == {"final"}
    assert Match.objects.filter(state=MatchState.FINISHED).count() == 12
    assert Standing.objects.filter(stage__tournament=tournament, after_round=3).count() == 4
    assert sum(row.points_h for row in Standing.objects.filter(stage__tournament=tournament, after_round=3)) == 12
    pool = RatingPool.objects.get(code="bot-1v1")
    assert RatingEvent.objects.filter(pool=pool).count() == 24
    found = rebuild.check(pool=pool)
    assert (found.problem, found.rows, found.last_hash) == ("", 24, pool.last_hash)


def test_counting_again_changes_nothing():
    tournament, organiser = make_tournament(3)
    tournaments.start(tournament=tournament, actor=organiser)
    play_all(tournament)
    before = list(Standing.objects.order_by("pk").values())
    events = list(RatingEvent.objects.order_by("pk").values())
    PairingMatch.objects.update(applied_at=None)
    assert results.apply_pending() == 6
    assert periods.sweep() == 0
    assert list(RatingEvent.objects.order_by("pk").values()) == events
    assert [row | {"id": 0} for row in Standing.objects.order_by("stage", "after_round", "entry").values()] == [
        row | {"id": 0}
        for row in sorted(before, key=lambda row: (row["stage_id"], row["after_round"], row["entry_id"]))
    ]


def test_the_seed_of_a_match_follows_from_the_tournaments_committed_seed():
    tournament, organiser = make_tournament(3)
    tournaments.start(tournament=tournament, actor=organiser)
    assert hashlib.sha256(bytes(tournament.deal_seed)).hexdigest() == tournament.deal_seed_commitment
    for place in PairingMatch.objects.select_related("match", "pairing__round"):
        label = f"set:1:{place.pairing.round.number}:{place.pairing.board}:1:0"
        assert bytes(place.match.seed) == hmac.digest(bytes(tournament.deal_seed), label.encode(), "sha256")


def test_a_mirrored_pair_shares_its_decks_and_exchanges_the_seats():
    tournament, organiser = make_tournament(3)
    tournaments.start(tournament=tournament, actor=organiser)
    pairing = Pairing.objects.filter(state=PairingState.PLANNED).first()
    first, second = [place.match for place in pairing.pairing_matches.order_by("number")]
    assert (first.seed, first.salt, first.mirror_set) == (second.seed, second.salt, second.mirror_set)
    assert [seat.player_id for seat in first.seats.all()] == [seat.player_id for seat in second.seats.all()][::-1]


def test_an_odd_number_of_entries_rests_in_turn_and_nobody_gets_points_for_it():
    tournament, organiser = make_tournament(3)
    tournaments.start(tournament=tournament, actor=organiser)
    rests = Pairing.objects.filter(state=PairingState.BYE)
    assert rests.count() == 3
    play_all(tournament)
    assert {slot.points_h for rest in rests for slot in rest.slots.all()} == {None}


def test_a_played_match_that_is_voided_is_played_again_with_a_new_seed_and_amends_the_ratings():
    tournament, organiser = make_tournament(3, settings=RoundRobinSettings(encounter=1, mirrored=False))
    tournaments.start(tournament=tournament, actor=organiser)
    play_all(tournament)
    pool = RatingPool.objects.get()
    old = PairingMatch.objects.order_by("pk").first().match
    rows = RatingEvent.objects.filter(pool=pool, revision=1).count()
    (new,) = rulings.void_and_rerun(match=old, actor=organiser, reason="The power went out at the desk.")
    pool.refresh_from_db()
    assert (new.rerun, bytes(new.seed) != bytes(old.seed), new.state) == (1, True, "planned")
    assert pool.current_revision == 2
    assert RatingEvent.objects.filter(pool=pool, revision=1).count() == rows
    assert RatingEvent.objects.filter(pool=pool, revision=2).count() == rows - 2
    assert not RatingEvent.objects.filter(revision=2, match=old.code).exists()
    play_all(tournament, seed=5)
    assert rebuild.check(pool=RatingPool.objects.get()).is_identical
    assert AuditEntry.objects.get(action="match.rerun").reason == "The power went out at the desk."
    stage = tournament.stages.get()
    stored = [(row.entry_id, row.rank, row.points_h) for row in Standing.objects.filter(after_round=3).order_by("rank")]
    assert stored == [(row.entry, row.rank, row.points) for row in standings.compute(stage=stage, until=3)]


def test_paused_nothing_is_played_and_resumed_it_goes_on():
    tournament, organiser = make_tournament(3)
    tournaments.start(tournament=tournament, actor=organiser)
    tournaments.pause(tournament=tournament, actor=organiser, reason="The hall is being swept.")
    assert set(Match.objects.values_list("on_hold", flat=True)) == {True}
    tournaments.resume(tournament=tournament, actor=organiser)
    assert set(Match.objects.values_list("on_hold", flat=True)) == {False}


def test_rounds_of_a_slow_tournament_are_released_one_by_one():
    tournament, organiser = make_tournament(4, release_every_s=3600)
    tournaments.start(tournament=tournament, actor=organiser)
    assert list(Round.objects.order_by("number").values_list("state", flat=True)) == [
        RoundState.RELEASED, RoundState.CONFIRMED, RoundState.CONFIRMED,
    ]  # fmt: skip
    assert Match.objects.count() == 4


def test_a_void_pairing_gives_half_a_point_each():
    tournament, organiser = make_tournament(3, settings=RoundRobinSettings(encounter=1, mirrored=False))
    tournaments.start(tournament=tournament, actor=organiser)
    match = Match.objects.order_by("pk").first()
    match_verbs.void(match=match, reason="the machine failed three times")
    results.apply_pending()
    pairing = match.pairing_match.pairing
    assert pairing.state == PairingState.VOID
    assert [slot.points_h for slot in pairing.slots.all()] == [1, 1]


def test_starting_takes_the_same_number_of_queries_for_many_pairings():
    counts = []
    for size in (3, 4, 12):
        tournament, organiser = make_tournament(size, release_every_s=3600)
        with CaptureQueriesContext(connection) as captured:
            tournaments.start(tournament=tournament, actor=organiser)
        counts.append(len(captured))
    assert counts[1] == counts[2]  # the first one also makes the pool
    assert counts[2] <= 50
