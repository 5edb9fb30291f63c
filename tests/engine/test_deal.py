from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import (
    POINTS,
    ClaimError,
    Deal,
    EngineError,
    IllegalPlay,
    Record,
    RecordError,
    Rules,
    card_int,
    parse_cards,
    read_deal,
    write_deal,
)
from games.engine.cards import NO_CARD, NO_TRUMP
from tests.engine.play import any_deal, any_rules, case, new_deal, play_out, state_of

P01 = case("P01")["input"]


def first_deal(code: str = "n=2") -> Deal:
    return Deal(Rules.parse(code), parse_cards(P01["deck"]), 1)


@given(any_rules(), st.integers(0, 2**32))
def test_points_and_unplayed_make_120_and_every_card_is_played_at_most_once(rules: Rules, chance: int) -> None:
    rng = Random(chance)
    deal = new_deal(rules, rng)
    hand = rules.hand
    while not deal.over:
        in_hands = [len(held) for held in deal.hands]
        if deal.stock_size:
            assert set(in_hands) <= {hand, hand - 1}
        deal.play(rng.choice(deal.legal()))
        assert sum(deal.points) + deal.unplayed == 120
        assert len(set(deal.plays)) == len(deal.plays)
        assert sorted((*deal.plays, *deal.stock, *(c for held in deal.hands for c in held))) == list(rules.cards)
    if rules.stop_at_61 != "auto":
        assert deal.unplayed == 0
        assert len(deal.tricks) == len(rules.cards) // rules.n
    else:
        assert deal.unplayed == 0 or max(deal.side_points) > 60


@given(any_rules(), st.integers(0, 2**32))
def test_draws_end_with_full_hands_and_the_upcard_goes_to_the_last_drawer(rules: Rules, chance: int) -> None:
    rng = Random(chance)
    deal = new_deal(rules, rng)
    while deal.stock_size and not deal.over:
        deal.play(rng.choice(deal.legal()))
    if deal.over:
        return
    assert [len(hand) for hand in deal.hands] == [rules.hand] * rules.n
    last_drawer = (deal.leader - 1) % rules.n
    assert deal.hands[last_drawer][-1] == (deal.upcard if rules.trump == "upcard" else deal.deck[-1])
    assert len(deal.tricks) == rules.tricks - rules.hand


