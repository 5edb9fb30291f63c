"""Protocol 1: the messages between the conductor and a bot, one JSON object a line.

The conductor writes with `PlayEncoder`, `start_message`, `deal_over_message`, `end_message` and reads with
`parse_answer`; the Python form of a bot reads with `View.of`, `Match.of`, `Result.of`. A fault names the request by
`request_sha256`, which the trusted side computes again.
Unknown keys from us must be ignored by bots; unknown keys from a bot are a fault.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, Self

from games.engine import Observation, Rules, SeenTrick
from games.engine.view import trick_dict

PROTOCOL: Final = 1
MAX_REQUEST: Final = 64 << 10
"""Longest line to a bot, newline included."""
MAX_ANSWER: Final = 4_096
"""Longest line from a bot, newline not included."""
MAX_NOTE: Final = 200
CARD: Final = "^[A3RCF76542][DCSB]$"

_IS_CARD = re.compile(CARD[:-1] + r"\Z").match
_PLAIN_ANSWER = re.compile(rb'\{"n":([1-9][0-9]{0,9}),"card":"([A3RCF76542][DCSB])"\}').fullmatch


class AnswerError(ValueError):
    """An answer that breaks the protocol (kind `protocol`); the text says how, in at most 200 characters."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail[:200])


# ---- what bots answer


@dataclass(frozen=True, slots=True)
class Answer:
    """A card with an optional note to the owner, or ready (`card` is None)."""

    card: str | None
    note: str | None = None


def parse_answer(line: bytes, *, n: int, wanted: Literal["card", "ready"]) -> Answer:
    """Read an answer line (without its LF) to request `n` strictly. Raises AnswerError, whatever the bytes."""
    if wanted == "card" and (plain := _PLAIN_ANSWER(line)) and int(plain[1]) == n:
        return Answer(plain[2].decode())  # what nearly every bot writes; the rules below say the same of it
    value = _strict_object(line.removesuffix(b"\r"))
    if unknown := value.keys() - {"n", wanted, "note" if wanted == "card" else wanted}:
        raise AnswerError(f"unknown key {_shown(min(unknown))}")
    for key in ("n", wanted):
        if key not in value:
            raise AnswerError(f"the key {key} is missing")
    if type(value["n"]) is not int:  # true == 1 and 1.0 == 1
        raise AnswerError("n is no integer")
    if value["n"] != n:
        raise AnswerError(f"n is not {n}")
    if wanted == "ready":
        if value["ready"] is not True:
            raise AnswerError("ready is not true")
        return Answer(None)
    card, note = value["card"], value.get("note")
    if type(card) is not str or not _IS_CARD(card):
        raise AnswerError(f"not a card: {_shown(card)}")
    if "note" in value and (type(note) is not str or len(note) > MAX_NOTE):
        raise AnswerError(f"note is no text of at most {MAX_NOTE} characters")
    return Answer(card, None if note is None else _storable(note))


def _strict_object(line: bytes) -> dict[str, Any]:
    """One JSON object in UTF-8: no byte-order mark, no NaN or Infinity, no key twice, no deep nesting."""
    if len(line) > MAX_ANSWER:
        raise AnswerError(f"longer than {MAX_ANSWER} bytes")
    if not line.strip():
        raise AnswerError("an empty line")
    try:
        value = json.loads(line.decode(), parse_constant=_no_constant, object_pairs_hook=_no_twins)
    except UnicodeDecodeError:
        raise AnswerError("not UTF-8") from None
    except RecursionError:  # no ValueError
        raise AnswerError("nested too deeply") from None
    except AnswerError:
        raise
    except ValueError as error:
        raise AnswerError(f"not JSON: {error}") from None
    if type(value) is not dict:
        raise AnswerError("not an object")
    return value


def _no_constant(name: str) -> None:
    raise AnswerError(f"{name} is not JSON")


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise AnswerError("a key twice")
    return value


def _shown(value: object) -> str:
    return ascii(value)[:60]


