"""`bella replay`: a match of the site, put to a bot here."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from bots import house
from bots.api.serializers import Game as GameJson
from bots.arena import Baseline, Bench, BotRef, QualifyJob, QualifyStep, Report, play_match, qualify, unpack
from bots.models import QualifyGame
from bots.sandbox import start_sandbox
from bots.selectors import wire_log
from bots.services.runs import Verdict
from games.engine import Deal, Record, Rules, card_code, parse_cards
from games.models import Match
from games.selectors import records
from tests.bots.bella import CRASHES, DICE, FIRST, LAST, SEED, Bella, Done
from tests.bots.honest_worker import send
from tests.bots.runs_fixtures import queued
from tests.factories import make_bot_match

SITE = pytest.mark.usefixtures("db", "clean_valkey")

#: As DICE, but for the third card of every deal.
CHANGED = DICE.replace(
    "        return self.random.choice(cards)",
    "        card = self.random.choice(cards)\n        return view.legal[0] if len(view.tricks) == 2 else card",
)


def served(*sources: str, **fields: Any) -> Match:
    """A match that the site handed out, the arena's conductor played with these bots, and the site took in."""
    match, worker = queued(make_bot_match(**fields))
    worker.finish()
    archives = [unpack(source.encode()) for source in sources]
    seats = [replace(seat, sha256=archive.sha256) for seat, archive in zip(worker.job.seats, archives, strict=True)]
    reports: list[Report] = []
    with start_sandbox() as sandbox:
        folders = {archive.sha256: sandbox.store.put(dict(archive.files)) for archive in archives}
        bench = Bench(sandbox=sandbox, bot_dir=folders.__getitem__)
        job = replace(worker.job, seats=tuple(seats))
        play_match(job, lambda *more: reports.extend(more), bench=bench, nonce=worker.nonce)
    assert {send(report).verdict for report in reports} == {Verdict.ACCEPTED}
    match.refresh_from_db()
    assert match.is_over
    return match


def saved(bella: Bella, match: Match) -> str:
    """The record as the match's page gives it."""
    return bella.write(f"{match.code}.json", json.dumps(records.bundle(match, None), ensure_ascii=False, indent=1))


def record_of(bundle: dict[str, Any], deal: dict[str, Any]) -> Record:
    cards = (parse_cards(deal[part]) for part in ("deck", "plays", "turned"))
    deck, plays, turned = cards
    return Record(Rules.parse(bundle["rules"]), deck, plays, deal["dealer"], turned)


def positions(match: Match, seat: int) -> list[tuple[int, int, Deal, str]]:
    """(deal, ply, the deal before it, the card played) of a seat."""
    bundle = records.bundle(match, None)
    assert bundle is not None
    found = []
    for entry in bundle["deals"]:
        record = record_of(bundle, entry)
        for ply, card in enumerate(record.plays):
            deal = record.replay(ply)
            if deal.turn == seat:
                found.append((entry["number"], ply, deal, card_code(card)))
    return found


def differing(done: Done) -> Sequence[str]:
    return [line for line in done.lines if ": yours " in line]


# ---- the acceptance: the same bot plays the same cards


@SITE
@pytest.mark.parametrize("seat", [0, 1])
def test_a_reproducible_bot_differs_nowhere_from_its_match_on_the_site(bella: Bella, seat: int) -> None:
    match = served(DICE, DICE, rules="n=2 format=first_to:2")
    done = bella("replay", saved(bella, match), "dice.py", "--seat", str(seat))
    count = len(positions(match, seat))
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"0 differences in {count} cards; CPU a move: p50 ")
    assert len(done.lines) == 1


