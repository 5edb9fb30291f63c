"""A match in memory behind the addresses of the table: the engine deals and takes, a simple player answers.

It speaks the interface of the table (State, events, refusals), so that every look of the page can be reached at once.
The real server is tested with the real page elsewhere.
"""

import json
import random
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from games.engine import Deal, MatchScore, Rules, card_code, card_int, first_dealer, shuffled

NAMES = ("Luna M.", "VelaBot", "Scirocco", "Grecale")
SALT = "table"


class Refusal(Exception):
    """What the server would refuse, with its status and code."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status = status
        self.code = code


@dataclass
class TableGame:
    """One match; `you` is the seat of the browser. `is_slow`: nobody answers until `answer` is called."""

    rules: Rules = field(default_factory=Rules)
    you: int | None = 0
    seed: bytes = bytes(range(32))
    mode: str = "rated"
    is_slow: bool = False
    code: str = "TABLE1"
    seq: int = 1
    clock: list[int] | None = None
    present: list[bool] = field(default_factory=list)
    open_hands: bool = False
    extra: dict[str, Any] = field(default_factory=dict)
    refuse_next: str = ""
    received: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lock = threading.Condition()
        self.events: list[tuple[int | None, str, dict[str, Any]]] = []
        self.score = MatchScore(self.rules)
        self.first = first_dealer(self.rules, self.seed, SALT)
        self.finished: list[dict[str, Any]] = []
        self.ready: list[int] = []
        self.rng = random.Random(7)
        self.present = self.present or [True] * self.rules.n
        self.result: dict[str, Any] | None = None
        self.deal: Deal | None = None
        self.is_closed = self.is_quiet = False
        self.begin()

    @property
    def number(self) -> int:
        return self.score.deals + 1 if self.deal and not self.deal.over else self.score.deals

    def begin(self) -> None:
        """The next deal, and what the others lead."""
        shuffle = shuffled(self.rules, self.seed, SALT, self.score.deals + 1)
        self.deal = Deal(self.rules, shuffle.deck, self.score.next_dealer(self.first), shuffle.turned)
        self.ready = []

    def state(self) -> dict[str, Any]:
        """The State of the browser's seat."""
        deal = self.deal
        assert deal is not None
        seen = deal.observe(self.you, number=self.number)
        tricks = [
            {"lead": trick.leader, "cards": list(trick.cards), "winner": trick.winner, "points": trick.points}
            for trick in seen.tricks
        ]
        known = {str(seat): list(cards) for seat, cards in seen.known.items()}
        if self.open_hands:
            known = {str(s): list(deal.observe(s).hand) for s in range(self.rules.n) if s != self.you}
        won = [0] * self.rules.side_count
        for trick in seen.tricks:
            won[self.rules.sides[trick.winner]] += self.rules.n
        kinds = ("human", "bot", "human", "bot")
        state: dict[str, Any] = {
            "seq": self.seq, "code": self.code, "mode": self.mode, "state": "playing",
            "rules": self.rules.to_dict(),
            "seats": [
                {"index": i, "side": self.rules.sides[i], "name": NAMES[i], "kind": kinds[i], "rating": 1587 + 25 * i,
                 "interval": 52 - 7 * i, "present": self.present[i]} for i in range(self.rules.n)
            ],
            "you": self.you, "deals": self.finished, "clock": self.clock_now(), "ready": self.ready,
            "commitment": "c" * 64, "score": list(self.score.wins), "aids": [], "pause": None, "deal": self.number,
            "dealer": deal.dealer, "ply": len(deal.plays), "turn": seen.turn, "upcard": seen.upcard,
            "stock": seen.stock, "hands": list(seen.hand_sizes),
            "trick": [{"seat": s, "card": c} for s, c in seen.table],
            "last": tricks[-1] if tricks else None, "won": won, "points": list(seen.points), "tricks": tricks,
            "known": known, "turned": [], "signs": [],
        }  # fmt: skip
        if self.you is not None:
            state |= {"hand": list(seen.hand), "open_hands": self.open_hands} | self.signals()
        if self.result:
            state |= {"result": self.result, "turn": None}
        return state | self.extra

    def signals(self) -> dict[str, Any]:
        if self.rules.signals != "auto" or self.you is None or self.deal is None:
            return {}
        told = self.deal.observe(self.you).signals
        return {"signals": {str(s): {"trumps": trumps, "loads": loads} for s, (trumps, loads) in told.items()}}

    def clock_now(self) -> dict[str, Any] | None:
        if self.clock is None or self.deal is None:
            return None
        turn = None if self.deal.over or self.result else self.deal.turn
        return {"left_ms": self.clock, "running": turn, "as_of_ms": round(time.time() * 1000)}

    def send(self, name: str, *, counts: bool = True, **values: Any) -> None:
        """One more event for the browser."""
        with self.lock:
            if counts:
                self.seq += 1
            if self.is_quiet:
                return
            self.events.append((self.seq if counts else None, name, values | ({"seq": self.seq} if counts else {})))
            self.lock.notify_all()

    def play(self, seat: int, body: dict[str, Any]) -> dict[str, Any]:
        """A card of a seat; raises Refusal."""
        deal = self.deal
        assert deal is not None
        self.received.append(body)
        if self.refuse_next:
            code, self.refuse_next = self.refuse_next, ""
            raise Refusal(422 if code == "card_not_in_hand" else 409, code)
        played = [card_code(card) for card in deal.plays]
        if body["ply"] < len(played) and played[body["ply"]] == body["card"]:
            return {"seq": self.seq, **body, "clock": self.clock_now()}
        if body["deal"] != self.number or body["ply"] != len(deal.plays):
            raise Refusal(409, "stale")
        if deal.over or deal.turn != seat:
            raise Refusal(409, "not_your_turn")
        if card_int(body["card"]) not in deal.legal():
            raise Refusal(422, "card_not_in_hand")
        self.put(body["card"])
        if not self.is_slow:
            self.answer()
        return {"seq": self.seq, **body, "clock": self.clock_now()}

    def put(self, card: str) -> None:
        """Play for whose turn it is, and tell."""
        deal = self.deal
        assert deal is not None
        seat, number, ply, tricks = deal.turn, self.number, len(deal.plays), deal.tricks_done
        holding = set() if self.you is None else set(deal.observe(self.you).hand)
        deal.play(card_int(card))
        is_trick = deal.tricks_done > tricks
        own = self.signals()
        self.send(
            "play", deal=number, ply=ply, seat=seat, card=card, turn=None if is_trick else deal.turn,
            clock=self.clock_now(), **({} if is_trick else own),
        )  # fmt: skip
        if not is_trick:
            return
        seen = deal.observe(self.you)
        trick = seen.tricks[-1]
        drew = next((c for c in seen.hand if c not in holding), None)
        self.send(
            "trick", deal=number, trick=deal.tricks_done, winner=trick.winner, points=trick.points,
            totals=list(seen.points), stock=seen.stock, hands=list(seen.hand_sizes),
            turn=None if deal.over else deal.turn, **({"drew": drew} if drew else {}), **own,
        )  # fmt: skip
        if deal.over:
            self.end_deal()

    def end_deal(self, termination: str = "normal") -> None:
        """The deal is over; so is the match, when a side has what the rules ask for."""
        deal = self.deal
        assert deal is not None
        result = deal.result()
        self.score = self.score.add(result)
        row = {
            "number": self.score.deals, "points": list(deal.side_points), "winner_side": result.winner_side,
            "termination": termination,
        }  # fmt: skip
        self.finished = [*self.finished, row]
        over = self.score.is_over
        self.send(
            "deal", deal=self.score.deals, points=row["points"], winner_side=row["winner_side"],
            termination=termination, next_in_ms=None if over else 20_000,
        )  # fmt: skip
        if over:
            self.result = {"outcome": "won", "winner_side": self.score.winner_side, "termination": "normal"}
            self.send("result", **self.result)
            before = [1587, 1612, 1500, 1500][: self.rules.n]
            self.send(
                "rating", seats=[{"before": old, "after": old + (14, -14)[i % 2]} for i, old in enumerate(before)]
            )

    def get_ready(self, seat: int) -> dict[str, Any]:
        """Both are ready as soon as the browser's seat is."""
        assert self.you is not None
        if not self.deal or not self.deal.over or self.result:
            raise Refusal(409, "match_over")
        self.begin()
        assert self.deal is not None
        seen = self.deal.observe(self.you)
        self.send(
            "start", deal=self.number, dealer=self.deal.dealer, upcard=seen.upcard, turn=self.deal.turn,
            clock=self.clock_now(), hand=list(seen.hand), known={}, **self.signals(),
        )  # fmt: skip
        if not self.is_slow:
            self.answer()
        return {"ready": [seat]}

    def answer(self) -> None:
        """The others play until it is the browser's turn."""
        deal = self.deal
        assert deal is not None
        while not deal.over and deal.turn != self.you:
            legal = deal.legal()
            self.put(card_code(self.rng.choice(legal)))

    def advance(self, plays: int, *, quietly: bool = True) -> None:
        """Everybody plays, the browser's seat too, until so many cards are played."""
        deal = self.deal
        assert deal is not None
        before = len(self.events)
        self.is_quiet = quietly
        while not deal.over and len(deal.plays) < plays:
            self.put(card_code(self.rng.choice(deal.legal())))
        self.is_quiet = False
        assert not quietly or len(self.events) == before

    def stream(self, after: int) -> Iterator[str]:
        """`text/event-stream` from an event on; ends with the browser or after 30 s."""
        place, end = 0, time.monotonic() + 30
        yield ": open\n\n"
        while time.monotonic() < end and not self.is_closed:
            with self.lock:
                if place == len(self.events):
                    self.lock.wait(0.5)
                new = self.events[place:]
                place += len(new)
            for seq, name, data in new:
                if seq is not None and seq <= after:
                    continue
                yield (f"id: {seq}\n" if seq else "") + f"event: {name}\ndata: {json.dumps(data)}\n\n"
            if not new:
                yield f"event: hb\ndata: {json.dumps({'seq': self.seq, 'now_ms': round(time.time() * 1000)})}\n\n"
