"""`--show`: a deal in words, trick by trick."""

from collections.abc import Iterator

from bots.arena.players import printable
from bots.arena.runner.games import PlayedDeal, PlayedGame
from games.engine import Deal, card_code

_RANKS = {
    "A": "ace", "3": "three", "R": "king", "C": "knight", "F": "knave",
    "7": "seven", "6": "six", "5": "five", "4": "four", "2": "two",
}  # fmt: skip
_SUITS = {"D": "coins", "C": "cups", "S": "swords", "B": "clubs"}


def card_name(code: str) -> str:
    """`3C` -> "three of cups (3C)"."""
    return f"{_RANKS[code[0]]} of {_SUITS[code[1]]} ({code})"


def shown(played: PlayedGame) -> str:
    """All deals of a game."""
    return "\n".join("\n".join(_deal(played, one)) + "\n" for one in played.deals)


def _deal(played: PlayedGame, one: PlayedDeal) -> Iterator[str]:
    names = [f"{name} ({seat})" for seat, name in enumerate(played.game.seat_names())]
    record = one.record
    replayed = record.replay(0)
    start = replayed.observe(None)
    title = f"Match {played.game.number}, deal {one.report.deal}" if played.game.plan.counts_matches else ""
    yield f"{title or f'Deal {played.game.number}'}. {names[record.dealer]} deals."
    if start.upcard:
        yield f"The {card_name(start.upcard)} is turned up: {_SUITS[start.trump]} are trumps."
    yield from _tricks(replayed, one, names)
    yield from _end(played, one, names)


def _tricks(deal: Deal, one: PlayedDeal, names: list[str]) -> Iterator[str]:
    """Plays the deal again, and tells before each trick the hands, then who played what."""
    n = deal.rules.n
    for ply, card in enumerate(one.record.plays):
        if ply % n == 0:
            yield f"{ply // n + 1:2}. " + "; ".join(_hand(deal, seat, names) for seat in range(n))
        seat = one.seats[ply]
        note = one.report.notes[ply] if one.report.notes else None
        verb = "leads" if ply % n == 0 else "plays"
        yield f"    {names[seat]} {verb} the {card_name(card_code(card))}" + (f'  "{printable(note)}"' if note else "")
        deal.play(card)
        if len(deal.tricks) * n == ply + 1:
            trick = deal.tricks[-1]
            yield f"    {names[trick.winner]} takes {trick.points} points: {_points(deal)}"


def _hand(deal: Deal, seat: int, names: list[str]) -> str:
    return f"{names[seat]} holds {' '.join(map(card_code, deal.hands[seat]))}"


def _points(deal: Deal) -> str:
    return " to ".join(map(str, deal.side_points))


def _end(played: PlayedGame, one: PlayedDeal, names: list[str]) -> Iterator[str]:
    for fault in one.report.faults:
        yield f"    {names[fault.seat]} faults: {fault.kind} {fault.detail}".rstrip()
    winner = one.result.winner_side
    score = " to ".join(map(str, one.result.side_points))
    if winner is None:
        yield f"Drawn, {score}."
    else:
        yield f"{played.game.plan.names[winner ^ played.game.swapped]} wins the deal, {score}."
