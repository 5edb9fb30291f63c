"""`bella play`: who won, what it cost, what failed."""

import json
import re
from collections import Counter
from random import Random

import pytest

from bots.arena.runner.interval import interval
from games.engine import Record, read_deals
from tests.bots.bella import SEED, Bella


def test_the_table_has_wins_points_and_times_and_the_same_seed_gives_the_same(bella: Bella) -> None:
    first = bella("play", "greedy", "random", "--deals", "6", "--seed", SEED)
    again = bella("play", "greedy", "random", "--deals", "6", "--seed", SEED)
    assert (first.status, first.err) == (0, "")
    title, head, greedy, chance, empty, score, *rest = first.lines
    assert title == "6 deals in 3 mirrored pairs, n=2 format=deals:1"
    assert head.split() == ["won", "drawn", "points", "faults", "CPU", "a", "move", "p50", "p95", "max"]
    rows = [greedy.split(), chance.split()]
    assert [row[0] for row in rows] == ["greedy", "random"]
    won, drawn, points, faults = (tuple(int(row[column]) for row in rows) for column in (1, 2, 3, 4))
    assert sum(won) + drawn[0] == 6
    assert sum(points) == 6 * 120
    assert faults == (0, 0)
    assert all(re.fullmatch(r"(\d+\.\d\d ms ?){3}", " ".join(row[5:])) for row in rows)
    assert re.fullmatch(
        r"greedy scores [\d.]+%, 95 % interval [\d.]+% to [\d.]+% by pair: "
        r"(which of the two is better is open: play more|greedy is the better one)\.",
        score,
    )
    assert (empty, rest) == ("", ["", f"--seed {SEED} gives the same cards again"])
    assert [line.split()[:5] for line in again.lines[:4]] == [line.split()[:5] for line in first.lines[:4]]


def test_the_result_as_json_says_all_of_it(bella: Bella) -> None:
    done = bella("play", "first.py", "last.py", "--deals", "4", "--seed", SEED, "--json")
    found = done.json
    assert done.status == 0
    assert [bot["name"] for bot in found["bots"]] == ["first.py", "last.py"]
    assert sum(bot["points"] for bot in found["bots"]) == 480
    assert sum(bot["won"] for bot in found["bots"]) + found["drawn"] == 4
    assert [bot["cpu_us"]["moves"] for bot in found["bots"]] == [80, 80]
    for bot in found["bots"]:
        assert 0 < bot["cpu_us"]["p50"] <= bot["cpu_us"]["p95"] <= bot["cpu_us"]["max"]
        assert bot["faults"] == {}
    assert found["score"] == (found["bots"][0]["won"] + found["drawn"] / 2) / 4
    assert found["interval_95"][0] < found["score"] < found["interval_95"][1]
    assert {key: found[key] for key in ("unit", "played", "wanted", "void", "mirrored", "first_faults", "rules")} == {
        "unit": "deals", "played": 4, "wanted": 4, "void": {}, "mirrored": True, "first_faults": [],
        "rules": "n=2 format=deals:1",
    }  # fmt: skip
    assert found["seed"] == SEED


def test_mirrored_deals_are_the_same_cards_with_the_seats_exchanged(bella: Bella) -> None:
    bella("play", "first.py", "last.py", "--deals", "4", "--record", "games.bella")
    deals = read_deals(bella.read("games.bella"))
    decks = [deal.record.deck for deal in deals]
    assert decks[0] == decks[1] != decks[2] == decks[3]
    assert [deal.record.dealer for deal in deals[::2]] == [deal.record.dealer for deal in deals[1::2]]
    assert [(deal.tag("Seat0"), deal.tag("Seat1")) for deal in deals] == [
        ("first.py", "last.py"),
        ("last.py", "first.py"),
    ] * 2


def test_a_bot_against_itself_wins_half_of_every_mirrored_pair(bella: Bella) -> None:
    found = bella("play", "medio", "medio", "--deals", "20", "--json").json
    assert [bot["name"] for bot in found["bots"]] == ["medio", "medio (2)"]
    assert [bot["points"] for bot in found["bots"]] == [1200, 1200]
    assert found["score"] == 0.5


def test_without_mirror_every_deal_has_its_own_cards(bella: Bella) -> None:
    done = bella("play", "first.py", "last.py", "--deals", "3", "--no-mirror", "--record", "games.bella", "--json")
    deals = read_deals(bella.read("games.bella"))
    assert len({deal.record.deck for deal in deals}) == 3
    assert {deal.tag("Seat0") for deal in deals} == {"first.py"}
    assert (done.json["played"], done.json["mirrored"]) == (3, False)


def test_an_odd_number_of_mirrored_deals_is_made_even(bella: Bella) -> None:
    assert bella("play", "first.py", "last.py", "--deals", "3", "--json").json["played"] == 4


