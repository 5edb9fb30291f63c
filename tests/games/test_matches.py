"""Making matches, holding them, and what happens to them while they are played."""

import secrets
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from accounts.foundation import BadState
from games.engine import Record, Rules, commitment, first_dealer, shuffled
from games.errors import BadMatch, GamesError
from games.models import Deal, DealEnd, Match, MatchEnd, MatchMode, MatchOutcome, MatchState, Seat
from games.services import matches
from games.services.codes import ALPHABET, new_codes
from games.services.matches import MatchSpec, SeatSpec
from tests.factories import make_guest, make_human

pytestmark = pytest.mark.django_db
SEED = bytes(range(32))


def spec(*players, **fields) -> MatchSpec:
    players = players or (make_human(), make_human())
    fields = {"rules": Rules(), "mode": MatchMode.CASUAL, "seats": tuple(map(SeatSpec, players))} | fields
    return MatchSpec(**fields)


def played_record(match: Match, number: int = 1, *, plays: int | None = None) -> Record:
    """The next deal, every seat playing its oldest card."""
    rules = match.parsed_rules
    shuffle = shuffled(rules, bytes(match.seed), match.salt, number)
    record = Record(rules, shuffle.deck, (), match.first_dealer, shuffle.turned)
    deal = record.replay()
    while not deal.over and (plays is None or len(deal.plays) < plays):
        deal.play(deal.legal()[0])
    return Record.of(deal)


def test_a_match_starts_with_its_commitment_and_its_seats():
    one, two = make_human(), make_human()
    match = matches.create(spec=spec(one, two, seed=SEED, salt="salt", group="t:1"))
    assert match.state == MatchState.PLANNED
    assert match.commitment == commitment(SEED)
    assert match.first_dealer == first_dealer(Rules(), SEED, "salt")
    assert match.score == [0, 0]
    assert list(match.seats.values_list("index", "side", "player")) == [(0, 0, one.pk), (1, 1, two.pk)]


def test_a_match_without_a_seed_gets_one_of_its_own():
    first, second = matches.create_many(specs=[spec(), spec()])
    assert len(first.seed) == 32
    assert first.seed != second.seed


def test_what_is_shown_of_a_player_is_kept_with_the_seat():
    one, two = make_human(), make_human()
    seats = (SeatSpec(one, {"rating": 1500}), SeatSpec(two))
    match = matches.create(spec=spec(seats=seats))
    assert [seat.shown for seat in match.seats.all()] == [{"rating": 1500}, {}]


def test_many_matches_take_as_many_queries_as_few(django_assert_num_queries):
    one, two = make_human(), make_human()
    for count in (3, 9):
        with django_assert_num_queries(5):  # savepoint, codes, matches, seats, release
            made = matches.create_many(specs=[spec(one, two) for _ in range(count)])
        assert len({match.code for match in made}) == count


def test_codes_are_short_and_unlike_those_of_other_matches():
    codes = new_codes(50)
    assert len(set(codes)) == 50
    assert {len(code) for code in codes} == {8}
    assert set("".join(codes)) <= set(ALPHABET)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda a, *_: {"seats": (SeatSpec(a),)}, "match.seats"),
        (lambda a, *_: {"seats": (SeatSpec(a), SeatSpec(a))}, "match.player_twice"),
        (lambda a, *_: {"seats": (SeatSpec(a), SeatSpec(make_guest()))}, "match.guest"),
        (lambda *_: {"mirror_set": uuid4()}, "match.mirror"),
        (lambda *_: {"mirror_set": uuid4(), "seed": SEED}, "match.mirror"),
        (lambda *_: {"seed": b"short"}, "match.seed"),
        (lambda *_: {"salt": "no spaces"}, "match.seed"),
    ],
)
def test_a_match_that_cannot_be_is_refused_and_none_of_its_batch_is_made(change, code):
    one, two = make_human(), make_human()
    with pytest.raises(BadMatch) as refused:
        matches.create_many(specs=[spec(one, two), spec(one, two, **change(one, two))])
    assert refused.value.code == code
    assert str(refused.value)
    assert not Match.objects.exists()
    assert not Seat.objects.exists()


def test_a_guest_may_practise():
    match = matches.create(spec=spec(make_human(), make_guest(), mode=MatchMode.PRACTICE))
    assert match.seats.count() == 2


def test_versions_of_one_bot_may_meet_in_a_test():
    player = make_human()
    assert matches.create(spec=spec(player, player, mode=MatchMode.TEST)).pk


def test_a_mirrored_set_changes_the_seats_and_keeps_the_cards():
    one, two = make_human(), make_human()
    first, second = matches.create_many(specs=matches.mirrored(spec(one, two)))
    assert [seat.player for seat in first.seats.all()] == [one, two]
    assert [seat.player for seat in second.seats.all()] == [two, one]
    assert (first.seed, first.salt, first.first_dealer) == (second.seed, second.salt, second.first_dealer)
    assert first.mirror_set == second.mirror_set
    assert (first.mirror_index, second.mirror_index) == (0, 1)
    assert first.parsed_rules.tie_dealer == "next"