@SITE
def test_a_changed_bot_differs_exactly_where_it_was_changed(bella: Bella) -> None:
    match = served(DICE, FIRST, rules="n=2 format=first_to:2")
    expected = [
        f"deal {number}, trick 3, ply {ply}: yours {card_code(deal.legal()[0])}, played {card}   "
        for number, ply, deal, card in positions(match, 0)
        if deal.tricks_done == 2 and card_code(deal.legal()[0]) != card
    ]
    bella.write("changed.py", CHANGED)
    done = bella("replay", saved(bella, match), "changed.py")
    assert [line.partition("hand")[0] for line in differing(done)] == expected
    word = "difference" if len(expected) == 1 else "differences"
    assert done.lines[-1].startswith(f"{len(expected)} {word} in {len(positions(match, 0))} cards; ")


@SITE
def test_every_difference_shows_hand_table_and_trump(bella: Bella) -> None:
    match = served(FIRST, LAST)
    expected = []
    for number, ply, deal, card in positions(match, 0):
        mine = card_code(deal.legal()[-1])
        if mine != card:
            view = deal.observe(0)
            table = " ".join(lying for _, lying in view.table) or "-"
            expected.append(
                f"deal {number}, trick {deal.tricks_done + 1}, ply {ply}: yours {mine}, played {card}   "
                f"hand {' '.join(view.hand)}, table {table}, trump {view.trump}"
            )
    done = bella("replay", saved(bella, match), "last.py")
    assert expected
    assert differing(done) == expected
    assert done.lines[-1].startswith(f"{len(expected)} differences in ")
    assert done.status == 0


@SITE
def test_after_a_fault_on_the_site_the_bot_starts_afresh_here_too(bella: Bella) -> None:
    """Its dice begin anew, and it has forgotten who lost."""
    once = DICE.replace(
        "        cards = sorted",
        "        if view.deal == 1 and len(view.tricks) == 4:\n            raise OSError\n        cards = sorted",
    )
    match = served(DICE, once, rules="n=2 format=first_to:2")
    assert match.deals.get(number=1).termination == "crash"
    done = bella("replay", saved(bella, match), "dice.py", "--seat", "0")
    assert done.out.startswith(f"0 differences in {len(positions(match, 0))} cards")


@SITE
def test_where_the_bot_of_the_match_faulted_the_card_of_this_one_is_shown(bella: Bella) -> None:
    match = served(CRASHES, FIRST)
    bella.write("mended.py", CRASHES.replace("9 if len(view.tricks) == 3 else 0", "0"))
    done = bella("replay", saved(bella, match), "mended.py")
    faults = [line for line in done.lines if "crash in the match; yours" in line]
    assert [line.split(":")[0].split(", ")[:2] for line in faults] == [["deal 1", "trick 4"], ["deal 2", "trick 4"]]
    assert done.lines[-1].startswith(f"0 differences in {len(positions(match, 0)) + 2} cards; ")
    assert done.status == 0


@SITE
def test_a_bot_that_faults_here_is_told_and_ends_the_deal(bella: Bella) -> None:
    match = served(FIRST, LAST)
    done = bella("replay", saved(bella, match), "crashes.py")
    assert done.status == 1
    told = [line for line in done.lines if line.endswith("your bot faulted")]
    assert [line.split(",")[0] for line in told] == ["deal 1", "deal 2"]
    assert "    The bot ended by itself (exit 1): IndexError: tuple index out of range" in done.lines
    assert ", 2 faults (what follows the second is left out); " in done.lines[-1]
    bella.write("broken.py", "raise OSError('no')\n")
    assert "deal 1, at the start: your bot faulted" in bella("replay", saved(bella, match), "broken.py").lines