def test_bots_draw_other_numbers_in_every_pair_and_the_same_within_one(bella: Bella) -> None:
    bella("play", "dice.py", "dice.py", "--deals", "4", "--jsonl", "pipes.jsonl")
    lines = [json.loads(line) for line in bella.read("pipes.jsonl").splitlines()]
    seeds = {
        (line["match"], line["seat"]): line["message"]["seed"]
        for line in lines
        if line.get("to") == "bot" and line["message"]["type"] == "start"
    }
    assert seeds["local-1", 0] == seeds["local-2", 0] != seeds["local-3", 0] == seeds["local-4", 0]
    assert len(set(seeds.values())) == 4


def test_with_a_format_whole_matches_are_counted(bella: Bella) -> None:
    done = bella(
        "play", "greedy", "first.py", "--matches", "4", "--format", "first_to:2", "--record", "m.bella", "--json"
    )
    found = done.json
    assert (found["unit"], found["played"], found["rules"]) == ("matches", 4, "n=2")
    assert sum(bot["won"] for bot in found["bots"]) + found["drawn"] == 4
    deals = Counter(deal.tag("Match") for deal in read_deals(bella.read("m.bella")))
    assert list(deals) == ["local-1", "local-2", "local-3", "local-4"]
    assert all(count >= 2 for count in deals.values())
    table = bella("play", "greedy", "first.py", "--deals", "2", "--rules", "n=2 format=first_to:1")
    assert table.lines[0] == "2 matches in 1 mirrored pair, n=2 format=first_to:1"


def test_in_pairs_one_bot_has_seats_0_and_2_and_then_1_and_3(bella: Bella) -> None:
    done = bella("play", "greedy", "first.py", "--rules", "n=4", "--deals", "2", "--record", "four.bella", "--json")
    deals = read_deals(bella.read("four.bella"))
    seats = [[deal.tag(f"Seat{seat}") for seat in range(4)] for deal in deals]
    assert seats == [["greedy", "first.py"] * 2, ["first.py", "greedy"] * 2]
    assert [bot["cpu_us"]["moves"] for bot in done.json["bots"]] == [40, 40]
    assert sum(bot["points"] for bot in done.json["bots"]) == 240


def test_wins_and_points_are_those_of_the_recorded_deals(bella: Bella) -> None:
    found = bella("play", "greedy", "random", "--deals", "8", "--record", "games.bella", "--json").json
    won, points = Counter(), Counter()
    for deal in read_deals(bella.read("games.bella")):
        played = deal.record.replay()
        won[deal.tag(f"Seat{played.winner_side}") if played.winner_side is not None else "drawn"] += 1
        for seat in (0, 1):
            points[deal.tag(f"Seat{seat}")] += played.points[seat]
    assert {bot["name"]: (bot["won"], bot["points"]) for bot in found["bots"]} == {
        name: (won[name], points[name]) for name in ("greedy", "random")
    }
    assert found["drawn"] == won["drawn"]


# ---- faults


def test_a_fault_is_told_with_its_request_its_log_and_what_to_do(bella: Bella) -> None:
    done = bella("play", "crashes.py", "first.py", "--deals", "4", "--seed", SEED)
    assert done.status == 1
    assert done.lines[2].split()[:5] == ["crashes.py", "0", "0", "0", "4"]
    assert done.lines[3].split()[:5] == ["first.py", "4", "0", "480", "0"]
    at = next(number for number, line in enumerate(done.lines) if line.startswith("Faults of"))
    assert re.fullmatch(r"Faults of crashes\.py: 4 crash\. The first one, in deal 1, seat 0, ply [67]:", done.lines[at])
    assert done.lines[at + 1] == "    The bot ended by itself (exit 1): IndexError: tuple index out of range"
    assert done.lines[at + 2] == (
        "    Read the end of the log: it names the line that failed. Correct it and upload again."
    )
    request = json.loads(done.lines[at + 3].removeprefix("    request: "))
    assert (request["type"], request["seat"], len(request["tricks"])) == ("play", 0, 3)
    log = [line.strip() for line in done.lines[at + 5 :]]
    assert log[:4] == ["trick 0", "trick 1", "trick 2", "trick 3"]
    assert 'File "bot.py", line 4, in play' in log
    assert log[-3] == "IndexError: tuple index out of range"


def test_faults_are_counted_by_kind_and_bot(bella: Bella) -> None:
    bella.write("illegal.py", "def play(view):\n    return next(c for c in ('AD', 'AC') if c not in view.hand)\n")
    bella.write("odd.py", "def play(view):\n    return 'XX' if view.deal else 'AD'\n")
    found = bella("play", "illegal.py", "odd.py", "--deals", "2", "--json").json
    kinds = [bot["faults"] for bot in found["bots"]]
    assert sum(sum(kind.values()) for kind in kinds) == 2
    assert set(kinds[0]) <= {"illegal"}
    assert set(kinds[1]) <= {"protocol"}
    for first in found["first_faults"]:
        assert first["answer"].startswith('{"n":2,"card":"')
        assert json.loads(first["request"])["n"] == 2


