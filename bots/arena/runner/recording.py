"""`--record`: the deals of a run as game notation, which `bella verify` and `bella replay` read."""

from typing import IO

from bots.arena.runner.games import PlayedGame
from games.engine import DealText, commitment, write_deal
from games.engine.notation import MAX_VALUE


class DealWriter:
    """Writes one deal after the other."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._is_first = True

    def add(self, played: PlayedGame) -> None:
        """The deals of one game, with the tags that prove their decks."""
        game = played.game
        tags = [("Match", game.name)]
        tags += [(f"Seat{seat}", _value(name)) for seat, name in enumerate(game.seat_names())]
        tags += [("Seed", game.seed.hex()), ("Commitment", commitment(game.seed))]
        for deal in played.deals:
            own = (("Number", str(deal.report.deal)), ("Termination", deal.report.termination))
            fault = tuple(("FaultSeat", str(fault.seat)) for fault in deal.report.faults[:1])
            self._file.write("" if self._is_first else "\n")
            self._file.write(write_deal(DealText(deal.record, (*tags, *own, *fault))))
            self._is_first = False


def _value(name: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in name)[-MAX_VALUE:]
