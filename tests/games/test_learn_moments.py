"""Examples and the guided first game: what they claim is what the engine says."""

import pytest
from django.utils import translation

from games import faces
from games.engine import POINTS, Deal, Record, Rules, card_code, card_int, parse_cards, solve
from games.learn import first_game
from games.learn.examples import FINISHED, examples
from games.learn.ideas import IDEAS, moment
from games.learn.moments import Moment, find, holder, moment_of, sensible

PLAIN = {code for code in faces.CODES if POINTS[card_int(code)] == 0}
LOADS = {code for code in faces.CODES if POINTS[card_int(code)] >= 10}


def taker(moment: Moment, card: str) -> int:
    """Who takes with `card` as the last one, by the rule in words: highest trump, else highest of the suit led."""
    lying = [*moment.table, (moment.seat, card)]
    suit = moment.trump if any(code[1] == moment.trump for _seat, code in lying) else lying[0][1][1]
    return max((faces.STRENGTH[::-1].index(code[0]), seat) for seat, code in lying if code[1] == suit)[1]


def side(moment: Moment, seat: int) -> int:
    return (seat - moment.seat) % 2


@pytest.mark.parametrize("name", IDEAS)
def test_every_outcome_follows_from_the_rules(name):
    found = moment(name)
    assert found.right in found.hand
    assert len({*found.hand, *(card for _seat, card in found.table)}) == len(found.hand) + len(found.table)
    for one in found.outcomes:
        lying = [*(card for _seat, card in found.table), one.card]
        assert (one.winner, one.points) == (taker(found, one.card), sum(POINTS[card_int(card)] for card in lying))
    assert len(found.outcomes) == (len(found.hand) if len(found.table) == found.seats - 1 else 0)


def test_each_example_shows_its_idea():
    found = {name: moment(name) for name in IDEAS}
    led = {name: one.table[0][1] for name, one in found.items() if one.table}
    same = found["same_suit"]
    assert led["same_suit"][1] == same.right[1] != same.trump
    assert same.outcome.winner == same.seat
    trump = found["trump"]
    assert led["trump"] in LOADS
    assert trump.right in PLAIN
    assert trump.right[1] == trump.trump != led["trump"][1]
    assert trump.outcome.winner == trump.seat
    other = found["other_suit"]
    assert led["other_suit"] in PLAIN
    assert other.right in LOADS
    assert other.trump != other.right[1] != led["other_suit"][1]
    assert other.outcome.winner != other.seat
    assert {10, 11} & {POINTS[card_int(led["count"])]}
    assert found["count"].outcome.points > 11
    plain = found["plain"]
    assert (plain.outcome.winner == plain.seat, plain.outcome.points) == (False, 0)
    home = found["load_home"]
    assert (home.outcome.winner, home.right in LOADS, home.right[1] == home.trump) == (home.seat, True, False)
    smallest = found["trump_for_load"]
    taking = [one.card for one in smallest.outcomes if one.winner == smallest.seat]
    assert len(taking) == 2
    assert min(taking, key=card_int) == smallest.right
    assert found["lead"].table == ()
    assert found["lead"].right in PLAIN
    assert side(found["give_partner"], found["give_partner"].outcome.winner) == 0
    assert found["give_partner"].outcome.winner != found["give_partner"].seat
    assert found["give_partner"].right in LOADS
    save = found["save_trick"]
    assert [side(save, one.winner) for one in save.outcomes if one.card != save.right] == [1, 1]
    assert save.outcome.winner == save.seat
    told = found["told"]
    assert told.signal == (
        "".join(rank for rank in "A3RCF" if rank + told.trump in told.partner),
        len([card for card in told.partner if card in LOADS and card[1] != told.trump]),
    )


@pytest.mark.parametrize("name", ["upcard", "last_three"])
def test_in_an_ending_one_card_alone_wins(name):
    found = moment(name)
    won = {end.card: end.own > 60 for end in found.ends}
    assert won == {card: card == found.right for card in found.hand}
    assert {end.own + end.other for end in found.ends} == {120}
    assert max(found.points) <= 60
    assert (len(found.theirs) == 3) is (name == "last_three")


def test_an_idea_that_no_deal_shows_is_refused():
    with pytest.raises(LookupError, match="nothing"):
        find("nothing", Rules(n=6), lambda _deal: None)


def test_a_sensible_card_brings_loads_home_and_leads_neither_load_nor_trump():
    deal = first_game.deal_before(6)
    assert card_code(sensible(deal)) == "CB"
    deal = first_game.deal_before(29)
    assert (holder(deal), card_code(sensible(deal))) == (1, "AS")
    assert holder(first_game.deal_before(30)) is None