def test_a_match_is_lost_with_the_second_fault_as_on_the_site(bella: Bella) -> None:
    done = bella("play", "crashes.py", "first.py", "--deals", "2", "--format", "first_to:3", "--json")
    found = done.json
    assert (done.status, found["bots"][0]["faults"], found["bots"][1]["won"]) == (1, {"crash": 4}, 2)


def test_two_bots_that_cannot_start_make_a_void_deal_which_counts_for_nobody(bella: Bella) -> None:
    bella.write("broken.py", "raise RuntimeError('not today')\n")
    done = bella("play", "broken.py", "broken.py", "--deals", "1", "--no-mirror")
    assert done.status == 1
    assert "1 void and not counted: faults" in done.lines
    assert "Nothing was played to its end." in done.lines
    assert sum(line.startswith("Faults of broken.py") for line in done.lines) == 2
    assert "at the start:" in done.out
    found = bella("play", "broken.py", "broken.py", "--deals", "1", "--no-mirror", "--json").json
    assert (found["void"], found["score"], found["interval_95"]) == ({"faults": 1}, None, [0.0, 1.0])


# ---- what else it writes


def test_the_pipe_log_has_every_line_in_order_with_times(bella: Bella) -> None:
    bella("play", "crashes.py", "first.py", "--deals", "1", "--no-mirror", "--jsonl", "pipes.jsonl")
    lines = [json.loads(line) for line in bella.read("pipes.jsonl").splitlines()]
    assert [line["at_us"] for line in lines] == sorted(line["at_us"] for line in lines)
    assert {(line["match"], line["seat"], line["name"]) for line in lines} == {
        ("local-1", 0, "crashes.py"), ("local-1", 1, "first.py"),
    }  # fmt: skip
    mine = [line for line in lines if line["seat"] == 0]
    asked = [line["message"]["n"] for line in mine if line.get("to") == "bot" and "n" in line["message"]]
    answered = [line["message"]["n"] for line in mine if "from" in line and "message" in line]
    assert (asked, answered) == ([1, 2, 3, 4, 5], [1, 2, 3, 4])
    assert all(line["cpu_us"] > 0 and line["wall_us"] > 0 for line in mine if "message" in line and "from" in line)
    (fault,) = (line for line in mine if "fault" in line)
    assert (fault["fault"], fault["exit"], fault["detail"], fault["answer"]) == (
        "crash", "exit 1", "IndexError: tuple index out of range", "",
    )  # fmt: skip
    assert [line["log"] for line in mine if "log" in line][:3] == ["trick 0\n", "trick 1\n", "trick 2\n"]
    assert [line["message"]["type"] for line in mine[-1:]] == ["deal_over"]


def test_an_answer_that_is_no_json_stands_escaped_in_the_pipe_log(bella: Bella) -> None:
    raw = (
        "def main(requests, answers):\n    requests.readline()\n    answers.write(b'\\xff{\\n')\n    requests.read()\n"
    )
    bella.write("raw.py", raw)
    bella("play", "raw.py", "first.py", "--deals", "1", "--no-mirror", "--jsonl", "pipes.jsonl")
    lines = [json.loads(line) for line in bella.read("pipes.jsonl").splitlines()]
    assert [line["answer"] for line in lines if "answer" in line] == ["\\xff{"]


def test_the_record_is_verified_by_bella_verify(bella: Bella) -> None:
    bella("play", "greedy", "random", "--deals", "2", "--record", "games.bella")
    bella("play", "crashes.py", "random", "--format", "first_to:2", "--deals", "2", "--record", "faults.bella")
    done = bella("verify", "games.bella", "faults.bella")
    assert done.status == 0
    assert [line for line in done.lines if line.endswith(":")] == ["games.bella:", "faults.bella:"]
    assert done.lines.count("verified") == 2
    assert sum("deck proved by its seed" in line for line in done.lines) == 6
    faulty = read_deals(bella.read("faults.bella"))[0]
    assert (faulty.tag("Termination"), faulty.tag("FaultSeat"), len(faulty.record.plays)) in (
        ("crash", "0", 6), ("crash", "0", 7),
    )  # fmt: skip
    bella.write("games.bella", bella.read("games.bella").replace('Number "1"', 'Number "2"'))
    lying = bella("verify", "games.bella")
    assert lying.status == 1
    assert "The deck is not the one that the seed gives" in lying.out


