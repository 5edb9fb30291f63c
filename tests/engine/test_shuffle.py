import hashlib
import hmac
import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine import (
    Rules,
    ShuffleError,
    card_code,
    commitment,
    dealer_draws,
    first_dealer,
    format_cards,
    shuffled,
)
from games.engine.shuffle import Stream, is_forbidden
from tests.engine.play import GOLDEN, SEED, any_rules

VECTORS = json.loads((GOLDEN / "shuffle.json").read_text())["vectors"]
seeds = st.binary(min_size=32, max_size=32)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_the_shuffle_gives_the_decks_and_dealers_of_the_vector(vector: dict) -> None:
    seed, salt = bytes.fromhex(vector["seed"]), vector["salt"]
    rules = Rules(n=vector["players"], removed=tuple(vector["removed"]), redraw=vector["redraw"])
    assert commitment(seed) == vector["commitment"]
    first = hmac.digest(seed, f"bella-1:{salt}:deal:1:0".encode() + bytes(4), "sha256")
    assert first.hex() == vector["first_block"]
    for deal in vector["deals"]:
        shuffle = shuffled(rules, seed, salt, deal["number"])
        assert format_cards(shuffle.deck) == deal["deck"]
        assert [card_code(card) for card in shuffle.turned] == deal["turned"]
        assert shuffle.attempt == deal["attempt"]
    for dealt in vector["dealers"]:
        of_dealers = Rules(n=dealt["players"], first_dealer=dealt["rule"])
        assert first_dealer(of_dealers, seed, salt) == dealt["dealer"]
        draws = [[[seat, card_code(card)] for seat, card in drawn] for drawn in dealer_draws(of_dealers, seed, salt)]
        assert draws == dealt["draws"]


def test_the_vectors_are_all_there() -> None:
    assert [(len(vector["deals"]), len(vector["dealers"])) for vector in VECTORS] == [(3, 3), (3, 3)]


def written_down(seed: bytes, label: str, cards: list[int]) -> list[int]:
    """The permutation as the documentation words it, without the engine's shortcuts."""
    stream = b"".join(
        hmac.new(seed, label.encode() + block.to_bytes(4, "big"), hashlib.sha256).digest() for block in range(8)
    )
    at = 0
    for last in range(len(cards) - 1, 0, -1):
        n = last + 1
        while stream[at] >= 256 - 256 % n:
            at += 1
        other = stream[at] % n
        at += 1
        cards[last], cards[other] = cards[other], cards[last]
    return cards


@given(seeds, st.integers(1, 10**9), st.text("0123456789abcXYZ_-", max_size=64))
def test_the_shuffle_is_the_one_that_is_written_down(seed: bytes, number: int, salt: str) -> None:
    deck = written_down(seed, f"bella-1:{salt}:deal:{number}:0", list(range(40)))
    assert shuffled(Rules(), seed, salt, number).deck == tuple(deck)


@given(any_rules(), seeds, st.integers(1, 1000))
def test_a_deck_has_the_cards_of_the_rules_and_no_forbidden_upcard(rules: Rules, seed: bytes, number: int) -> None:
    shuffle = shuffled(rules, seed, "", number)
    assert sorted(shuffle.deck) == list(rules.cards)
    assert not is_forbidden(rules, shuffle.deck[3 * rules.n])
    assert all(is_forbidden(rules, card) for card in shuffle.turned)
    if rules.redraw != "A3R":
        assert shuffle.attempt == 0
    else:
        assert len(shuffle.turned) <= 1
    if not shuffle.turned and not shuffle.attempt:
        assert shuffle.deck == tuple(Stream(seed, f"bella-1::deal:{number}:0").permuted(rules.cards))


def test_cards_turned_back_lie_below_the_new_upcard_and_hands_stay() -> None:
    rules = Rules(redraw="A3")
    turned = 0
    for number in range(1, 200):
        shuffle = shuffled(rules, SEED, "", number)
        plain = Stream(SEED, f"bella-1::deal:{number}:0").permuted(range(40))
        assert shuffle.deck[:6] == tuple(plain[:6])
        assert all(card in shuffle.deck[7:] for card in shuffle.turned)
        if shuffle.turned:
            turned += 1
            assert shuffle.turned[0] == plain[6]
            assert shuffle.deck[6] == plain[7] or len(shuffle.turned) > 1
    assert 20 < turned < 70


