import json
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from games.engine import (
    Deal,
    DealText,
    Record,
    Rules,
    commitment,
    luck,
    read_deals,
    shuffled,
    stream_deals,
    write_deal,
    write_deals,
)
from games.engine.cli import main
from games.engine.cli_files import json_of_deal
from tests.engine.play import SEED, case, play_out, played_match

TEXT = case("N05")["expected"]["text"]


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    file = tmp_path / "match.json"
    file.write_text(json.dumps(played_match(Rules())))
    return file


def test_a_true_match_is_verified_with_exit_code_0(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(bundle)]) == 0
    assert capsys.readouterr().out.endswith("\nverified\n")


def test_a_changed_match_gives_its_problems_and_exit_code_1(bundle: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(bundle.read_text())
    data["deals"][0]["points"] = [120, 0]
    bundle.write_text(json.dumps(data))
    assert main(["verify", str(bundle)]) == 1
    out = capsys.readouterr().out
    assert "problem: deal 1: points is [120, 0], but must be [" in out
    assert out.endswith("1 problems\n")


def test_texts_of_deals_are_verified_against_their_seed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "deal.bella"
    assert main(["deal", "--seed", SEED.hex(), "--rules", "n=4 redraw=A3", "--number", "3", "--salt", "a"]) == 0
    text = capsys.readouterr().out
    file.write_text(text + "\n" + TEXT)
    assert main(["verify", str(file)]) == 0
    out = capsys.readouterr().out
    assert "not over; deck proved by its seed" in out
    assert "73-47, side 0 wins; no seed given" in out
    for old, new, code in (
        ('[Number "3"]', '[Number "4"]', "verify.deck"),
        (commitment(SEED), "0" * 64, "verify.commitment"),
    ):
        file.write_text(text.replace(old, new))
        assert main(["verify", str(file)]) == 1
        assert code in capsys.readouterr().out


def test_a_text_that_does_not_agree_with_itself_gives_the_line_and_exit_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "deal.bella"
    file.write_text(TEXT.replace("> 1 +12", "> 2 +12"))
    assert main(["verify", str(file)]) == 1
    assert capsys.readouterr().err == "error: notation.winner: Seat 1 takes this trick, not '2'. (line 9) (column 27)\n"


@pytest.mark.parametrize("content", [b'{"a": NaN}', b'{"a"', b"{" * 100_000, b'{"a":' * 100_000, b"{\xff}"])
def test_json_that_cannot_be_read_is_exit_code_1(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "match.json"
    file.write_bytes(content)
    assert main(["verify", str(file)]) == 1
    assert main(["show", str(file)]) == 1
    assert "not JSON" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["missing.json", "", "a\0b", "."])
def test_a_file_that_is_not_there_is_exit_code_2(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["verify", name]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_show_prints_a_match_as_texts_that_prove_their_decks(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", str(bundle)]) == 0
    text = capsys.readouterr().out
    shown = read_deals(text)
    deals = json.loads(bundle.read_text())["deals"]
    assert [entry.record.to_dict()["plays"] for entry in shown] == [deal["plays"] for deal in deals]
    file = tmp_path / "match.bella"
    file.write_text(text)
    assert main(["verify", str(file)]) == 0
    assert capsys.readouterr().out.count("deck proved by its seed") == len(deals)
    assert main(["show", str(file)]) == 0
    assert capsys.readouterr().out == text


def test_show_of_half_a_bundle_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "half.json"
    file.write_text("{}")
    assert main(["show", str(file)]) == 1
    assert capsys.readouterr().err == "error: the bundle lacks a field: run verify on it\n"
    assert main(["verify", str(file)]) == 1


@pytest.mark.parametrize("form", ["bella", "jsonl"])
def test_deals_come_back_from_every_form(
    bundle: Path, tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", str(bundle)]) == 0
    text = capsys.readouterr().out
    assert main(["convert", str(bundle), "--to", form]) == 0
    file = tmp_path / "deals"
    file.write_text(capsys.readouterr().out)
    assert main(["convert", str(file)]) == 0
    assert capsys.readouterr().out == text
    assert main(["verify", str(file)]) == 0
    assert capsys.readouterr().out.count("deck proved by its seed") == len(read_deals(text))


def test_deals_are_written_as_positions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "deal.bella"
    file.write_text(TEXT)
    assert main(["convert", str(file), "--to", "positions"]) == 0
    assert capsys.readouterr().out == read_deals(TEXT)[0].record.replay().position() + "\n"


@pytest.mark.parametrize(
    "line",
    [
        '{"plays": 1',
        '\n\n{"plays": "", "rules": 3}',
        '{"plays": [], "tags": 7}',
        '{"plays": ""}',
        '{"plays": "", "rules": 3}',
    ],
)
def test_json_lines_that_are_no_deals_are_refused(
    tmp_path: Path, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "deals.jsonl"
    file.write_text(line + "\n")
    assert main(["verify", str(file)]) == 1
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize(
    "change",
    [{"comments": [[1, "{x}"]]}, {"comments": [["1", "x"]]}, {"tags": {"A": "\ud800"}}, {"tags": {"A": "x" * 201}}],
)
def test_a_json_line_with_what_cannot_be_written_is_refused_with_its_line(
    tmp_path: Path, change: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    good = json_of_deal(read_deals(TEXT)[0])
    file = tmp_path / "deals.jsonl"
    file.write_text(f"\n\n{good}\n{json.dumps(json.loads(good) | change)}\n")
    assert main(["convert", str(file), "--to", "jsonl"]) == 1
    assert "(line 4)" in capsys.readouterr().err
    file.write_text(good[:-1] + ',"comments":[[1e999,"x"]]}\n')
    assert main(["verify", str(file)]) == 1


@pytest.mark.parametrize("command", ["convert", "stats", "verify", "show"])
def test_a_file_without_deals_is_said_to_be_one(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "empty.bella"
    file.write_text("\n")
    assert main([command, str(file)]) == 1
    assert "holds no deal" in capsys.readouterr().err


def test_stats_count_wins_draws_and_luck_by_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "deals.bella"
    texts = []
    for number in range(1, 31):
        deal = play_out(Deal(Rules(), shuffled(Rules(), SEED, "", number).deck, 1), Random(number))
        texts.append(DealText(Record.of(deal)))
    file.write_text(write_deals([*texts, *read_deals(TEXT)]))
    assert main(["stats", str(file)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "n=2"
    assert shown[1] == "  deals 30: 30 over, 0 not, 0 ended early"
    wins = [sum(text.record.result().winner_side == side for text in texts) for side in (0, 1, None)]
    assert shown[2] == (
        f"  won: side 0 {wins[0]} ({wins[0] / 0.3:.1f} %), side 1 {wins[1]} ({wins[1] / 0.3:.1f} %); "
        f"drawn {wins[2]} ({wins[2] / 0.3:.1f} %)"
    )
    lucks = [luck(text.record)[0] for text in texts]  # type: ignore[index]
    assert shown[4].startswith(f"  luck (luck-1) of seat 0: mean {sum(lucks) / 300:.2f} +- ")
    assert "n=6" in shown


def test_a_long_file_is_read_in_the_memory_of_one_deal() -> None:
    record = play_out(Deal(Rules(), shuffled(Rules(), SEED, "", 1).deck, 1), Random(1))
    lines = [*write_deal(Record.of(record)).splitlines(keepends=True), "\n"]

    def many(count: int) -> Iterator[str]:
        for _ in range(count):
            yield from lines

    def peak(count: int) -> int:
        tracemalloc.start()
        assert sum(1 for _ in stream_deals(many(count))) == count
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(10)
    assert peak(1000) < peak(10) + 50_000


def test_a_reader_that_has_seen_enough_is_no_error(bundle: Path) -> None:
    command = f"{sys.executable} -m games.engine show {bundle} | head -1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ('[Bella "1"]\n', "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["deal", "--seed", "00"],
        ["deal", "--seed", "xx"],
        ["deal", "--seed", SEED.hex(), "--rules", "n=7"],
        ["deal", "--seed", SEED.hex(), "--salt", "a b"],
        ["deal", "--seed", SEED.hex(), "--number", "0"],
        ["deal", "--seed", SEED.hex(), "--dealer", "2"],
    ],
)
def test_a_deal_that_cannot_be_dealt_is_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_the_command_line_runs_reads_standard_input_and_has_help() -> None:
    def run(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "games.engine", *arguments]
        return subprocess.run(command, input=given, capture_output=True, text=True, timeout=60, check=False)

    verified = run("verify", "-", given=TEXT)
    assert (verified.returncode, verified.stderr) == (0, "")
    assert verified.stdout.endswith("verified\n")
    helped = run("--help")
    assert helped.returncode == 0
    assert all(word in helped.stdout for word in ("verify", "show", "deal", "convert", "stats", "exit codes"))
    assert run().returncode == 2
    assert run("verify").returncode == 2


def test_importing_the_engine_stays_light_and_alone() -> None:
    code = (
        "import sys; before = set(sys.modules); import games.engine; "
        "new = {name.split('.')[0] for name in set(sys.modules) - before}; "
        "heavy = new & {'argparse', 'json', 'pathlib', 'django', 'hypothesis', 'numpy', 'asyncio', 'random'}; "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, '.'); {code}"], check=True, timeout=60)
