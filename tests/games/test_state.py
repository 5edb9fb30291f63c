"""`State`: what each viewer sees of a table, and that no hidden card can be read from it."""

import json
import random
from typing import Any

import pytest

from games.engine import Deal as EngineDeal
from games.engine import Rules, card_code, format_cards, shuffled, sign
from games.models import Deal, Match, MatchMode, MatchState, Player, PlayerKind, Seat
from games.selectors.standing import Standing, stand
from games.selectors.state import state, state_of
from games.services import practice
from tests.factories import make_human
from tests.games.tables import make_every_state, make_practice, make_table, now, play_cards, play_deal

SEED = bytes(range(32))
#: Always there, in this table and no other.
KEYS = {
    "seq", "code", "mode", "state", "rules", "seats", "you", "deal", "dealer", "ply", "turn", "upcard", "stock",
    "hands", "trick", "last", "won", "points", "deals", "tricks", "clock", "ready", "commitment", "known", "turned",
    "signs",
    "score", "aids", "pause",
}  # fmt: skip
OWN_KEYS = {"hand", "open_hands", "signals", "offers"}
LATER_KEYS = {"result", "seed", "next_at_ms"}
RULES = [
    "n=2", "n=2 redraw=A3R", "n=2 stop_at_61=auto", "n=3", "n=4", "n=4 signals=auto", "n=4 signals=signs signs_from=1",
    "n=4 partners_see=always", "n=4 partners_see=start", "n=4 partners_see=stock_empty signals=auto",
    "n=6 signals=auto",
    "n=2 hand=5 trump=none",
]  # fmt: skip


def table_of(deal: EngineDeal, *, mode: str = "casual", over: bool = False, signs: Any = (), **fields: Any) -> Standing:
    """A table in memory at which this deal is played; the seats have names of their own."""
    match = Match(
        code="TABLE000", rules=deal.rules.code, mode=MatchMode(mode), state=MatchState.PLAYING, seed=SEED,
        commitment="c", clock="180+5", live_seq=7, first_dealer=0, **fields,
    )  # fmt: skip
    players = [Player(kind=PlayerKind.HUMAN, name=f"P{seat}") for seat in range(deal.rules.n)]
    seats = [Seat(match=match, index=at, side=deal.rules.sides[at], player=one) for at, one in enumerate(players)]
    row = Deal(
        match=match, number=1, dealer=deal.dealer, deck=format_cards(deal.deck), turned=format_cards(deal.turned),
        plays=format_cards(deal.plays), think_ms=[10] * len(deal.plays), moments_ms=[5] * len(deal.plays),
        points=list(deal.points), unplayed=deal.unplayed, signs=[list(one) for one in signs],
        termination="resign" if over else "", fault_seat=0 if over else None,
    )  # fmt: skip
    return stand(match, seats, [row])


def random_deal(rng: random.Random, rules: Rules) -> tuple[EngineDeal, list[tuple[int, int, str]]]:
    """A deal after some cards, with signs where the rules have them."""
    shuffle = shuffled(rules, rng.randbytes(32), "", 1)
    deal = EngineDeal(rules, shuffle.deck, rng.randrange(rules.n), shuffle.turned)
    signs: list[tuple[int, int, str]] = []
    for _ in range(rng.randrange(rules.tricks * rules.n)):
        if deal.over:
            break
        if rules.signals == "signs" and rng.random() < 0.2:
            signs.append(tuple(sign(deal, signs, deal.turn, "K")))
        deal.play(rng.choice(deal.legal()))
    return deal, signs


def dealt_otherwise(rng: random.Random, deal: EngineDeal, viewer: int | None) -> EngineDeal:
    """The same deal with the cards dealt otherwise that this viewer may know nothing about; the plays stay."""
    rules = deal.rules
    seen = deal.observe(viewer)
    friends = set()
    if viewer is not None and (rules.signals == "auto" or rules.partners_see != "never"):
        friends = {seat for seat in range(rules.n) if rules.sides[seat] == rules.sides[viewer]}
    hidden = [card for seat, hand in enumerate(deal.hands) if seat != viewer and seat not in friends for card in hand]
    hidden += list(deal.stock)
    known = {code for cards in seen.known.values() for code in cards} | {seen.upcard}
    hidden = [card for card in hidden if card_code(card) not in known]
    places = [at for at, card in enumerate(deal.deck) if card in hidden]
    cards = [deal.deck[at] for at in places]
    rng.shuffle(cards)
    deck = list(deal.deck)
    for at, card in zip(places, cards, strict=True):
        deck[at] = card
    other = EngineDeal(rules, deck, deal.dealer, deal.turned)
    for card in deal.plays:
        other.play(card)
    return other


@pytest.mark.parametrize("code", RULES)
def test_what_a_viewer_sees_never_depends_on_hidden_cards(code):
    rng = random.Random(code)
    rules = Rules.parse(code)
    different = 0
    for _ in range(25):
        deal, signs = random_deal(rng, rules)
        for viewer in (None, *range(rules.n)):
            other = dealt_otherwise(rng, deal, viewer)
            different += other.deck != deal.deck
            over = rng.random() < 0.1
            first = state_of(table_of(deal, signs=signs, over=over), viewer)
            assert state_of(table_of(other, signs=signs, over=over), viewer) == first
    assert different > 25  # most of them were dealt otherwise indeed