def test_show_tells_one_deal_trick_by_trick(bella: Bella) -> None:
    done = bella("play", "greedy", "first.py", "--show", "--seed", SEED, "--record", "one.bella")
    (text,) = read_deals(bella.read("one.bella"))
    played = text.record.replay()
    assert re.fullmatch(r"Deal 1\. (greedy \(0\)|first\.py \(1\)) deals\.", done.lines[0])
    assert re.fullmatch(r"The \w+ of \w+ \(..\) is turned up: (coins|cups|swords|clubs) are trumps\.", done.lines[1])
    tricks = [line for line in done.lines if re.match(r" ?\d+\. .* holds ", line)]
    assert len(tricks) == 20
    cards = re.findall(r"(?:leads|plays) the \w+ of \w+ \((..)\)", done.out)
    assert "".join(cards) == text.record.to_dict()["plays"]
    winner = "Drawn" if played.winner_side is None else f"{('greedy', 'first.py')[played.winner_side]} wins the deal"
    assert f"{winner}, {played.points[0]} to {played.points[1]}." in done.lines
    assert "1 deal, n=2 format=deals:1" in done.lines


def test_show_tells_where_a_deal_was_broken_off(bella: Bella) -> None:
    done = bella("play", "crashes.py", "first.py", "--show")
    assert "    crashes.py (0) faults: crash IndexError: tuple index out of range" in done.lines
    assert "first.py wins the deal, 0 to 120." in done.lines


def test_slow_gives_bots_more_time_and_tells_them(bella: Bella) -> None:
    def limits(*options: str) -> dict[str, int]:
        bella("play", "first.py", "last.py", "--deals", "1", "--jsonl", "pipes.jsonl", *options)
        told: dict[str, int] = json.loads(bella.read("pipes.jsonl").splitlines()[0])["message"]["limits"]
        return told

    plain, slow = limits(), limits("--slow", "2.5")
    assert plain == {
        "start_cpu_ms": 2000, "move_cpu_ms": 100, "bank_cpu_ms": 3000, "move_wall_ms": 5000, "memory_mb": 448,
    }  # fmt: skip
    assert slow == {
        "start_cpu_ms": 5000, "move_cpu_ms": 250, "bank_cpu_ms": 7500, "move_wall_ms": 12500, "memory_mb": 448,
    }  # fmt: skip


def test_a_slow_move_is_a_fault_but_on_a_slow_machine(bella: Bella) -> None:
    bella.write("spins.py", "import time\ndef play(view):\n    end = time.process_time() + 0.16\n"
                "    while len(view.hand) == 3 and not view.tricks and time.process_time() < end: pass\n"
                "    return view.legal[0]\n")  # fmt: skip
    arguments = ("play", "spins.py", "first.py", "--deals", "1", "--no-mirror", "--json", "--seed", SEED)
    assert bella(*arguments, "--slow", "0.1").json["bots"][0]["faults"] == {}  # 10 ms, and a bank of 300
    bella.write("spins.py", bella.read("spins.py").replace("0.16", "0.6"))
    assert bella(*arguments, "--slow", "0.1").json["bots"][0]["faults"] == {"timeout": 1}
    assert bella(*arguments).json["bots"][0]["faults"] == {}


# ---- the interval


def test_the_interval_is_wilson_s_for_yes_and_no() -> None:
    low, high = interval([1.0] * 8)
    assert (round(low, 4), high) == (0.6756, 1.0)
    low, high = interval([1.0, 0.0] * 50)
    assert (round(low, 4), round(high, 4)) == (0.4034, 0.5966)
    assert interval([]) == (0.0, 1.0)


def test_pairs_that_always_end_even_tell_more_than_chance() -> None:
    even, chance = interval([0.5] * 40), interval([0.0, 1.0] * 20)
    assert even[1] - even[0] < 0.5 * (chance[1] - chance[0])
    assert interval([0.5])[0] < 0.1


@pytest.mark.parametrize("count", [3, 10, 60])
def test_the_interval_holds_the_true_score_in_about_95_of_100_runs(count: int) -> None:
    random = Random(count)
    weights = (1, 3, 6, 4, 2)
    true = sum(weight * score for score, weight in enumerate(weights)) / 4 / sum(weights)
    runs = [interval(random.choices((0.0, 0.25, 0.5, 0.75, 1.0), weights, k=count)) for _ in range(1_000)]
    assert 0.93 <= sum(low <= true <= high for low, high in runs) / 1_000 <= 1


def test_a_record_of_a_deal_is_the_deal_that_was_played(bella: Bella) -> None:
    bella("play", "first.py", "last.py", "--deals", "2", "--record", "games.bella")
    for text in read_deals(bella.read("games.bella")):
        deal = Record.replay(text.record, 0)
        while not deal.over:
            cards = deal.legal()
            deal.play(cards[0] if text.tag(f"Seat{deal.turn}") == "first.py" else cards[-1])
        assert deal.plays == text.record.plays