@SITE
def test_one_position_is_shown_in_full_and_its_request_can_be_asked(bella: Bella) -> None:
    match = served(DICE, FIRST)
    number, ply, deal, card = positions(match, 0)[25]
    bella.write("talks.py", DICE.replace("        cards =", '        print("deal", view.deal)\n        cards ='))
    done = bella("replay", saved(bella, match), "talks.py", "--seat", "0", "--deal", str(number), "--ply", str(ply))
    view = deal.observe(0)
    assert done.lines[0] == f"deal {number}, trick {deal.tricks_done + 1}, ply {ply}, seat 0"
    assert done.lines[1].startswith(f"  hand {' '.join(view.hand)}, table ")
    assert done.lines[2] == f"  points {view.points[0]} to {view.points[1]}, {view.stock} cards to draw"
    assert done.lines[3] == f"  played {card}"
    assert done.lines[4].startswith(f"  yours  {card}   ")
    assert done.lines[5] == f"  log    deal {number}"
    request = json.loads(done.lines[6].removeprefix("  request: "))
    assert (request["deal"], request["hand"], request["match"]) == (number, list(view.hand), match.code)
    assert done.lines[7].startswith("0 differences in 1 card; ")
    asked = bella("ask", "first.py", stdin=json.dumps(request))
    assert (asked.status, asked.out.split()[0]) == (0, view.hand[0])


@SITE
def test_one_deal_of_a_match_is_played_after_the_ones_before_it(bella: Bella) -> None:
    match = served(DICE, FIRST)
    done = bella("replay", saved(bella, match), "dice.py", "--deal", "2")
    count = sum(number == 2 for number, *_ in positions(match, 0))
    assert done.out.startswith(f"0 differences in {count} cards")


@SITE
def test_bots_hear_of_a_replayed_match_what_they_heard_on_the_site(bella: Bella) -> None:
    """Every message, but for the clock: a bot whose cards hang on all that it heard plays the same ones."""
    spy = (
        "import json, zlib\n"
        "def main(requests, answers):\n"
        "    total = 0\n"
        "    for line in requests:\n"
        "        message = json.loads(line)\n"
        "        kept = {k: v for k, v in message.items() if k not in ('clock', 'n', 'limits')}\n"
        "        total = zlib.crc32(json.dumps(kept).encode(), total)\n"
        "        legal = message.get('legal') or ['AD']\n"
        "        answer = {'ready': True} if message['type'] == 'start' else {'card': legal[total % len(legal)]}\n"
        "        if 'n' in message:\n"
        "            answers.write(json.dumps({'n': message['n'], **answer}).encode() + b'\\n')\n"
    )
    match = served(spy, spy)
    bella.write("spy.py", spy)
    assert bella("replay", saved(bella, match), "spy.py", "--seat", "1").out.startswith("0 differences")
    bella.write("OTHER.json", bella.read(f"{match.code}.json"))
    assert not bella("replay", "OTHER.json", "spy.py", "--seat", "1").out.startswith("0 differences")


@SITE
def test_the_log_of_the_site_is_asked_as_it_is_downloaded(bella: Bella) -> None:
    seeded = (
        "class Bot:\n"
        "    def start(self, match):\n"
        "        self.seed = match.seed\n"
        "    def play(self, view):\n"
        "        return view.legal[self.seed % len(view.legal)]\n"
    )
    match = served(seeded, FIRST)
    bella.write("seeded.py", seeded)
    log = wire_log.as_jsonl(match, list(match.seats.filter(index=0)))
    done = bella("ask", "seeded.py", stdin=log)
    assert (done.status, [line.split()[0] for line in done.lines]) == (0, [card for *_, card in positions(match, 0)])


@SITE
def test_the_text_of_a_match_can_be_replayed_as_well(bella: Bella) -> None:
    match = served(DICE, FIRST)
    text = records.text(match, None)
    assert text is not None
    bella.write("match.bella", text)
    assert bella("replay", "match.bella", "dice.py", "--seat", "0").out.startswith("0 differences")


@SITE
def test_a_match_that_is_not_over_cannot_be_replayed_yet(bella: Bella) -> None:
    match, _worker = queued()
    done = bella("replay", saved(bella, match), "first.py")
    assert (done.status, done.out) == (2, "")
    assert "Part of the match is not shown yet: verify it when the match (or its set) is over." in done.err
    assert done.err.count("\n") == 1


# ---- other records