def _storable(text: str) -> str:
    """Without what a database cannot hold: NUL and halves of surrogate pairs."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


# ---- what bots are asked and told; `schema` metadata is the JSON Schema of the key


def _key(schema: Mapping[str, Any], **options: Any) -> Any:
    return field(metadata={"schema": schema}, **options)


_INT: Final = {"type": "integer"}
_SEAT: Final = {"type": "integer", "minimum": 0, "maximum": 7}
_SEATS: Final = {"type": "array", "items": _SEAT}
_COUNTS: Final = {"type": "array", "items": {"type": "integer", "minimum": 0}}
_CARD: Final = {"type": "string", "pattern": CARD}
_CARDS: Final = {"type": "array", "items": _CARD}
_TEXT: Final = {"type": "string"}
_OBJECT: Final = {"type": "object"}
_TRICK: Final = {
    "type": "object",
    "properties": {"leader": _SEAT, "cards": _CARDS, "winner": _SEAT, "points": _INT},
    "required": ["leader", "cards", "winner", "points"],
}
_TRICKS: Final = {"type": "array", "items": _TRICK}
_LYING: Final = {"type": "object", "properties": {"seat": _SEAT, "card": _CARD}, "required": ["seat", "card"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The start message, as `Bot.start(match)` gets it. `seed` is below 2^53 and tells nothing of the deck."""

    match: str = _key(_TEXT)
    seat: int = _key(_SEAT)
    players: int = _key({"type": "integer", "minimum": 2, "maximum": 8})
    sides: tuple[int, ...] = _key(_SEATS)
    rules: Rules = _key(_OBJECT)  # noqa: RUF009
    seed: int = _key({"type": "integer", "minimum": 0, "maximum": (1 << 53) - 1})
    limits: Mapping[str, int] = _key({"type": "object", "additionalProperties": _INT})

    @classmethod
    def of(cls, message: Mapping[str, Any]) -> Self:
        """From the message; keys that it does not know are ignored."""
        known = {item.name: message[item.name] for item in fields(cls)}
        return cls(**known | {"sides": tuple(known["sides"]), "rules": Rules.from_dict(known["rules"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The deal_over notice, as `Bot.deal_over(result)` gets it: points by side, `winner` a side or None."""

    match: str = _key(_TEXT)
    deal: int = _key({"type": "integer", "minimum": 1})
    points: tuple[int, ...] = _key(_COUNTS)
    winner: int | None = _key({"type": ["integer", "null"]})
    termination: str = _key(_TEXT)
    tricks: tuple[SeenTrick, ...] = _key(_TRICKS)

    @classmethod
    def of(cls, message: Mapping[str, Any]) -> Self:
        """From the message; keys that it does not know are ignored."""
        known = {item.name: message[item.name] for item in fields(cls)}
        tricks = tuple(SeenTrick(t["leader"], tuple(t["cards"]), t["winner"], t["points"]) for t in known["tricks"])
        return cls(**known | {"points": tuple(known["points"]), "tricks": tricks})


@dataclass(frozen=True, slots=True)
class Clock:
    """What is left of the bank of this deal, ms of CPU."""

    bank_cpu_ms: int = 0


@dataclass(frozen=True, slots=True)
class View(Observation):
    """The engine's observation, rebuilt from a play request, and the clock: what a Python bot's `play` gets."""

    clock: Clock = Clock()

    @classmethod
    def of(cls, message: Mapping[str, Any]) -> Self:
        """From the message; keys that it does not know are ignored. Raises RecordError."""
        rules = _rules(message["rules"])
        return cls.from_dict({**message, "rules": rules}, clock=Clock(message["clock"]["bank_cpu_ms"]))


_last_rules: list[tuple[Mapping[str, Any], Rules]] = []


def _rules(data: Mapping[str, Any]) -> Rules:
    """The rules; those of the last request are remembered, as a match has one set of them."""
    if not _last_rules or _last_rules[0][0] != data:
        _last_rules[:] = [(data, Rules.from_dict(data))]
    return _last_rules[0][1]


_PLAY_KEYS: Final[dict[str, Mapping[str, Any]]] = {
    "protocol": {"const": PROTOCOL},
    "match": _TEXT,
    "seat": _SEAT,
    "sides": _SEATS,
    "rules": _OBJECT,
    "deal": {"type": "integer", "minimum": 1},
    "score": _COUNTS,
    "drawn": _INT,
    "dealer": _SEAT,
    "leader": _SEAT,
    "turn": _SEAT,
    "trump": {"type": "string", "pattern": "^[DCSB]?$"},
    "upcard": {"type": "string", "pattern": f"{CARD[:-1]}$|^$"},
    "upcard_in_stock": {"type": "boolean"},
    "stock": _INT,
    "hand": _CARDS,
    "legal": _CARDS,
    "table": {"type": "array", "items": _LYING},
    "tricks": _TRICKS,
    "points": _COUNTS,
    "hand_sizes": _COUNTS,
    "known": {"type": "object", "additionalProperties": _CARDS},
    "turned": _CARDS,
    "signals": _OBJECT,
    "signs": {"type": "array"},
    "clock": {"type": "object", "properties": {"bank_cpu_ms": _INT}, "required": ["bank_cpu_ms"]},
}
"""Keys of a play request in their order, after `type` and `n`."""

_PLAY_MORE: Final[dict[str, Mapping[str, Any]]] = {"stock_cards": _CARDS}
"""Keys of a play request under rules that need them, before `clock`: the stock where all see it (`open=all`)."""


def bot_seed(match_seed: bytes, seat: int) -> int:
    """`start.seed` of a seat: below 2^53, from the match's seed by HMAC, so that a bot's play can be reproduced."""
    digest = hmac.digest(match_seed, b"bot|%d" % seat, "sha256")
    return int.from_bytes(digest[:8], "big") & ((1 << 53) - 1)


def start_message(
    *, n: int, match: str, seat: int, rules: Rules, seed: int, limits: Mapping[str, int]
) -> dict[str, Any]:
    """The first request of a process; it is answered by ready."""
    return {
        "type": "start",
        "n": n,
        "protocol": PROTOCOL,
        "match": match,
        "seat": seat,
        "players": rules.n,
        "sides": list(rules.sides),
        "rules": rules.to_dict(),
        "seed": seed,
        "limits": dict(limits),
    }


def play_message(view: Observation, *, n: int, match: str, bank_cpu_ms: int) -> dict[str, Any]:
    """The request for a card, whole and plain; `PlayEncoder` writes the same bytes faster."""
    values = {"protocol": PROTOCOL, "match": match, **view.to_dict(), "clock": {"bank_cpu_ms": bank_cpu_ms}}
    if view.rules.open != "all":
        del values["stock_cards"]
    keys = [*list(_PLAY_KEYS)[:-1], *_PLAY_MORE, "clock"]
    return {"type": "play", "n": n, **{key: values[key] for key in keys if key in values}}


def deal_over_message(
    *,
    match: str,
    deal: int,
    points: Sequence[int],
    winner: int | None,
    termination: str,
    tricks: Sequence[SeenTrick],
) -> dict[str, Any]:
    """The notice that a deal is over: points by side as taken in play."""
    return {
        "type": "deal_over",
        "match": match,
        "deal": deal,
        "points": list(points),
        "winner": winner,
        "termination": termination,
        "tricks": [trick_dict(trick) for trick in tricks],
    }


def end_message(match: str) -> dict[str, Any]:
    """The last notice; the bot's standard input closes after it."""
    return {"type": "end", "match": match}


def to_line(message: Mapping[str, Any]) -> bytes:
    """The message as it is sent."""
    return _compact(message).encode() + b"\n"


def request_sha256(message: Mapping[str, Any] | bytes) -> str:
    """SHA-256, hex, of a request in canonical JSON: keys in our order, no spaces, without `n` and `clock`."""
    value = json.loads(message) if isinstance(message, bytes) else message
    return hashlib.sha256(_compact({k: v for k, v in value.items() if k not in ("n", "clock")}).encode()).hexdigest()


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class PlayEncoder:
    """Writes the play requests of one seat in one deal: what stays the same is encoded once, tricks once each."""

    __slots__ = ("_head", "_tricks", "_tricks_done", "_turned")

    def __init__(self, match: str, first: Observation) -> None:
        constant = {"protocol": PROTOCOL, "match": match, "seat": first.seat, "sides": first.sides}
        deal = {"deal": first.deal, "score": first.score, "drawn": first.drawn, "dealer": first.dealer}
        self._head = _compact({**constant, "rules": first.rules.to_dict(), **deal})[1:-1]
        self._turned = _compact(first.turned)
        self._tricks = ""
        self._tricks_done = 0

    def line(self, view: Observation, *, n: int, bank_cpu_ms: int) -> bytes:
        """The request line for `view`, a later observation of the same seat and deal."""
        if len(view.tricks) > self._tricks_done:
            added = ",".join(map(_trick, view.tricks[self._tricks_done :]))
            self._tricks = f"{self._tricks},{added}" if self._tricks else added
            self._tricks_done = len(view.tricks)
        hand, legal = _codes(view.hand), _codes(view.legal)
        table = ",".join([f'{{"seat":{seat},"card":"{card}"}}' for seat, card in view.table])
        known = _compact({str(seat): cards for seat, cards in view.known.items()}) if view.known else "{}"
        signals = _compact({str(seat): told for seat, told in view.signals.items()}) if view.signals else "{}"
        signs = _compact(view.signs) if view.signs else "[]"
        stock = f',"stock_cards":{_codes(view.stock_cards)}' if view.rules.open == "all" else ""
        return (
            f'{{"type":"play","n":{n},{self._head},"leader":{view.leader},"turn":{view.turn},"trump":"{view.trump}",'
            f'"upcard":"{view.upcard}","upcard_in_stock":{"true" if view.upcard_in_stock else "false"},'
            f'"stock":{view.stock},"hand":{hand},"legal":{legal},"table":[{table}],"tricks":[{self._tricks}],'
            f'"points":{_numbers(view.points)},"hand_sizes":{_numbers(view.hand_sizes)},"known":{known},'
            f'"turned":{self._turned},"signals":{signals},"signs":{signs}{stock},"clock":{{"bank_cpu_ms":{bank_cpu_ms}}}}}\n'
        ).encode()


def _codes(cards: Sequence[str]) -> str:
    return '["' + '","'.join(cards) + '"]' if cards else "[]"


def _numbers(values: Sequence[int]) -> str:
    return f"[{','.join(map(str, values))}]"


def _trick(trick: SeenTrick) -> str:
    return f'{{"leader":{trick.leader},"cards":{_codes(trick.cards)},"winner":{trick.winner},"points":{trick.points}}}'


# ---- the schema, shipped as bots/protocol.schema.json (`python -m bots.protocol` prints it)


def schema() -> dict[str, Any]:
    """JSON Schema of every message of protocol 1."""
    n = {"n": {"type": "integer", "minimum": 1}}
    note = {"type": "string", "maxLength": MAX_NOTE}

    def ours(name: str, keys: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> dict[str, Any]:
        needed = {"type": {"const": name}, **keys}
        return {"type": "object", "properties": {**needed, **(more or {})}, "required": list(needed)}

    def keys_of(kind: type) -> dict[str, Any]:
        return {item.name: item.metadata["schema"] for item in fields(kind)}

    def answer(**keys: Any) -> dict[str, Any]:
        required = ["n", *(key for key in keys if key != "note")]
        return {"type": "object", "properties": n | keys, "required": required, "additionalProperties": False}

    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Bella, bot protocol {PROTOCOL}",
        "$defs": {
            "start": ours("start", n | {"protocol": {"const": PROTOCOL}} | keys_of(Match)),
            "play": ours("play", n | _PLAY_KEYS, _PLAY_MORE),
            "deal_over": ours("deal_over", keys_of(Result)),
            "end": ours("end", {"match": _TEXT}),
            "ready": answer(ready={"const": True}),
            "card": answer(card=_CARD, note=note),
        },
    }


if __name__ == "__main__":
    print(json.dumps(schema(), indent=1))