def test_the_share_of_redraws_is_the_measured_one() -> None:
    rules = Rules(redraw="A3R")
    shuffles = [shuffled(rules, SEED, "x", number) for number in range(1, 2001)]
    assert 0.19 < sum(bool(s.turned) for s in shuffles) / 2000 < 0.25
    assert 0.06 < sum(s.attempt > 0 for s in shuffles) / 2000 < 0.10


def test_the_first_card_is_fair_over_4000_deals() -> None:
    counts = Counter(shuffled(Rules(), SEED, "chi", number).deck[0] for number in range(1, 4001))
    chi_square = sum((counts[card] - 100) ** 2 / 100 for card in range(40))
    assert chi_square < 72.1  # 39 degrees of freedom: above it once in 1,000 seeds


def test_another_seed_salt_number_or_label_gives_another_deck() -> None:
    rules = Rules()
    decks = {
        shuffled(rules, seed, salt, number).deck
        for seed in (SEED, SEED[::-1])
        for salt in ("", "a", "a:deal".replace(":", "-"))
        for number in (1, 2, 11)
    }
    assert len(decks) == 18
    assert tuple(Stream(SEED, "bella-1::dealer").permuted(range(40))) not in decks


def test_below_is_fair_and_throws_away_what_is_not() -> None:
    stream = Stream(SEED, "fair")
    counts = Counter(stream.below(3) for _ in range(30_000))
    assert set(counts) == {0, 1, 2}
    assert max(counts.values()) - min(counts.values()) < 600
    assert {Stream(SEED, "one").below(1) for _ in range(9)} == {0}
    assert 0 <= stream.below(256) < 256


def test_the_lowest_or_highest_card_deals_and_equal_ranks_draw_again() -> None:
    redrawn = 0
    for n in (2, 3, 4, 6, 8):
        for number in range(60):
            seed = hashlib.sha256(f"{n} {number}".encode()).digest()
            for option, choose in (("lowest", min), ("highest", max)):
                rules = Rules(n=n, first_dealer=option)
                rounds = dealer_draws(rules, seed, "")
                live = set(range(n))
                for drawn in rounds:
                    assert {seat for seat, _ in drawn} == live
                    rank = choose(card % 10 for _, card in drawn)
                    live = {seat for seat, card in drawn if card % 10 == rank}
                cards = [card for drawn in rounds for _, card in drawn]
                assert len(set(cards)) == len(cards)
                assert live == {first_dealer(rules, seed, "")}
                redrawn += len(rounds) > 1
    assert redrawn > 20


def test_a_fixed_first_dealer_needs_no_draw_and_a_random_one_is_fair() -> None:
    assert first_dealer(Rules(n=4, first_dealer="seat:3"), SEED, "") == 3
    dealt = Counter(first_dealer(Rules(n=3), hashlib.sha256(bytes([i])).digest(), "") for i in range(256))
    assert set(dealt) == {0, 1, 2}
    assert min(dealt.values()) > 60


@pytest.mark.parametrize(
    ("seed", "salt", "number", "code"),
    [
        (b"", "", 1, "shuffle.seed"),
        (bytes(31), "", 1, "shuffle.seed"),
        (bytes(33), "", 1, "shuffle.seed"),
        ("0" * 32, "", 1, "shuffle.seed"),
        (None, "", 1, "shuffle.seed"),
        (SEED, "a" * 65, 1, "shuffle.salt"),
        (SEED, "a b", 1, "shuffle.salt"),
        (SEED, "a:b", 1, "shuffle.salt"),
        (SEED, "\u00e8", 1, "shuffle.salt"),
        (SEED, None, 1, "shuffle.salt"),
        (SEED, b"a", 1, "shuffle.salt"),
        (SEED, "", 0, "shuffle.number"),
        (SEED, "", -1, "shuffle.number"),
        (SEED, "", True, "shuffle.number"),
        (SEED, "", 1.0, "shuffle.number"),
        (SEED, "", 10**4000, "shuffle.number"),
    ],
)
def test_a_wrong_seed_salt_or_number_is_refused(seed: bytes, salt: str, number: int, code: str) -> None:
    with pytest.raises(ShuffleError) as refused:
        shuffled(Rules(), seed, salt, number)
    assert refused.value.code == code
    if code != "shuffle.number":
        with pytest.raises(ShuffleError) as refused:
            first_dealer(Rules(), seed, salt)
        assert refused.value.code == code
    if code == "shuffle.seed":
        with pytest.raises(ShuffleError):
            commitment(seed)