def test_a_record_of_play_knows_the_seat_of_the_bot(bella: Bella) -> None:
    bella("play", "first.py", "dice.py", "--deals", "4", "--record", "games.bella", "--seed", SEED)
    done = bella("replay", "games.bella", "dice.py")
    assert done.out.startswith("0 differences in 80 cards")
    third = bella("replay", "games.bella", "dice.py", "--deal", "3")
    assert third.out.startswith("0 differences in 20 cards")
    bella("play", "crashes.py", "dice.py", "--matches", "2", "--format", "first_to:2", "--record", "faults.bella")
    assert bella("replay", "faults.bella", "dice.py").out.startswith("0 differences in ")


@pytest.mark.parametrize(
    ("rules", "unit"),
    [
        ("n=2 open=all", "deals"),
        ("n=2 hand=5 trump=none format=race:121", "matches"),
        ("n=2 redraw=A3R stop_at_61=auto", "deals"),
        ("n=4 signals=auto partners_see=start", "deals"),
        ("n=6", "deals"),
    ],
)
def test_games_by_any_rules_are_played_verified_and_replayed(bella: Bella, rules: str, unit: str) -> None:
    played = bella("play", "dice.py", "first.py", "--rules", rules, "--deals", "2", "--record", "games.bella", "--json")
    assert (played.status, played.json["unit"]) == (0, unit)
    assert bella("verify", "games.bella").lines[-1] == "verified"
    assert bella("replay", "games.bella", "dice.py").out.startswith("0 differences in ")
    assert bella("play", "dice.py", "first.py", "--rules", rules, "--show").status == 0


def test_in_pairs_every_seat_can_be_replayed(bella: Bella) -> None:
    bella("play", "dice.py", "first.py", "--rules", "n=4", "--deals", "1", "--no-mirror", "--record", "four.bella")
    for seat, bot in enumerate(["dice.py", "first.py"] * 2):
        done = bella("replay", "four.bella", bot, "--seat", str(seat))
        assert done.out.startswith("0 differences in 10 cards")


