"""200 games through the addresses of the table, by clients that lose answers, send twice and send what is past.

At the end of each game engine, database and both clients' own pictures agree.
"""

import json
import random
import re
from typing import Any

import pytest
import redis
from django.conf import settings
from django.test import Client

from games.engine import Deal as EngineDeal
from games.engine import Rules, card_code, parse_cards, shuffled, verify_match
from games.models import Deal, Match
from games.selectors import records
from games.services.deals import at_table
from games.streams.frames import FRAME, audience
from games.views import seated
from tests.factories import make_human
from tests.games.tables import make_table

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_valkey"), pytest.mark.slow]

#: Games a block; blocks may run beside each other.
GAMES = 50
#: Share of games whose every card is sent; the others begin somewhere in the deal.
WHOLE = 0.08
RULES = ["n=2 format=deals:1"] * 6 + [
    "n=2 format=deals:1 redraw=A3", "n=2 format=deals:1 stop_at_61=claim", "n=2 format=deals:1 stop_at_61=auto",
    "n=4 format=deals:1 signals=signs signs_from=1",
]  # fmt: skip


CARD = re.compile(r'"([A3RCF76542][DCSB])"')


class Picture:
    """What one viewer knows from the first state and the events of its own stream, and nothing else."""

    def __init__(self, state: dict[str, Any]) -> None:
        self.seat: int | None = state["you"]
        self.take(state)
        self.rules = Rules.from_dict(state["rules"])

    def take(self, state: dict[str, Any]) -> None:
        self.state = json.loads(json.dumps(state))

    def hear(self, kind: str, data: dict[str, Any]) -> None:
        """Apply the next event."""
        state = self.state
        assert data["seq"] == state["seq"] + 1, (kind, data, state["seq"])
        state["seq"] = data["seq"]
        if kind == "state":
            self.take(data)
        elif kind == "play":
            assert data["ply"] == state["ply"]
            state["ply"] += 1
            state["trick"].append({"seat": data["seat"], "card": data["card"]})
            state["hands"][data["seat"]] -= 1
            state["turn"] = data["turn"]
            if data["seat"] == self.seat:
                state["hand"].remove(data["card"])
        elif kind == "trick":
            cards = [played["card"] for played in state["trick"]]
            lead = state["trick"][0]["seat"]
            trick = {"lead": lead, "cards": cards, "winner": data["winner"], "points": data["points"]}
            state["tricks"].append(trick)
            state["last"], state["trick"] = trick, []
            state["won"][self.rules.sides[data["winner"]]] += len(cards)
            state["points"], state["stock"] = data["totals"], data["stock"]
            state["hands"], state["turn"] = data["hands"], data["turn"]
            if "drew" in data:
                state["hand"].append(data["drew"])
        elif kind == "sign":
            state["signs"].append({"seat": data["seat"], "ply": data["ply"], "code": data["code"]})
        elif kind == "deal":
            state["turn"] = None
            state["deals"].append({
                "number": data["deal"], "points": data["points"], "winner_side": data["winner_side"],
                "termination": data["termination"],
            })  # fmt: skip
        elif kind == "result":
            state["result"] = {name: data[name] for name in ("outcome", "winner_side", "termination")}
        else:
            raise AssertionError(kind)
        for name in ("clock", "known", "signals"):
            if name in data:
                state[name] = data[name]


def events(match: Match, seat: int | None) -> list[tuple[str, dict[str, Any]]]:
    """What was kept for a viewer's stream."""
    with redis.Redis.from_url(settings.VALKEY_URL) as client:
        entries = client.xrange(audience(match.code, seat))
    found = []
    for _id, fields in entries:
        text = fields[FRAME].decode().strip()
        lines = dict(line.split(": ", 1) for line in text.split("\n"))
        found.append((lines["event"], json.loads(lines["data"])))
    return found


