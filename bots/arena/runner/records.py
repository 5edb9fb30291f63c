"""What `replay` reads: a match's record as the site gives it out, deals as text, or the games of a check."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count, groupby
from pathlib import Path
from typing import Any

from bots.arena.runner.errors import UsageError
from games.engine import Deal, DealResult, DealText, EngineError, Record, Rules, parse_cards, verify_match
from games.engine.cli_files import MAX_BUNDLE, NoFile, Unreadable, opened
from games.engine.verify import PLAYED

_CODE = re.compile(r"[0-9A-Za-z_-]{1,40}")


@dataclass(frozen=True, slots=True)
class RecordedDeal:
    """A deal as it was played; `fault_seat` broke it off, where one did. `told` is its number as bots heard it."""

    number: int
    told: int
    record: Record
    termination: str
    fault_seat: int | None = None

    def result(self, played: Deal) -> DealResult:
        """What it counted, when `played` is its replay."""
        if self.fault_seat is not None:
            return DealResult.forfeited(played.rules, self.fault_seat)
        return played.result()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedMatch:
    """Deals that one process of a bot played. `seed` None: the record does not hold it.

    `seat` is that of the bot, where the record says it; `names` those of the bots by seat, or empty.
    """

    name: str
    rules: Rules
    deals: tuple[RecordedDeal, ...]
    seed: bytes | None = field(repr=False)
    seat: int | None = None
    names: tuple[str, ...] = ()


def read_matches(name: str) -> list[RecordedMatch]:
    """The matches in a file; the deals of several are numbered on. Raises UsageError, also when a record is false."""
    try:
        matches = _read(name)
    except (NoFile, Unreadable) as error:
        raise UsageError(str(error)) from None
    except EngineError as error:
        raise UsageError(f"{name}: {error.message}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"{name}: this is no record of a match ({type(error).__name__}: {error})") from None
    if not any(match.deals for match in matches):
        raise UsageError(f"{name}: there is no deal in it")
    if len(matches) == 1:
        return matches
    numbers = count(1)
    return [
        replace(match, deals=tuple(replace(deal, number=next(numbers)) for deal in match.deals)) for match in matches
    ]


def _read(name: str) -> list[RecordedMatch]:
    games = _games_of_a_check(name)
    if games is not None:
        return games
    with opened(name) as content:
        if isinstance(content, dict):
            return [_match(name, content)]
        return [_of_texts(name, list(texts)) for _, texts in groupby(content, lambda one: one.tag("Match"))]


def _match(name: str, bundle: Mapping[str, Any]) -> RecordedMatch:
    """A bundle, verified first: what it holds is then known to be whole."""
    problems = verify_match(bundle)
    if problems:
        raise UsageError(f"{name}: the record cannot be used: {problems[0]}")
    rules = bundle["rules"]
    rules = Rules.from_dict(rules) if isinstance(rules, dict) else Rules.parse(rules)
    deals = []
    for entry in bundle["deals"]:
        deck, plays, turned = (parse_cards(entry[part]) for part in ("deck", "plays", "turned"))
        record = Record(rules, deck, plays, entry["dealer"], turned, entry.get("end") or "played")
        deals.append(_deal(name, entry["number"], record, entry.get("termination"), entry.get("fault_seat")))
    return RecordedMatch(
        name=_code(Path(name).stem), rules=rules, deals=tuple(deals), seed=bytes.fromhex(bundle["seed"])
    )


def _of_texts(name: str, texts: list[DealText]) -> RecordedMatch:
    """Deals of one match as text, as the site and `--record` write them."""
    deals = []
    for index, text in enumerate(texts, 1):
        text.record.replay()
        number, fault_seat = int(text.tag("Number") or index), text.tag("FaultSeat")
        seat = None if fault_seat is None else int(fault_seat)
        deals.append(_deal(name, number, text.record, text.tag("Termination"), seat))
    seed, rules = texts[0].tag("Seed"), texts[0].record.rules
    return RecordedMatch(
        name=_code(texts[0].tag("Match") or ""),
        rules=rules,
        deals=tuple(deals),
        seed=bytes.fromhex(seed) if seed else None,
        names=tuple(texts[0].tag(f"Seat{seat}") or "" for seat in range(rules.n)),
    )


def _deal(name: str, number: int, record: Record, termination: str | None, seat: int | None) -> RecordedDeal:
    termination = termination or "normal"
    if termination in PLAYED:
        return RecordedDeal(number, number, record, termination)
    if seat is None:
        raise UsageError(f"{name}: deal {number} ended by {termination}, and who lost it is not said: take the JSON")
    return RecordedDeal(number, number, replace(record, end="played"), termination, seat)


def _code(text: str) -> str:
    """What bots are told as the match; the site names its files by it."""
    return text if _CODE.fullmatch(text) else "replay"


def _games_of_a_check(name: str) -> list[RecordedMatch] | None:
    """The answer of the API to versions/<n>/games/: each game had a process of its own, and its seed stays secret."""
    path = Path(name)
    if name == "-" or not path.is_file() or path.stat().st_size > MAX_BUNDLE:
        return None
    data = path.read_bytes().strip()
    if not data.startswith((b"{", b"[")):
        return None
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    games = value.get("results") if isinstance(value, dict) else value
    return [_game(game) for game in games] if isinstance(games, list) else None


def _game(game: Mapping[str, Any]) -> RecordedMatch:
    rules = Rules.parse(game["rules"])
    record = Record(rules, parse_cards(game["deck"]), parse_cards(game["plays"]), game["dealer"])
    record.replay()
    # a check numbers its games, and tells bots the number of the mirrored pair
    deal = RecordedDeal(game["number"], (game["number"] + 1) // 2, record, game["termination"], game["fault_seat"])
    return RecordedMatch(name="check", rules=rules, deals=(deal,), seed=None, seat=game["seat"])
