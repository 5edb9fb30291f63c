"""`verify_match`: whether a match was played as its rules, its seed and its records say.

A bundle is the JSON object that the site gives out for a match; `docs/engine.md` lists its fields.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from .cards import parse_cards
from .deal import Deal
from .errors import EngineError, shown
from .match import MatchScore
from .record import Record
from .result import DealResult
from .rules import Rules
from .shuffle import NAME, commitment, first_dealer, shuffled

PLAYED: Final = ("normal", "claim", "auto")
"""Terminations of a deal whose result follows from its cards."""

AWARDED: Final = ("timeout", "crash", "illegal", "protocol", "memory", "output", "flag", "resign", "absent")
"""Terminations of a deal that was given to the other side before its end."""

_FIELDS: Final = ("engine", "rules", "salt", "seed", "commitment", "first_dealer", "deals", "outcome")
_DEAL_FIELDS: Final = ("number", "dealer", "deck", "turned", "plays", "points")
_OPTIONAL: Final = ("end", "termination", "winner_side", "fault_seat")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a bundle that does not hold: a stable `code` (`verify.*`), a message, the deal's number or None."""

    code: str
    message: str
    deal: int | None = None

    def __str__(self) -> str:
        where = "" if self.deal is None else f"deal {self.deal}: "
        return f"{where}{self.message} [{self.code}]"


def verify_match(bundle: Mapping[str, Any]) -> list[Problem]:
    """Check a bundle; an empty list means that all of it holds. Never raises, whatever the bundle is.

    Seed against commitment, dealers against the rules, decks against the seed, plays, points, ends and winners by
    replay, the outcome by the score of the match.

    >>> for problem in verify_match({"engine": "bella-1"})[:2]:
    ...     print(problem)
    rules is missing. [verify.bundle]
    salt is missing. [verify.bundle]
    """
    check = _Check()
    try:
        check.run(bundle)
    except EngineError as error:
        check.say("bundle", f"{error.message} ({error.code})")
    return check.problems


