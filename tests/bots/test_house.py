"""House and demo bots: an order of strength, played in this process on mirrored deals."""

from dataclasses import replace
from random import Random
from types import ModuleType
from typing import Any

import pytest

from bots import demo, house
from bots.arena import unpack
from bots.demo import first_legal, greedy_15, greedy_40, medio_ending, medio_unhalved
from bots.house import esperto, greedy, medio, principiante
from bots.house import random as uniform
from bots.protocol import Match
from games.engine import Deal, Record, Rules, card_int, shuffled

RULES = Rules()
FILES = [uniform, greedy, principiante, medio, esperto, first_legal, greedy_15, greedy_40, medio_unhalved, medio_ending]


def seated(file: ModuleType, seat: int) -> Any:
    """The bot of a file, started as the harness does it."""
    if hasattr(file, "play"):
        return file
    bot = file.Bot()
    bot.start(Match(match="m", seat=seat, players=2, sides=(0, 1), rules=RULES, seed=seat, limits={}))
    return bot


def one_deal(number: int, bots: list[Any]) -> Deal:
    shuffle = shuffled(RULES, b"the strength of house bots......", "", number)
    deal = Deal(RULES, shuffle.deck, number % 2)
    while not deal.over:
        deal.play(card_int(bots[deal.turn].play(deal.observe(deal.turn, number=number))))
    return deal


def score(one: ModuleType, other: ModuleType, pairs: int) -> tuple[float, float]:
    """Score of `one` over mirrored pairs (a drawn deal is half), and its points more a deal."""
    won = points = 0.0
    for number in range(1, pairs + 1):
        for seat in (0, 1):
            files = [one, other] if seat == 0 else [other, one]
            deal = one_deal(number, [seated(file, at) for at, file in enumerate(files)])
            won += 0.5 if deal.winner_side is None else deal.winner_side == seat
            points += deal.points[seat] - deal.points[1 - seat]
    return won / (2 * pairs), points / (2 * pairs)


@pytest.mark.parametrize(
    ("one", "other", "low", "high", "points"),
    [
        # measured over thousands of pairs: .823 +33.8, .623 +7.3, .867 +38.9, .569 +4.3; here 4 standard errors wide
        (greedy, uniform, 0.77, 0.88, 33.8),
        (medio, greedy, 0.55, 0.70, 7.3),
        (medio, uniform, 0.81, 0.92, 38.9),
        (medio_ending, medio, 0.52, 0.62, 4.3),
        (principiante, uniform, 0.72, 0.84, 28.6),
        (medio, principiante, 0.61, 0.74, 13.2),
        (medio, medio_unhalved, 0.48, 0.60, None),
        (greedy, greedy_15, 0.52, 0.66, None),
        (greedy_15, greedy_40, 0.52, 0.70, None),
        (greedy_40, first_legal, 0.55, 0.80, None),
    ],
    ids=lambda value: value.__name__.rpartition(".")[2] if isinstance(value, ModuleType) else None,
)
def test_bots_are_of_clearly_different_strength(
    one: ModuleType, other: ModuleType, low: float, high: float, points: float | None
) -> None:
    found, difference = score(one, other, 300)
    assert low < found < high
    if points is not None:
        assert abs(difference - points) < 6


def test_the_exact_ending_is_never_worse_than_any_other_play_of_its_last_three_tricks() -> None:
    """Against every answer: the value that the search promises is what the worst reply leaves."""

    def value(deal: Deal, seat: int) -> int:
        """Points of `seat` less those of the other to come, both playing exactly (plain minimax on the engine)."""
        if deal.over:
            return deal.points[seat] - deal.points[1 - seat]
        best = None
        for card in deal.legal():
            deal.play(card)
            found = value(deal, seat)
            deal.undo()
            if best is None or (found > best if deal.turn == seat else found < best):
                best = found
        assert best is not None
        return best

    for number in range(1, 40):
        played = one_deal(number, [seated(uniform, 0), seated(greedy, 1)])
        for ply in (34, 35):
            deal = Record.of(played).replay(ply)
            seat = deal.turn
            card = card_int(medio_ending.play(deal.observe(seat)))
            best = value(deal, seat)
            deal.play(card)
            assert value(deal, seat) == best


def test_chance_comes_from_the_seed_and_the_position_alone() -> None:
    for file in (uniform, greedy_15, greedy_40):
        first = one_deal(1, [seated(file, 0), seated(file, 1)])
        assert first.plays == one_deal(1, [seated(file, 0), seated(file, 1)]).plays
        assert first.plays != one_deal(1, [seated(file, 1), seated(file, 0)]).plays


def test_greedy_takes_what_lies_there_as_cheaply_as_it_can() -> None:
    view = first_view(table=((1, "3C"),), hand=("AC", "2D", "FD"), trump="D")
    assert greedy.play(view) == "AC"
    view = first_view(table=((1, "RC"),), hand=("2S", "2D", "FD"), trump="D")
    assert greedy.play(view) == "FD"
    view = first_view(table=((1, "2C"),), hand=("AS", "4C", "FD"), trump="D")
    assert greedy.play(view) == "FD"
    view = first_view(table=(), hand=("AS", "4C", "2D"), trump="D")
    assert greedy.play(view) == "4C"


def test_medio_keeps_its_trumps_for_more_than_a_king() -> None:
    view = first_view(table=((1, "RC"),), hand=("2S", "RD", "FD"), trump="D")
    assert medio.play(view) == "2S"
    view = first_view(table=((1, "3C"),), hand=("2S", "RD", "2D"), trump="D")
    assert medio.play(view) == "2D"


