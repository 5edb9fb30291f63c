"""`Record`: a deal as it is kept for ever; everything else follows from it by replay."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from .cards import format_cards, parse_cards
from .deal import Deal
from .errors import EngineError, RecordError, shown
from .result import DealResult
from .rules import Rules

_FIELDS: Final = ("rules", "deck", "plays", "dealer", "turned", "end")


@dataclass(frozen=True, slots=True)
class Record:
    """Rules, deck (top first), plays, dealer, upcards turned back, and `end` = `played` or `claim:<seat>`.

    Cards are integers. The plays may stop before the end of the deal. Whether they are legal shows in `replay`.

    >>> from games.engine import shuffled
    >>> deck = shuffled(Rules(), bytes(range(32)), "", 1).deck
    >>> record = Record(Rules(), deck, parse_cards("5S6D"), dealer=1)
    >>> record.replay().turn, record.result().points
    (0, (0, 0))
    """

    rules: Rules
    deck: tuple[int, ...]
    plays: tuple[int, ...]
    dealer: int
    turned: tuple[int, ...] = ()
    end: str = "played"

    @classmethod
    def of(cls, deal: Deal) -> Self:
        """Record of a deal. Raises RecordError `record.deck` for one built from a position."""
        if not deal.deck:
            raise RecordError("record.deck", "A deal built from a position has no deck to record.")
        return cls(deal.rules, deal.deck, deal.plays, deal.dealer, deal.turned, deal.end)

    def replay(self, upto: int | None = None) -> Deal:
        """The deal after `upto` plays, or all of them and the claim that ended it.

        Raises RecordError (`record.deck dealer turned plays end`), or the error of the play or claim that is not
        possible, with its number from 1 in `detail["play"]`.
        """
        deal = Deal(self.rules, self.deck, self.dealer, self.turned)
        plays = self.plays
        if not isinstance(plays, (tuple, list)):
            raise RecordError("record.plays", "The plays must be a list of cards.")
        if upto is not None:
            if type(upto) is not int or not 0 <= upto <= len(plays):
                raise RecordError("record.plays", f"The record has {len(plays)} plays, not {shown(upto)}.")
            plays = plays[:upto]
        play = deal.play
        try:
            for card in plays:
                play(card)
            if upto is None and self.end != "played":
                deal.claim(self._claimant())
        except EngineError as error:
            error.detail.setdefault("play", min(len(deal.plays) + 1, len(plays)))
            raise
        return deal

    def _claimant(self) -> int:
        seats = {f"claim:{seat}": seat for seat in range(self.rules.n)}
        if not isinstance(self.end, str) or self.end not in seats:
            raise RecordError("record.end", f"A deal ends as played or claim:<seat>, not {shown(self.end)}.")
        return seats[self.end]

    def result(self) -> DealResult:
        """Result by replay. Raises as `replay`."""
        return self.replay().result()

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON: rules as code, cards as codes."""
        return {
            "rules": self.rules.code,
            "deck": format_cards(self.deck),
            "plays": format_cards(self.plays),
            "dealer": self.dealer,
            "turned": format_cards(self.turned),
            "end": self.end,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`; `turned` and `end` may be missing, `rules` may be an object.

        Raises RecordError `record.fields`, RulesError, CardError. The plays are not replayed.
        """
        if not isinstance(data, Mapping):
            raise RecordError("record.fields", "A record is an object.")
        wrong = [name for name in data if name not in _FIELDS]
        wrong += [name for name in ("rules", "deck", "plays", "dealer") if name not in data]
        if wrong:
            raise RecordError("record.fields", f"A record has {', '.join(_FIELDS)}: look at {shown(wrong[0])}.")
        rules = data["rules"]
        end = data.get("end", "played")
        if type(data["dealer"]) is not int:
            raise RecordError("record.dealer", f"The dealer is the number of a seat, not {shown(data['dealer'])}.")
        if not isinstance(end, str):
            raise RecordError("record.end", f"A deal ends as played or claim:<seat>, not {shown(end)}.")
        return cls(
            Rules.from_dict(rules) if isinstance(rules, Mapping) else Rules.parse(rules),
            parse_cards(data["deck"]),
            parse_cards(data["plays"]),
            data["dealer"],
            parse_cards(data.get("turned", "")),
            end,
        )