def test_the_games_of_a_check_are_replayed_each_in_a_process_of_its_own(bella: Bella) -> None:
    """As the API gives them: no seed, the seat of the bot in each, null where it played both."""
    games = checked(LAST)
    bella.write("games.json", json.dumps({"count": len(games), "next": None, "previous": None, "results": games}))
    cards = sum(len(game["plays"]) // 4 for game in games)
    done = bella("replay", "games.json", "last.py")
    assert (done.status, done.err) == (
        0, "the record holds no seed: a bot that draws random numbers may differ by chance\n",
    )  # fmt: skip
    assert done.out.startswith(f"0 differences in {cards} cards")
    assert {game["seat"] for game in games} == {None, 0, 1}
    at = next(index for index, game in enumerate(games, 1) if game["seat"] == 1)
    first_card = record_of({"rules": games[at - 1]["rules"]}, games[at - 1] | {"turned": ""}).replay(0)
    ply = 0 if first_card.turn == 1 else 1
    one = bella("replay", "games.json", "last.py", "--deal", str(at), "--ply", str(ply))
    assert one.lines[0] == f"deal {at}, trick 1, ply {ply}, seat 1"
    assert not bella("replay", "games.json", "first.py").out.startswith("0 differences")


def checked(source: str) -> list[dict[str, Any]]:
    """The games of a check, in the API's JSON."""
    archives = {"self": unpack(source.encode()), **{name: unpack(house.source(name)) for name in house.BASELINES}}
    reports: list[Report] = []
    with start_sandbox() as sandbox:
        folders = {archive.sha256: sandbox.store.put(dict(archive.files)) for archive in archives.values()}
        job = QualifyJob(
            run_id="00000000-0000-0000-0000-000000000000",
            bot=BotRef(sha256=archives["self"].sha256),
            seed=SEED,
            baselines=tuple(Baseline(name=name, sha256=archives[name].sha256) for name in house.BASELINES),
            budget_s=0,
        )
        bench = Bench(sandbox=sandbox, bot_dir=folders.__getitem__)
        qualify(job, reports.append, bench=bench, nonce="nonce-of-this-test")
    steps = [report for report in reports if isinstance(report, QualifyStep)]
    assert steps[-1].verdict == "qualified"
    rows = [(step.check, game) for step in steps for game in step.games]
    fields = (
        "number",
        "opponent",
        "seat",
        "rules",
        "dealer",
        "deck",
        "plays",
        "winner_side",
        "termination",
        "fault_seat",
    )
    return [
        dict(
            GameJson(
                QualifyGame(
                    pk=number, step=check, points=list(game.points), **{name: getattr(game, name) for name in fields}
                )
            ).data
        )
        for number, (check, game) in enumerate(rows, 1)
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing.json", "first.py"], "nothing.json: No such file or directory"),
        (["first.py", "first.py"], "first.py: "),
        (["empty.json", "first.py"], "empty.json: the record cannot be used: engine is missing."),
        (["list.json", "first.py"], "list.json: this is no record of a match"),
        (["none.json", "first.py"], "none.json: there is no deal in it"),
        (["games.bella", "nobody.py"], "nobody.py: there is no such file"),
        (["games.bella", "first.py", "--seat", "2"], "--seat 2: the match has seats 0 to 1"),
        (["games.bella", "first.py", "--deal", "5"], "--deal 5: the record has deals 1 to 2"),
        (["games.bella", "first.py", "--ply", "3"], "--ply needs --deal: the record has several deals"),
        (["games.bella", "last.py", "--deal", "1", "--ply", "39", "--seat", "SEAT"], "is a card of seat "),
        (["short.bella", "first.py", "--deal", "1", "--ply", "39"], "--ply 39: the deal has plies 0 to 7"),
    ],
)
def test_a_call_that_cannot_be_is_told_in_one_line(bella: Bella, arguments: list[str], words: str) -> None:
    bella("play", "first.py", "last.py", "--deals", "2", "--record", "games.bella", "--seed", SEED)
    bella("play", "crashes.py", "last.py", "--deals", "1", "--no-mirror", "--record", "short.bella", "--seed", SEED)
    bella.write("empty.json", "{}")
    bella.write("list.json", "[1]")
    bella.write("none.json", "[]")
    if "SEAT" in arguments:  # the one that does not play the last card
        first = bella("replay", "games.bella", "last.py", "--deal", "1", "--ply", "39", "--seat", "0")
        arguments[arguments.index("SEAT")] = "0" if first.status else "1"
    done = bella("replay", *arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("bella replay: ")
    assert words in done.err
    assert done.err.count("\n") == 1


def test_a_record_that_was_changed_is_refused(bella: Bella) -> None:
    bella("play", "first.py", "last.py", "--deals", "1", "--no-mirror", "--record", "games.bella")
    bella.write("games.bella", bella.read("games.bella").replace("\n2. ", "\n3. ", 1))
    done = bella("replay", "games.bella", "first.py")
    assert done.status == 2
    assert done.err.startswith("bella replay: games.bella: ")


@SITE
def test_a_match_whose_points_are_false_is_refused(bella: Bella) -> None:
    match = served(FIRST, LAST)
    bundle = json.loads(bella.read(saved(bella, match)))
    bundle["deals"][0]["points"].reverse()
    bella.write("false.json", json.dumps(bundle))
    done = bella("replay", "false.json", "first.py")
    assert (done.status, done.out) == (2, "")
    assert "false.json: the record cannot be used: deal 1: points " in done.err


def test_house_bots_can_be_replayed_by_name(bella: Bella) -> None:
    assert "medio" in house.HOUSE
    bella("play", "medio", "first.py", "--deals", "2", "--record", "games.bella")
    assert bella("replay", "games.bella", "medio").out.startswith("0 differences in 40 cards")