def test_a_mirrored_set_of_three_seats_every_player_everywhere():
    players = [make_human() for _ in range(3)]
    made = matches.create_many(specs=matches.mirrored(spec(*players, rules=Rules(n=3))))
    seating = [[seat.player for seat in match.seats.all()] for match in made]
    assert [list(seats) for seats in zip(*seating, strict=True)] == [
        [players[0], players[2], players[1]],
        [players[1], players[0], players[2]],
        [players[2], players[1], players[0]],
    ]


def test_two_matches_cannot_have_one_place_in_a_set():
    one, two = make_human(), make_human()
    first, second = matches.mirrored(spec(one, two))
    matches.create_many(specs=[first, second])
    with pytest.raises(IntegrityError), transaction.atomic():
        matches.create(spec=second)


def test_a_match_is_played_to_its_end():
    match = matches.start(match=matches.create(spec=spec(rules=Rules(format="deals:1"))))
    assert match.started_at is not None
    deal = matches.record_deal(match=match, number=1, record=played_record(match), termination=DealEnd.NORMAL)
    assert sum(deal.points) == 120
    assert deal.unplayed == 0
    match.refresh_from_db()
    won = [0, 0]
    if deal.winner_side is not None:
        won[deal.winner_side] = 1
    assert match.score == won

    done = matches.finish(match=match, winner_side=deal.winner_side)
    assert done.state == MatchState.FINISHED
    assert done.outcome == (MatchOutcome.DRAWN if deal.winner_side is None else MatchOutcome.WON)
    assert done.finish_seq is not None
    with pytest.raises(BadState):
        matches.finish(match=match, winner_side=0)


def test_matches_are_numbered_as_they_finish():
    made = [matches.start(match=match) for match in matches.create_many(specs=[spec() for _ in range(3)])]
    done = [matches.finish(match=match, winner_side=0) for match in (made[2], made[0], made[1])]
    orders = [match.finish_seq for match in done]
    assert orders == sorted(orders)
    assert len(set(orders)) == 3


def test_a_deal_lost_by_a_fault_goes_to_the_others_with_its_points_as_played():
    match = matches.start(match=matches.create(spec=spec()))
    record = played_record(match, plays=8)
    deal = matches.record_deal(
        match=match, number=1, record=record, termination=DealEnd.CRASH, fault_seat=record.replay().turn
    )
    assert deal.winner_side == 1 - record.replay().turn
    assert sum(deal.points) + deal.unplayed == 120
    assert deal.points == list(record.replay().points)


@pytest.mark.parametrize(
    ("number", "plays", "termination", "fault_seat", "code"),
    [
        (2, None, DealEnd.NORMAL, None, "deal.number"),
        (1, 8, DealEnd.NORMAL, None, "deal.not_over"),
        (1, None, DealEnd.CRASH, 0, "deal.not_over"),
        (1, 8, DealEnd.CRASH, None, "deal.not_over"),
    ],
)
def test_a_deal_that_cannot_be_is_refused(number, plays, termination, fault_seat, code):
    match = matches.start(match=matches.create(spec=spec()))
    record = played_record(match, plays=plays)
    with pytest.raises(GamesError) as refused:
        matches.record_deal(match=match, number=number, record=record, termination=termination, fault_seat=fault_seat)
    assert refused.value.code == code
    assert not Deal.objects.exists()


def test_a_void_match_has_a_reason_and_no_winner():
    match = matches.void(match=matches.create(spec=spec()), reason="wrong table")
    assert (match.state, match.termination, match.void_reason) == (MatchState.VOID, MatchEnd.VOID, "wrong table")
    assert match.winner_side is None
    assert match.finish_seq is None
    with pytest.raises(BadState):
        matches.void(match=match, reason="again")


def test_holding_and_releasing_touch_unfinished_matches_once():
    planned, done = matches.create_many(specs=[spec(), spec()])
    matches.finish(match=matches.start(match=done), winner_side=0)
    assert matches.hold(matches=[planned, done]) == [planned]
    assert matches.hold(matches=[planned]) == []
    assert matches.release_hold(matches=[planned, done]) == [planned]
    planned.refresh_from_db()
    assert planned.on_hold is False


def test_the_database_keeps_the_points_of_a_deal_at_120():
    match = matches.create(spec=spec())
    with pytest.raises(IntegrityError, match="deal_has_120_points"), transaction.atomic():
        Deal.objects.create(match=match, number=1, dealer=0, deck="", points=[60, 61], unplayed=0)


def test_seeds_are_not_in_the_text_of_a_specification():
    seed = secrets.token_bytes(32)
    assert seed.hex() not in repr(spec(seed=seed))
    assert repr(seed) not in repr(spec(seed=seed))