class Game:
    """One game: its clients, and the engine's own copy of it, played beside it."""

    def __init__(self, rng: random.Random, clients: list[Client], players: list[Any]) -> None:
        self.rng = rng
        rules = rng.choice(RULES)
        n = Rules.parse(rules).n
        order = rng.sample(range(len(players)), n)
        self.match = make_table(*(players[at] for at in order), rules=rules, seed=rng.randbytes(32), clock="180+5")
        self.clients = [clients[at] for at in order]
        self.rules = self.match.parsed_rules
        shuffle = shuffled(self.rules, bytes(self.match.seed), "", 1)
        self.deal = EngineDeal(self.rules, shuffle.deck, self.match.first_dealer, shuffle.turned)
        if rng.random() > WHOLE:
            self.play_on(rng.randrange(24, 39))
        self.pictures = [Picture(self.state(seat)) for seat in range(n)]
        self.past: list[tuple[int, dict[str, Any], dict[str, Any]]] = []
        self.ending = ""

    def play_on(self, count: int) -> None:
        """So many cards at once: a request for each of them takes its time, and these tell nothing new."""
        with at_table(self.match) as table:
            while len(self.deal.plays) < count and not self.deal.over:
                card = self.rng.choice(self.deal.legal())
                self.deal.play(card)
                table.put(card, 100, round(table.now.timestamp() * 1000))

    def state(self, seat: int) -> dict[str, Any]:
        answer = self.clients[seat].get(f"/matches/{self.match.code}/state")
        assert answer.status_code == 200
        found: dict[str, Any] = answer.json()
        return found

    def post(self, seat: int, verb: str, body: dict[str, Any]) -> Any:
        return self.clients[seat].post(f"/matches/{self.match.code}/{verb}", body, content_type="application/json")

    def step(self) -> None:
        """Something wrong perhaps, then the next card, once or more often."""
        rng, deal = self.rng, self.deal
        turn, ply = deal.turn, len(deal.plays)
        card = card_code(rng.choice(deal.legal()))
        body = {"deal": 1, "ply": ply, "card": card}
        if rng.random() < 0.15:
            self.wrong(turn, ply, body)
        if self.rules.signals == "signs" and rng.random() < 0.1:
            self.post(turn, "signs", {"deal": 1, "ply": ply, "code": rng.choice(["A", "X", "K"])})
        if self.rules.stop_at_61 == "claim" and self.post(turn, "call", {"deal": 1, "ply": ply}).status_code == 200:
            deal.claim(turn)
            return
        if ply > 4 and rng.random() < 0.002:
            assert self.post(turn, "resign", {"deal": 1, "scope": "match"}).status_code == 200
            if self.rules.n == 2:
                self.ending = "resign"
                return
        answers = [self.post(turn, "plays", body) for _ in range(rng.choice([1, 1, 1, 1, 1, 1, 1, 2, 2, 3]))]
        assert [answer.status_code for answer in answers] == [200] * len(answers), answers[0].content
        assert all(answer.json() == answers[0].json() for answer in answers)
        deal.play(deal.legal()[[card_code(one) for one in deal.legal()].index(card)])
        self.past.append((turn, body, answers[0].json()))

    def wrong(self, turn: int, ply: int, body: dict[str, Any]) -> None:
        """A post that must change nothing."""
        rng = self.rng
        before = Match.objects.get(pk=self.match.pk).live_seq
        other = (turn + 1) % self.rules.n
        kind = rng.randrange(5)
        if kind == 0 and self.past:
            seat, old, first = rng.choice(self.past)
            answer = self.post(seat, "plays", old)
            assert (answer.status_code, answer.json()) == (200, first)
        elif kind == 1 and self.deal.hands[other]:
            answer = self.post(other, "plays", {**body, "card": card_code(self.deal.hands[other][0])})
            assert (answer.status_code, answer.json()["code"]) == (409, "not_your_turn")
            assert answer.json()["state"]["ply"] == ply
        elif kind == 2:
            answer = self.post(turn, "plays", {**body, "ply": ply + rng.choice([-1, 1, 2]) if ply else 1})
            assert answer.status_code in (409, 422)
        elif kind == 3 and self.deal.hands[other]:
            answer = self.post(turn, "plays", {**body, "card": card_code(self.deal.hands[other][0])})
            assert (answer.status_code, answer.json()["code"]) == (422, "card_not_in_hand")
        else:
            answer = self.post(turn, "ready", {"deal": 2})
            assert answer.status_code == 409
        assert Match.objects.get(pk=self.match.pk).live_seq == before

    def check(self) -> None:
        """Engine, database and pictures are the same."""
        match = Match.objects.get(pk=self.match.pk)
        row = Deal.objects.get(match=match)
        assert match.is_over
        assert parse_cards(row.plays) == self.deal.plays
        assert tuple(row.points) == self.deal.points
        if not self.ending:
            assert row.winner_side == self.deal.winner_side == match.winner_side
        bundle = records.bundle(match, None)
        assert bundle is not None
        assert verify_match(bundle) == []
        for seat in (None, *range(self.rules.n)):
            self.compare(match, seat)

    def compare(self, match: Match, seat: int | None) -> None:
        """A client that dropped its stream some times, took it up again and heard the rest has the server's state."""
        now = self.state(seat) if seat is not None else Client().get(f"/matches/{match.code}/state").json()
        heard = events(match, seat)
        numbers = [data["seq"] for _, data in heard]
        assert numbers == list(range(numbers[0], match.live_seq + 1))
        if seat is None:
            for kind, data in heard:
                shown = {data.get("card"), data.get("upcard")}
                assert set(CARD.findall(json.dumps(data))) <= shown, (kind, data)
            return
        picture = self.pictures[seat]
        for kind, data in heard:
            if data["seq"] > picture.state["seq"]:
                picture.hear(kind, data)
        same = (
            "seq", "deal", "ply", "turn", "hand", "hands", "trick", "last", "won", "points", "deals", "tricks", "signs",
            "known", "stock", "clock",
        )  # fmt: skip
        assert {name: picture.state[name] for name in same} == {name: now[name] for name in same}
        assert picture.state["result"].items() <= now["result"].items()


@pytest.mark.parametrize("block", range(4))
def test_two_hundred_games_by_clients_that_drop_repeat_and_come_late(monkeypatch, block):
    monkeypatch.setattr(seated, "MOST_POSTS", 1_000_000)  # the limit has a test of its own
    rng = random.Random(block)
    players = [make_human() for _ in range(8)]
    clients = []
    for player in players:
        client = Client()
        assert player.user is not None
        client.force_login(player.user)
        clients.append(client)
    for _ in range(GAMES):
        game = Game(rng, clients, players)
        while not game.deal.over and not game.ending:
            game.step()
            if rng.random() < 0.01:  # a client starts anew in the middle
                seat = rng.randrange(game.rules.n)
                game.pictures[seat] = Picture(game.state(seat))
        game.check()