def first_view(**changes: Any) -> Any:
    from dataclasses import replace

    deal = Deal(RULES, shuffled(RULES, bytes(32), "", 1).deck, 0)
    view = deal.observe(deal.turn)
    return replace(view, seat=0, turn=0, legal=changes["hand"], **changes)


def test_every_file_is_an_upload_of_its_own() -> None:
    sources = [house.source(name) for name in house.HOUSE] + [demo.source(name) for name in demo.DEMO]
    assert len({unpack(source, "bot.py").sha256 for source in sources}) == 10
    for wrong in ("../house/medio", "nobody"):
        with pytest.raises(KeyError):
            house.source(wrong)
        with pytest.raises(KeyError):
            demo.source(wrong)


def expert(worlds: int) -> Any:
    """Esperto with a fixed number of worlds, as a file with `play`."""

    class Fixed:
        __name__ = "esperto"

        @staticmethod
        def play(view: Any) -> str:
            return esperto.best_card(view, Random(f"{view.deal}:{len(view.tricks)}:{view.seat}"), worlds)

    return Fixed()


def test_the_expert_is_stronger_than_medio_with_few_worlds_already() -> None:
    found, difference = score(expert(20), medio, 60)
    assert 0.52 < found < 0.80
    assert difference > 2


def test_the_expert_plays_the_same_card_for_the_same_chance() -> None:
    view = Deal(RULES, shuffled(RULES, bytes(32), "", 3).deck, 0).observe(1)
    totals = [esperto.imagined(esperto.Seen(view), Random(5), 30) for _ in range(2)]
    assert totals[0] == totals[1]
    assert set(totals[0]) == {card_int(card) for card in view.legal}


@pytest.mark.parametrize(
    "code",
    ["n=2", "n=3", "n=4 partners_see=always", "n=4 signals=auto", "n=6 signals=auto", "n=2 open=all", "n=2 open=hands",
     "n=2 hand=5 trump=none", "n=4 open=hands", "n=5"],
)  # fmt: skip
def test_every_world_of_the_expert_fits_what_it_saw(code: str) -> None:
    rules, rng = Rules.parse(code), Random(code)
    deal = Deal(rules, shuffled(rules, bytes(32), "", 2).deck, 0)
    while not deal.over:
        view = deal.observe(deal.turn)
        seen = esperto.Seen(view)
        for _ in range(3):
            hands, stock = seen.world(rng)
            assert [len(hand) for hand in hands] == list(view.hand_sizes)
            assert hands[view.seat] == [card_int(card) for card in view.hand]
            for seat, cards in view.known.items():
                assert set(map(card_int, cards)) <= set(hands[seat])
            assert len(stock) == view.stock
            assert not view.upcard_in_stock or stock[-1] == card_int(view.upcard)
            played = [card for trick in deal.tricks for card in trick.cards] + list(deal.table)
            assert sorted([card for hand in [*hands, stock, played] for card in hand]) == list(rules.cards)
            for seat, (ranks, _carichi) in view.signals.items():
                trumps = {card % 10 for card in hands[seat] if card // 10 == deal.trump and card % 10 > 4}
                assert trumps == {"24567FCR3A".index(rank) for rank in ranks}
        card = esperto.best_card(view, rng, 2)
        assert card in view.legal
        deal.play(card_int(rng.choice(view.legal)))


@pytest.mark.parametrize("code", ["n=4", "n=4 signals=auto partners_see=start"])
def test_pairs_of_medio_and_of_the_expert_beat_random_pairs(code: str) -> None:
    rules = Rules.parse(code)
    for strong, deals, least in ((medio.play, 150, 0.72), (expert(6).play, 40, 0.72)):
        won, rng = 0.0, Random(1)
        for number in range(1, deals + 1):
            deal = Deal(rules, shuffled(rules, bytes(32), "", number).deck, number % 4)
            while not deal.over:
                view = deal.observe(deal.turn, number=number)
                deal.play(card_int(strong(view) if deal.turn % 2 == number % 2 else rng.choice(view.legal)))
            won += 0.5 if deal.winner_side is None else deal.winner_side == number % 2
        assert won / deals > least


@pytest.mark.parametrize(("code", "least"), [("n=4 signals=auto", 0.54), ("n=4 partners_see=start", 0.52)])
def test_medio_is_stronger_when_it_listens_to_its_partner(code: str, least: float) -> None:
    """The same cards, once with what the partner tells and once without: mirrored deals."""
    rules = Rules.parse(code)
    won, pairs = 0.0, 200
    for number in range(1, pairs + 1):
        for listening in (0, 1):
            deal = Deal(rules, shuffled(rules, bytes(32), "", number).deck, number % 4)
            while not deal.over:
                view = deal.observe(deal.turn, number=number)
                if rules.sides[deal.turn] != listening:
                    view = replace(view, signals={}, known={})
                deal.play(card_int(medio.play(view)))
            won += 0.5 if deal.winner_side is None else deal.winner_side == listening
    assert won / (2 * pairs) > least


def test_medio_gives_its_carico_to_a_partner_who_told_that_he_can_take() -> None:
    view = Deal(Rules.parse("n=4 signals=auto"), shuffled(Rules(n=4), bytes(32), "", 1).deck, 0).observe(1)
    view = replace(
        view, seat=2, hand=("3D", "4C", "2C"), legal=("3D", "4C", "2C"), trump="B", leader=1, turn=2, dealer=0,
        table=((1, "RD"),), signals={0: ("A", 0)}, known={},
    )  # fmt: skip
    deaf = replace(view, signals={})
    assert view.sides[0] == view.sides[2]
    assert medio.partner_takes(view, "RD", 14)
    assert not medio.partner_takes(deaf, "RD", 14)
    assert medio.value(view, "4C") > medio.value(deaf, "4C")
