import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import Deal, Observation, Position, Record, RecordError, Rules, card_code, parse_cards
from games.engine.cards import CODES
from tests.engine.play import any_deal, any_rules, new_deal, play_out


def shows_partners(deal: Deal) -> bool:
    return {
        "never": False,
        "start": deal.tricks_done == 0,
        "stock_empty": deal.stock_size == 0,
        "always": True,
    }[deal.rules.partners_see]


def hidden_from(deal: Deal, seat: int | None, *, also_told: bool) -> set[int]:
    """Cards whose place `seat` must not know; with `also_told` those of partners who signal automatically too."""
    if deal.rules.open == "all":
        return set()
    hidden = set(deal.stock)
    if deal.rules.open == "hands":
        return hidden - {deal.upcard}
    for other, hand in enumerate(deal.hands):
        is_partner = seat is not None and deal.rules.sides[other] == deal.rules.sides[seat]
        is_told = deal.rules.signals == "auto" and not also_told
        if other != seat and not (is_partner and (shows_partners(deal) or is_told)):
            hidden |= set(hand)
    return hidden - {deal.upcard}


@given(any_rules(), st.integers(0, 2**32))
def test_what_a_seat_sees_does_not_depend_on_cards_hidden_from_it(rules: Rules, chance: int) -> None:
    rng = Random(chance)
    deal = new_deal(rules, rng)
    while True:
        for seat in (None, *range(rules.n)):
            hidden = [at for at, card in enumerate(deal.deck) if card in hidden_from(deal, seat, also_told=False)]
            deck = list(deal.deck)
            moved = hidden[:]
            rng.shuffle(moved)
            for at, new in zip(hidden, moved, strict=True):
                deck[at] = deal.deck[new]
            other = Record(rules, tuple(deck), deal.plays, deal.dealer).replay()
            assert other.observe(seat) == deal.observe(seat)
        if deal.over:
            return
        for _ in range(rng.randint(1, 2 * rules.n)):
            if not deal.over:
                deal.play(rng.choice(deal.legal()))


@given(any_deal())
def test_the_unseen_cards_are_exactly_those_hidden_from_the_seat(deal: Deal) -> None:
    for seat in (None, *range(deal.rules.n)):
        view = deal.observe(seat)
        assert view.unseen() == tuple(map(card_code, sorted(hidden_from(deal, seat, also_told=True))))


@given(any_deal())
def test_an_observation_tells_what_lies_open(deal: Deal) -> None:
    for seat in range(deal.rules.n):
        view = deal.observe(seat, number=3, score=(1, 0), drawn=2)
        assert view.hand == tuple(map(card_code, deal.hands[seat]))
        assert view.legal == (view.hand if seat == deal.turn and not deal.over else ())
        assert [card for _, card in view.table] == list(map(card_code, deal.table))
        assert [at for at, _ in view.table] == [(deal.leader + step) % deal.rules.n for step in range(len(deal.table))]
        assert (view.stock, view.upcard_in_stock) == (
            deal.stock_size,
            deal.stock_size > 0 and deal.rules.trump == "upcard",
        )
        assert view.hand_sizes == tuple(map(len, deal.hands))
        assert view.points == deal.side_points
        assert view.turn == (None if deal.over else deal.turn)
        upcard = CODES[deal.upcard] if deal.rules.trump == "upcard" else ""
        assert (view.trump, view.upcard) == (upcard[1:], upcard)
        assert view.stock_cards == (tuple(map(card_code, deal.stock)) if deal.rules.open == "all" else ())
        assert [(t.leader, t.winner, t.points) for t in view.tricks] == [
            (t.leader, t.winner, t.points) for t in deal.tricks
        ]
        assert [t.cards for t in view.tricks] == [tuple(map(card_code, t.cards)) for t in deal.tricks]
        assert (view.deal, view.score, view.drawn) == (3, (1, 0), 2)


@given(any_deal())
def test_an_observation_comes_back_from_json(deal: Deal) -> None:
    for seat in (None, *range(deal.rules.n)):
        view = deal.observe(seat, signs=((4, 1, "K"),))
        data = json.loads(json.dumps(view.to_dict())) | {"clock": {"bank_cpu_ms": 1}}
        assert Observation.from_dict(data) == view
        assert hash(Observation.from_dict(data)) == hash(view)