def test_the_property_has_teeth():
    rng = random.Random(1)
    deal, _ = random_deal(rng, Rules())
    while not deal.stock or deal.table:
        deal, _ = random_deal(rng, Rules())
    changed = {json.dumps(state_of(table_of(dealt_otherwise(rng, deal, None)), 0), sort_keys=True) for _ in range(20)}
    assert len(changed) > 1  # the own hand is seen
    opened = {
        json.dumps(
            state_of(table_of(dealt_otherwise(rng, deal, 0), mode="practice", open_hands=True), 0), sort_keys=True
        )
        for _ in range(20)
    }
    assert len(opened) > 1  # open hands are


@pytest.mark.parametrize("code", RULES)
def test_no_text_of_a_state_holds_a_card_that_the_viewer_may_not_know(code):
    rng = random.Random(code)
    rules = Rules.parse(code)
    for _ in range(15):
        deal, signs = random_deal(rng, rules)
        for viewer in (None, *range(rules.n)):
            seen = deal.observe(viewer)
            allowed = {card_code(card) for card in (*deal.plays, *deal.turned)} | {seen.upcard, *seen.hand}
            allowed |= {code for cards in seen.known.values() for code in cards}
            data = state_of(table_of(deal, signs=signs), viewer)
            data.pop("signals", None)  # ranks of trumps in one text: "3C" says three and knight
            text = json.dumps(data)
            hidden = {card_code(card) for card in rules.cards} - allowed
            assert not [code for code in hidden if f'"{code}"' in text]
            assert SEED.hex() not in text


def test_points_cards_and_tricks_are_those_of_the_deal():
    rng = random.Random(3)
    for code in ("n=2", "n=4", "n=3"):
        deal, _ = random_deal(rng, Rules.parse(code))
        data = state_of(table_of(deal), None)
        assert data["points"] == list(deal.side_points)
        assert sum(data["won"]) == deal.rules.n * len(deal.tricks)
        assert data["hands"] == [len(hand) for hand in deal.hands]
        assert [trick["points"] for trick in data["tricks"]] == [trick.points for trick in deal.tricks]
        assert data["last"] == (data["tricks"][-1] if data["tricks"] else None)
        assert (data["stock"], data["ply"]) == (deal.stock_size, len(deal.plays))
        assert [one["card"] for one in data["trick"]] == [card_code(card) for card in deal.table]


# ---- from the database


@pytest.mark.django_db
@pytest.mark.usefixtures("clean_valkey")
def test_every_table_has_the_same_keys_for_every_viewer():
    for name, made in make_every_state().items():
        match = Match.objects.get(pk=made.pk)
        for viewer in (None, *range(match.parsed_rules.n)):
            data = state(match, viewer)
            assert data.keys() >= KEYS, name
            assert data.keys() - KEYS - LATER_KEYS - (OWN_KEYS if viewer is not None else set()) == set(), name
            assert json.loads(json.dumps(data)) == data, name
            assert data["you"] == viewer


@pytest.mark.django_db
@pytest.mark.usefixtures("clean_valkey")
def test_a_state_takes_two_queries_whatever_was_played(django_assert_num_queries):
    match = play_cards(make_table(), 1)
    with django_assert_num_queries(2):
        state(match, 0)
    match = play_deal(match)
    with django_assert_num_queries(2):
        state(match, 0)


@pytest.mark.django_db
@pytest.mark.usefixtures("clean_valkey")
def test_between_deals_the_last_one_is_still_there_and_the_next_is_announced():
    match = play_deal(make_table())
    data = state(match, 0)
    row = now(match).row
    assert row is not None
    assert row.finished_at is not None
    assert (data["deal"], data["turn"], data["stock"], data["hand"]) == (1, None, 0, [])
    assert data["next_at_ms"] == round(row.finished_at.timestamp() * 1000) + 20_000
    assert data["deals"] == [
        {"number": 1, "points": row.points, "winner_side": row.winner_side, "termination": "normal"}
    ]
    assert sum(data["score"]) == (row.winner_side is not None)


@pytest.mark.django_db
@pytest.mark.usefixtures("clean_valkey")
@pytest.mark.parametrize(
    ("code", "expected"),
    [("n=2 format=sum:2", "points"), ("n=2 format=race:120", "points"), ("n=2 format=difference:2", "differences")],
)
def test_the_score_is_the_one_that_the_format_counts(code, expected):
    match = play_deal(make_table(rules=code))
    row = now(match).row
    assert row is not None
    mine, other = row.points
    assert state(match)["score"] == ([mine, other] if expected == "points" else [mine - other, other - mine])


@pytest.mark.django_db
@pytest.mark.usefixtures("clean_valkey")
def test_what_was_known_of_a_player_when_the_match_was_made_is_shown():
    match = make_table(make_human("Luna"), make_human())
    match.seats.filter(index=0).update(shown={"rating": 1512, "interval": [1460, 1564], "version": "v2"})
    seat = state(match)["seats"][0]
    assert seat == {
        "index": 0, "side": 0, "name": "Luna", "kind": "human", "rating": 1512, "interval": [1460, 1564],
        "present": False,
    }  # fmt: skip


@pytest.mark.django_db
@pytest.mark.usefixtures("clean_valkey")
def test_open_hands_are_the_practising_seat_s_alone():
    match = make_practice()
    practice.show_hands(match=match, seat=0, on=True)
    match = Match.objects.get(pk=match.pk)
    found = now(match)
    assert found.deal is not None
    assert state(match, 0)["known"] == {"1": [card_code(card) for card in found.deal.hands[1]]}
    text = json.dumps(state(match))
    assert not [code for code in map(card_code, (*found.deal.hands[0], *found.deal.hands[1])) if f'"{code}"' in text]