@dataclass(slots=True)
class _Check:
    problems: list[Problem] = field(default_factory=list)
    deal: int | None = None
    """Number of the deal being looked at."""

    def say(self, kind: str, message: str) -> None:
        self.problems.append(Problem(f"verify.{kind}", message, self.deal))

    def expect(self, kind: str, name: str, given: object, wanted: object) -> None:
        """A problem unless what is given is what must be there, in type too (`true` is not 1)."""
        if not _is_same(given, wanted):
            self.say(kind, f"{name} is {_text(given)}, but must be {_text(wanted)}.")

    def run(self, bundle: Mapping[str, Any]) -> None:
        if isinstance(bundle, Mapping) and bundle.get("hidden"):
            self.say("hidden", "Part of the match is not shown yet: verify it when the match (or its set) is over.")
            return
        if not self._has_fields(bundle, _FIELDS, ("hidden",)):
            return
        self.expect("engine", "engine", bundle["engine"], NAME)
        rules = _rules(bundle["rules"])
        seed = _seed(bundle["seed"])
        if seed is None or not isinstance(bundle["deals"], list):
            self.say("bundle", "seed must be 64 hexadecimal digits, deals a list.")
            return
        self.expect("commitment", "commitment", bundle["commitment"], commitment(seed))
        first = first_dealer(rules, seed, bundle["salt"])
        self.expect("first_dealer", "first_dealer", bundle["first_dealer"], first)
        score = MatchScore(rules)
        faults = [0] * rules.n
        for number, entry in enumerate(bundle["deals"], start=1):
            self.deal = number
            if not self._has_fields(entry, _DEAL_FIELDS, _OPTIONAL):
                return
            if score.is_over:
                self.say("after_end", "The match was over before this deal.")
                return
            self.expect("number", "number", entry["number"], number)
            self.expect("dealer", "dealer", entry["dealer"], score.next_dealer(first))
            result = self._check_deal(entry, rules, seed, bundle["salt"], number, faults)
            if result is None:
                return
            score = score.add(result)
        self.deal = None
        self._check_outcome(bundle["outcome"], score, faults)

    def _has_fields(self, entry: object, needed: tuple[str, ...], optional: tuple[str, ...]) -> bool:
        if not isinstance(entry, Mapping):
            self.say("bundle", "An object is missing.")
            return False
        missing = [name for name in needed if name not in entry]
        unknown = [name for name in entry if name not in needed and name not in optional]
        for name in missing:
            self.say("bundle", f"{name} is missing.")
        for name in unknown:
            self.say("bundle", f"{shown(name)} is not a field of a bundle.")
        return not missing and not unknown

    def _check_deal(
        self, entry: Mapping[str, Any], rules: Rules, seed: bytes, salt: str, number: int, faults: list[int]
    ) -> DealResult | None:
        """Result of a deal as it counts for the match; None when its record cannot be replayed at all."""
        shuffle = shuffled(rules, seed, salt, number)
        try:
            deck, turned = parse_cards(entry["deck"]), parse_cards(entry["turned"])
            if deck != shuffle.deck:
                self.say("deck", "The deck is not the one that the seed gives.")
            if turned != shuffle.turned:
                self.say("turned", "The upcards turned back are not those that the seed gives.")
            termination, end = _ending(entry)
            record = Record(rules, deck, parse_cards(entry["plays"]), entry["dealer"], turned, end)
            deal = record.replay()
        except EngineError as error:
            play = f" (play {error.detail['play']})" if "play" in error.detail else ""
            self.say("plays", f"{error.message}{play} ({error.code})")
            return None
        self.expect("points", "points", entry["points"], list(deal.points))
        if termination in AWARDED:
            return self._awarded(entry, deal, termination, faults)
        return self._played(entry, deal, termination)

    def _played(self, entry: Mapping[str, Any], deal: Deal, termination: str) -> DealResult | None:
        if not deal.over:
            self.say("end", "The deal is not over after its last play.")
            return None
        result = deal.result()
        if "termination" in entry:
            self.expect("termination", "termination", termination, deal.termination)
        if "winner_side" in entry:
            self.expect("winner", "winner_side", entry["winner_side"], result.winner_side)
        if entry.get("fault_seat") is not None:
            self.say("termination", "A deal that was played to its end has no fault_seat.")
        return result

    def _awarded(self, entry: Mapping[str, Any], deal: Deal, termination: str, faults: list[int]) -> DealResult | None:
        seat = entry.get("fault_seat")
        if type(seat) is not int or not 0 <= seat < deal.rules.n:
            self.say("termination", f"A deal that ended by {termination} needs the fault_seat that lost it.")
            return None
        if deal.over:
            self.say("termination", f"The deal was over: it cannot end by {termination}.")
        if termination in ("flag", "illegal") and seat != deal.turn:
            self.say("termination", f"Seat {deal.turn} was on turn: seat {seat} cannot lose by {termination}.")
        faults[seat] += 1
        result = DealResult.forfeited(deal.rules, seat)
        self.expect("winner", "winner_side", entry.get("winner_side"), result.winner_side)
        return result

    def _check_outcome(self, outcome: object, score: MatchScore, faults: list[int]) -> None:
        """Outcome null: the match is not over. Else winner_side and, where given, wins, drawn, points, termination."""
        if outcome is None:
            if score.is_over:
                self.say("outcome", "The match is over, but has no outcome.")
            return
        if not self._has_fields(outcome, ("winner_side",), ("wins", "drawn", "points", "termination")):
            return
        assert isinstance(outcome, Mapping)
        for name, wanted in (("wins", list(score.wins)), ("drawn", score.drawn), ("points", list(score.points))):
            if name in outcome:
                self.expect("outcome", name, outcome[name], wanted)
        termination = outcome.get("termination", "normal")
        if termination == "normal":
            if not score.is_over:
                self.say("outcome", "The match has an outcome, but its deals do not end it.")
            self.expect("outcome", "winner_side", outcome["winner_side"], score.winner_side)
        elif termination == "fault":
            self._check_lost_by_fault(outcome, score, faults)
        elif termination not in ("resign", "absent", "forfeit", "ruled", "void"):
            self.say("outcome", f"{shown(termination)} is no end of a match.")

    def _check_lost_by_fault(self, outcome: Mapping[str, Any], score: MatchScore, faults: list[int]) -> None:
        losers = [seat for seat, count in enumerate(faults) if count >= 2]
        if not losers:
            self.say("outcome", "No seat had two faults, so the match was not lost by fault.")
            return
        winner = score.best_without({score.rules.sides[seat] for seat in losers})
        self.expect("outcome", "winner_side", outcome["winner_side"], winner)


def _ending(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Termination of a deal and the `end` of its record. Raises EngineError `verify.termination`."""
    end = entry.get("end")
    termination = entry.get("termination", "claim" if isinstance(end, str) and end.startswith("claim") else "normal")
    if not isinstance(termination, str) or termination not in PLAYED + AWARDED:
        raise EngineError("verify.termination", f"{shown(termination)} is no end of a deal.")
    if end is None or termination in AWARDED:
        return termination, "played"
    return termination, end


def _rules(value: object) -> Rules:
    return Rules.from_dict(value) if isinstance(value, Mapping) else Rules.parse(value)  # type: ignore[arg-type]


def _seed(value: object) -> bytes | None:
    digits = frozenset("0123456789abcdefABCDEF")
    if not isinstance(value, str) or len(value) != 64 or not digits.issuperset(value):
        return None
    return bytes.fromhex(value)


def _is_same(given: object, wanted: object) -> bool:
    if isinstance(given, list) and isinstance(wanted, list):
        return len(given) == len(wanted) and all(map(_is_same, given, wanted))
    return type(given) is type(wanted) and given == wanted


def _text(value: object) -> str:
    if isinstance(value, list) and len(value) <= 8:
        return "[" + ", ".join(map(_text, value)) + "]"
    return "null" if value is None else shown(value, 80)