def test_the_opponents_hand_follows_once_the_stock_is_empty_between_two() -> None:
    rng = Random(8)
    deal = new_deal(Rules(), rng)
    known = 0
    while not deal.over:
        for seat in (0, 1):
            found = deal.observe(seat).opponent_hand()
            assert found == (None if deal.stock_size else tuple(map(card_code, sorted(deal.hands[1 - seat]))))
            known += found is not None
        assert deal.observe(None).opponent_hand() is None
        deal.play(rng.choice(deal.legal()))
    assert known == 12
    pairs = play_out(new_deal(Rules(n=4), rng), rng)
    pairs.undo()
    assert pairs.observe(0).opponent_hand() is None


def test_everybody_knows_who_drew_the_upcard_until_it_is_played() -> None:
    rng = Random(4)
    deal = new_deal(Rules(n=3), rng)
    while deal.stock_size:
        assert deal.observe(0).known == {}
        deal.play(rng.choice(deal.legal()))
    holder = (deal.leader - 1) % 3
    upcard = card_code(deal.upcard)
    for seat in (None, 0, 1, 2):
        assert deal.observe(seat).known == ({} if seat == holder else {holder: (upcard,)})
    while deal.turn != holder:
        deal.play(deal.legal()[0])
    deal.play(deal.upcard)
    assert [deal.observe(seat).known for seat in (None, 0, 1, 2)] == [{}] * 4


@pytest.mark.parametrize(
    ("option", "moments"),
    [("never", (0, 0, 0)), ("start", (1, 0, 0)), ("stock_empty", (0, 0, 1)), ("always", (1, 1, 1))],
)
def test_partners_see_each_others_hand_when_the_rules_say_so(option: str, moments: tuple[int, int, int]) -> None:
    rng = Random(9)
    deal = new_deal(Rules(n=4, partners_see=option), rng)

    def seen() -> int:
        hand = tuple(map(card_code, sorted(deal.hands[2])))
        assert 3 not in deal.observe(0).known or deal.upcard in deal.hands[3]
        return int(deal.observe(0).known.get(2) == hand and len(hand) > 1)

    found = [seen()]
    for _ in range(4):
        deal.play(rng.choice(deal.legal()))
    found.append(seen())
    while deal.stock_size:
        deal.play(rng.choice(deal.legal()))
    found.append(seen())
    assert tuple(found) == moments
    assert 2 not in deal.observe(None).known or deal.upcard in deal.hands[2]


def test_partners_tell_their_honours_and_carichi_by_themselves_with_automatic_signals() -> None:
    rules = Rules(n=4, signals="auto")
    start = "AS2D3S4DRS5D2CAC3D6D4C3C7S"  # seat 0, 1, 2, 3 three times, then the upcard
    rest = [card for card in rules.cards if card not in parse_cards(start)]
    deal = Deal(rules, (*parse_cards(start), *rest), 3)
    assert deal.observe(2).signals == {0: ("AR", 1)}
    assert deal.observe(0).signals == {2: ("3", 0)}
    assert deal.observe(1).signals == {3: ("", 2)}
    assert deal.observe(None).signals == {}
    assert Deal(Rules(n=4), deal.deck, 3).observe(2).signals == {}


@pytest.mark.parametrize("seat", [-1, 2, True, "0", 0.0])
def test_only_a_seat_of_the_table_observes(seat: Any) -> None:
    with pytest.raises(RecordError) as refused:
        new_deal(Rules(), Random(1)).observe(seat)
    assert refused.value.code == "record.seat"


def test_a_deal_built_from_a_position_has_no_history_to_observe() -> None:
    deal = Position.parse(new_deal(Rules(), Random(1)).position()).deal()
    with pytest.raises(RecordError) as refused:
        deal.observe(0)
    assert refused.value.code == "record.history"


@pytest.mark.parametrize("data", [{}, {"rules": {"n": 9}}, [], None, "x"])
def test_a_message_that_is_no_observation_is_refused(data: Any) -> None:
    with pytest.raises(RecordError) as refused:
        Observation.from_dict(data)
    assert refused.value.code == "record.view"


def test_an_observation_holds_neither_the_deck_nor_a_way_to_the_deal() -> None:
    deal = new_deal(Rules(), Random(1))
    view = deal.observe(0)
    deal.play(deal.legal()[0])
    assert view.table == ()
    assert len(view.hand) == 3
    with pytest.raises(AttributeError):
        view.hand = ()  # type: ignore[misc]
    assert not any(isinstance(getattr(view, name), (Deal, list)) for name in view.__dataclass_fields__)
