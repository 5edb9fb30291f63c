"""Tests of my_bot. Run them by:  python test_my_bot.py  (or by pytest). They need no sandbox and take no time."""

from bots.arena.runner.starter import play
from games.engine import Deal, Rules, card_code, shuffled


def deal(number):
    """A deal of two players in which seat 0 leads. The same number gives the same cards."""
    return Deal(Rules(), shuffled(Rules(), bytes(32), "", number).deck, dealer=1)


def test_it_plays_whole_deals_by_the_rules():
    """Against itself; the engine takes no card that is not in the hand."""
    for number in range(1, 21):
        playing = deal(number)
        while not playing.over:
            view = playing.observe(playing.turn)  # what the seat on turn may know: the `view` of play(view)
            card = play(view)
            assert card in view.legal, f"deal {number}: {card!r} is not in the hand {view.hand}"
            playing.play(next(held for held in playing.legal() if card_code(held) == card))
        assert sum(playing.points) == 120


def test_it_plays_the_same_card_in_the_same_position():
    """Then every game of it can be repeated."""
    view = deal(1).observe(0)
    assert play(view) == play(view)


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"passed: {name}")