@pytest.mark.parametrize("language", ["it", "en"])
@pytest.mark.parametrize("deck", faces.DECKS)
def test_examples_speak_the_language_and_the_deck(language, deck):
    with translation.override(language):
        drawn = examples(*IDEAS, deck=deck)
        knave = faces.rank_names(deck)["F"]
        assert set(drawn) == set(IDEAS)
        for name, one in drawn.items():
            assert one.question
            assert one.reason
            assert (one.hand == ()) is (name in FINISHED or name == "told")
            assert all(choice.is_right == (choice.card == moment(name).right) for choice in one.choices)
        assert drawn["plain"].answer == faces.card_name(moment("plain").right, deck) + "."
        assert drawn["told"].answer == ", ".join(faces.card_name(card, deck) for card in moment("told").partner) + "."
        assert [letter for letter, _held in drawn["told"].signal[0]][-1] == faces.rank_letters(deck)["F"]
        assert knave in {"Fante", "Knave", "Jack"}


def test_the_answer_to_who_takes_names_the_winner_and_the_points():
    with translation.override("en"):
        drawn = examples("same_suit", "trump", "other_suit", "count", deck="napoletane")
    assert drawn["same_suit"].answer == f"You take, {moment('same_suit').outcome.points} points."
    assert drawn["other_suit"].answer == f"The opponent takes, {moment('other_suit').outcome.points} points."
    count = moment("count")
    first, second = POINTS[card_int(count.table[0][1])], POINTS[card_int(count.right)]
    assert (
        drawn["count"].answer == f"{first} + {second} = {first + second}. The opponent takes, {first + second} points."
    )


# -- the guided first game


def test_the_first_game_is_a_whole_deal_of_the_engine():
    record = Record(Rules(), first_game.deal_before(0).deck, parse_cards(first_game.PLAYS), first_game.DEALER)
    result = record.result()
    assert (result.is_over, result.side_points, result.winner_side) == (True, first_game.final_points(), 0)
    assert first_game.final_points() == (67, 53)


def test_the_learner_answers_in_every_step_and_one_card_is_right():
    for step in first_game.steps("napoletane"):
        deal: Deal = first_game.deal_before(step.ply)
        assert (deal.turn, len(deal.table), len(deal.legal())) == (0, 1, 3)
        right = [choice.card for choice in step.example.choices if choice.is_right]
        assert right == [first_game.PLAYS[2 * step.ply : 2 * step.ply + 2]]
        assert [choice.card for choice in step.example.choices] == [card_code(card) for card in deal.legal()]


def test_each_step_has_one_idea_and_its_wrong_cards_miss_it():
    moments = {step.name: first_game._moment(step.ply) for step in first_game.steps("napoletane")}
    assert list(moments) == ["strength", "trump", "loads", "draw", "last"]
    for name in ("strength", "trump"):
        found = moments[name]
        assert [one.card for one in found.outcomes if one.winner == 0] == [found.right]
    assert moments["strength"].right[1] == moments["strength"].table[0][1][1] != moments["strength"].trump
    assert moments["trump"].right[1] == moments["trump"].trump
    loads = moments["loads"]
    assert loads.right in LOADS
    assert loads.right[1] != loads.trump
    assert max(loads.outcomes, key=lambda one: (one.winner == 0, one.points)).card == loads.right
    draw = moments["draw"]
    assert draw.stock == 2
    assert draw.outcome.winner == 1
    assert draw.outcome.points == 0
    for name in ("draw", "last"):
        deal = first_game.deal_before({"draw": 33, "last": 35}[name])
        assert solve(deal).best == (moments[name].right,)
        ends = moment_of(deal, card_int(moments[name].right)).ends
        assert [end.card for end in ends if end.own > 60] == [moments[name].right]
    assert [bool(found.ends) for found in moments.values()] == [False, False, False, False, True]
    assert moments["last"].theirs == ("2D", "RS")


def test_the_script_says_something_for_every_card_of_every_step():
    with translation.override("it"):
        script = first_game.script("francesi")
    assert [step["ply"] for step in script["steps"]] == [1, 7, 29, 33, 35]
    assert all(len(step["said"]) == 3 and all(step["said"].values()) for step in script["steps"])
    assert "{" not in "".join(step["text"] + step["done"] + step["hint"] for step in script["steps"])
    assert "A 3 K Q J 7 6 5 4 2" in script["steps"][0]["text"]
    assert script["steps"][1]["later"] == "2 prese dopo: hai 6 punti, l’avversario 10."
    assert script["steps"][0]["later"] == script["steps"][4]["later"] == ""