@given(any_rules(), st.integers(0, 2**32))
def test_a_trick_goes_to_the_highest_trump_else_to_the_highest_card_of_the_led_suit(rules: Rules, chance: int) -> None:
    deal = play_out(new_deal(rules, Random(chance)), Random(chance))
    leader = (deal.dealer + (1 if rules.first_lead == "after" else -1)) % rules.n
    banked = [0] * rules.n
    for trick in deal.tricks:
        assert trick.leader == leader
        trumps = [card for card in trick.cards if card // 10 == deal.trump]
        following = [card for card in trick.cards if card // 10 == trick.cards[0] // 10]
        best = max(trumps or following)
        leader = (trick.leader + trick.cards.index(best)) % rules.n
        assert trick.winner == leader
        assert trick.points == sum(POINTS[card] for card in trick.cards)
        banked[leader] += trick.points
    assert tuple(banked) == deal.points


@given(any_rules(), st.integers(0, 2**32))
def test_undo_restores_every_field_of_every_moment(rules: Rules, chance: int) -> None:
    rng = Random(chance)
    deal = new_deal(rules, rng)
    moments = [state_of(deal)]
    while not deal.over:
        deal.play(rng.choice(deal.legal()))
        moments.append(state_of(deal))
    for earlier in reversed(moments[:-1]):
        card = deal.undo()
        assert state_of(deal) == earlier
        assert card in deal.legal()
    with pytest.raises(IllegalPlay) as refused:
        deal.undo()
    assert refused.value.code == "play.nothing"
    assert state_of(deal) == moments[0]


@given(any_rules(), st.integers(0, 2**32))
def test_plays_with_undo_at_random_moments_end_as_the_straight_replay(rules: Rules, chance: int) -> None:
    rng = Random(chance)
    deal = new_deal(rules, rng)
    for _ in range(120):
        if deal.over:
            break
        if deal.plays and rng.random() < 0.3:
            deal.undo()
        else:
            deal.play(rng.choice(deal.legal()))
        if rng.random() < 0.1:
            deal.observe(0)
    straight = Deal(rules, deal.deck, deal.dealer)
    for card in deal.plays:
        straight.play(card)
    assert state_of(straight) == state_of(deal)
    assert [straight.observe(seat) for seat in range(rules.n)] == [deal.observe(seat) for seat in range(rules.n)]


@pytest.mark.parametrize(
    ("card", "seat", "code"),
    [
        (40, None, "card.code"),
        (-1, None, "card.code"),
        ("6S", None, "card.code"),
        (None, 5, "card.code"),
        ([], None, "card.code"),
        (card_int("5D"), None, "play.not_in_hand"),
        (card_int("6S"), 1, "play.not_your_turn"),
        (card_int("5D"), 1, "play.not_your_turn"),
        (card_int("6S"), "0", "play.not_your_turn"),
    ],
)
def test_a_refused_play_changes_nothing(card: int, seat: int | None, code: str) -> None:
    deal = first_deal()
    before = state_of(deal)
    with pytest.raises(EngineError) as refused:
        deal.play(card, seat)
    assert refused.value.code == code
    assert state_of(deal) == before


def test_the_seat_on_turn_may_say_who_it_is() -> None:
    deal = first_deal()
    deal.play(card_int("6S"), seat=0)
    assert deal.table == (card_int("6S"),)
    assert deal.turn == 1


def test_after_the_end_no_card_is_played_and_a_wrong_one_is_still_called_wrong() -> None:
    deal = play_out(first_deal(), Random(1))
    before = state_of(deal)
    for card, code in ((card_int("6S"), "play.deal_over"), (99, "card.code")):
        with pytest.raises(EngineError) as refused:
            deal.play(card)
        assert refused.value.code == code
    assert state_of(deal) == before
    assert deal.legal() == ()


@pytest.mark.parametrize(
    ("deck", "dealer", "turned", "code"),
    [
        (range(40), 0, (), "record.deck"),
        ((), 0, (), "record.deck"),
        ([0] * 40, 0, (), "record.deck"),
        ([*range(39), 40], 0, (), "record.deck"),
        ([*range(39), -1], 0, (), "record.deck"),
        ([*range(39), "AB"], 0, (), "record.deck"),
        ([*range(39), 39.0], 0, (), "record.deck"),
        (40, 0, (), "record.deck"),
        (10**12, 0, (), "record.deck"),
        (None, 0, (), "record.deck"),
        ("AD", 0, (), "record.deck"),
        (list(range(40)), 2, (), "record.dealer"),
        (list(range(40)), -1, (), "record.dealer"),
        (list(range(40)), True, (), "record.dealer"),
        (list(range(40)), None, (), "record.dealer"),
        (list(range(40)), 0, (9,), "record.turned"),
        (list(range(40)), 0, "AD", "record.turned"),
    ],
)
def test_a_deal_needs_the_deck_of_its_rules_and_a_dealer(
    deck: object, dealer: object, turned: object, code: str
) -> None:
    with pytest.raises(RecordError) as refused:
        Deal(Rules(), deck, dealer, turned)  # type: ignore[arg-type]
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("redraw", "turned", "is_right"),
    [("A3", "AD", True), ("A3", "AD3CAD", True), ("A3", "RD", False), ("A3R", "RD", True), ("A3R", "RDAD", False),
     ("A3", "CD", False), ("none", "AD", False)],
)  # fmt: skip
def test_only_upcards_that_the_rules_turn_back_can_have_been_turned_back(
    redraw: str, turned: str, is_right: bool
) -> None:
    rules = Rules(redraw=redraw)
    if is_right:
        assert Deal(rules, rules.cards, 0, parse_cards(turned)).turned == parse_cards(turned)
        return
    with pytest.raises(RecordError) as refused:
        Deal(rules, rules.cards, 0, parse_cards(turned))
    assert refused.value.code == "record.turned"


@pytest.mark.parametrize(("first_lead", "leader"), [("after", 0), ("before", 2)])
def test_the_first_player_sits_after_or_before_the_dealer(first_lead: str, leader: int) -> None:
    rules = Rules(n=4, first_lead=first_lead)
    deal = Deal(rules, rules.cards, 3)
    assert deal.turn == deal.leader == leader
    assert deal.hands[leader] == (0, 4, 8)
    assert deal.hands[(leader + 1) % 4] == (1, 5, 9)


def test_changing_what_a_deal_gives_out_does_not_change_the_deal() -> None:
    deck = list(parse_cards(P01["deck"]))
    deal = Deal(Rules(), deck, 1)
    deck[0] = deck[1]
    assert deal.deck == parse_cards(P01["deck"])
    assert all(isinstance(value, tuple) for value in (deal.legal(), deal.points, deal.plays, deal.hands, deal.stock))


def to_claim(code: str = "n=2 stop_at_61=claim") -> Deal:
    """A deal in which the seat on turn may call the game."""
    rng = Random(5)
    deal = new_deal(Rules.parse(code), rng)
    while deal.table or deal.side_points[deal.rules.sides[deal.turn]] <= 60:
        deal.play(rng.choice(deal.legal()))
    return deal


def test_a_side_over_60_may_call_the_game_and_the_rest_stays_unplayed() -> None:
    deal = to_claim()
    seat, before = deal.turn, deal.side_points
    assert not deal.over
    deal.claim(seat)
    result = deal.result()
    assert (deal.over, deal.end, result.winner_side) == (True, f"claim:{seat}", seat)
    assert result.side_points == before
    assert result.unplayed == 120 - sum(before) > 0
    with pytest.raises(IllegalPlay) as refused:
        deal.play(deal.hands[seat][0])
    assert refused.value.code == "play.deal_over"


def test_60_are_not_enough_to_call_the_game_and_61_are() -> None:
    seen = set()
    for chance in range(600):
        rng = Random(chance)
        deal = new_deal(Rules(stop_at_61="claim"), rng)
        while not deal.over:
            points = deal.points[deal.turn]
            if not deal.table and points == 60:
                with pytest.raises(ClaimError) as refused:
                    deal.claim(deal.turn)
                assert (refused.value.code, refused.value.detail["points"]) == ("claim.too_low", 60)
                seen.add(60)
            elif not deal.table and points > 60:
                deal.claim(deal.turn)
                seen.add(points)
            else:
                deal.play(rng.choice(deal.legal()))
                continue
            break
        if {60, 61} <= seen:
            return
    assert {60, 61} <= seen


@pytest.mark.parametrize("code", ["n=2", "n=2 stop_at_61=auto", "n=2 stop_at_61=claim"])
def test_a_deal_tells_how_it_ended(code: str) -> None:
    rng = Random(5)
    deal = new_deal(Rules.parse(code), rng)
    while not deal.over:
        deal.play(rng.choice(deal.legal()))
        if "claim" in code and not deal.over and not deal.table and deal.points[deal.turn] > 60:
            deal.claim(deal.turn)
    assert deal.termination == (code.partition("stop_at_61=")[2] or "normal")
    assert (deal.unplayed > 0) == (deal.termination != "normal")


def test_undo_takes_a_call_back_first() -> None:
    deal = to_claim()
    before = state_of(deal)
    deal.claim(deal.turn)
    assert deal.undo() == deal.plays[-1]
    assert state_of(deal) == before


def test_a_call_of_the_game_is_refused_out_of_turn_too_low_on_a_trick_or_twice() -> None:
    low = first_deal("n=2 stop_at_61=claim")
    other = to_claim()
    with_table = to_claim()
    with_table.play(with_table.legal()[0])
    twice = to_claim()
    twice.claim(twice.turn)
    for deal, seat, code in (
        (low, 0, "claim.too_low"),
        (low, 1, "claim.not_allowed"),
        (other, 1 - other.turn, "claim.not_allowed"),
        (other, bool(other.turn), "claim.not_allowed"),
        (other, None, "claim.not_allowed"),
        (with_table, with_table.turn, "claim.not_allowed"),
        (twice, twice.turn, "claim.not_allowed"),
        (first_deal(), 0, "claim.not_allowed"),
    ):
        before = state_of(deal)
        with pytest.raises(ClaimError) as refused:
            deal.claim(seat)  # type: ignore[arg-type]
        assert refused.value.code == code
        assert state_of(deal) == before


def test_60_all_is_drawn_or_goes_to_the_side_of_the_last_trick() -> None:
    drawn = None
    for chance in range(400):
        deal = play_out(new_deal(Rules(), Random(chance)), Random(chance))
        if deal.points == (60, 60):
            drawn = deal
            break
    assert drawn is not None
    assert drawn.winner_side is None
    decided = Deal(Rules(tie="last_trick"), drawn.deck, drawn.dealer)
    for card in drawn.plays:
        decided.play(card)
    assert decided.winner_side == decided.tricks[-1].winner


@given(any_deal())
def test_a_deal_that_is_not_over_has_no_winner(deal: Deal) -> None:
    result = deal.result()
    assert result.is_over == deal.over
    if not deal.over:
        assert deal.winner_side is result.winner_side is None
        assert deal.turn == (deal.leader + len(deal.table)) % deal.rules.n


def test_briscolone_is_played_without_a_trump_and_without_an_upcard() -> None:
    rules = Rules.preset("briscolone", 2)
    assert rules.code == "n=2 format=race:121 hand=5 trump=none"
    deck = tuple(range(40))
    deal = Deal(rules, deck, 1)
    assert deal.hands == ((0, 2, 4, 6, 8), (1, 3, 5, 7, 9))
    assert (deal.stock, deal.upcard, deal.trump) == (tuple(range(10, 40)), NO_CARD, NO_TRUMP)
    deal.play(0)
    deal.play(9)
    assert (deal.leader, deal.points) == (1, (0, 11))
    assert deal.hands == ((2, 4, 6, 8, 11), (1, 3, 5, 7, 10))
    deal.play(10)
    deal.play(8)
    assert deal.leader == 1, "another suit takes nothing, however high"
    view = deal.observe(0)
    assert (view.trump, view.upcard, view.upcard_in_stock, view.stock) == ("", "", False, 26)
    assert deal.position().split(" ")[1] == "-"
    play_out(deal, Random(1))
    assert sum(deal.points) == 120
    assert '\n[Upcard "-"]\n' in write_deal(Record.of(deal))
    assert read_deal(write_deal(Record.of(deal))).record == Record.of(deal)


def test_with_open_hands_every_hand_is_known_and_with_all_open_the_stock_too() -> None:
    for code, stock in (("n=3 open=hands", 0), ("n=2 open=all", 34)):
        deal = new_deal(Rules.parse(code), Random(5))
        for seat in (None, 0, 1):
            view = deal.observe(seat)
            assert {at: len(cards) for at, cards in view.known.items()} == {
                at: 3 for at in range(deal.rules.n) if at != seat
            }
            assert len(view.stock_cards) == stock
            assert len(view.unseen()) == (29 if not stock else 0)
    assert set(deal.observe(0).opponent_hand() or ()) == set(deal.observe(1).hand)
