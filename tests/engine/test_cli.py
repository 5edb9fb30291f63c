import json
import subprocess
import sys
from pathlib import Path

import pytest

from games.engine import Rules, commitment, read_deals
from games.engine.cli import main
from tests.engine.play import SEED, case, played_match

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
    assert capsys.readouterr().err == "error: notation.winner: Seat 1 takes this trick, not '2'. (line 9)\n"


@pytest.mark.parametrize("content", [b'{"a": NaN}', b'{"a"', b"{" * 100_000, b'{"a":' * 100_000, b"{\xff}"])
def test_json_that_cannot_be_read_is_exit_code_2(
    tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "match.json"
    file.write_bytes(content)
    assert main(["verify", str(file)]) == 2
    assert main(["show", str(file)]) == 2
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
    assert main(["show", str(file)]) == 2
    assert capsys.readouterr().err == "error: the bundle lacks a field: run verify on it\n"
    assert main(["verify", str(file)]) == 1


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
    assert all(word in helped.stdout for word in ("verify", "show", "deal", "exit codes"))
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
