"""Purpose `inspect`: syntax and forms of an upload, found by parsing in the sandbox and running nothing."""

import json
from collections.abc import Iterator, Mapping

import pytest

from bots.sandbox import Limits, Sandbox, start_sandbox


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with start_sandbox() as started:
        yield started


def inspect(sandbox: Sandbox, files: Mapping[str, bytes], entry: str = "bot.py") -> dict[str, object]:
    folder = sandbox.store.put(files)
    bot = sandbox.spawn(folder, limits=Limits(), seed=0, entry=entry, purpose="inspect")
    try:
        reply = bot.ask(b'{"n":1}\n', clock=Limits().start_clock())
        assert reply.fault is None, bot.tail()
        return json.loads(reply.line)
    finally:
        bot.close()
        sandbox.store.remove(folder)


@pytest.mark.parametrize(
    ("source", "forms"),
    [
        (b"", []),
        (b"def play(view): pass\n", ["play"]),
        (b"class Bot:\n    def play(self, view): pass\n", ["Bot"]),
        (b"from lib import go as main\n", ["main"]),
        (b"play = lambda view: view.hand[0]\n", ["play"]),
        (b"if True:\n    def play(view): pass\nelse:\n    play = None\n", ["play"]),
        (b"try:\n    import lib\nexcept ImportError:\n    def play(view): pass\n", ["play"]),
        (b"def play(view): pass\ndef main(a, b): pass\n", ["play", "main"]),
        (b"def other():\n    def play(view): pass\n", []),
        (b"raise SystemExit\ndef play(view): pass\n", ["play"]),
    ],
)
def test_forms_are_found_without_running(sandbox: Sandbox, source: bytes, forms: list[str]) -> None:
    assert inspect(sandbox, {"bot.py": source}) == {"n": 1, "forms": forms, "problems": []}


def test_every_file_is_parsed_and_each_problem_named(sandbox: Sandbox) -> None:
    files = {
        "bot.py": b"def play(view)\n    return 1\n",
        "lib/a.py": b"x = 1\n",
        "lib/b.py": b"x = 1\ny = (\n",
        "lib/c.py": b"x = '\xff'\n",
        "lib/zero.py": b"x = 1\0\n",
        "read.txt": b"def (",
    }
    answer = inspect(sandbox, files)
    assert answer["forms"] == []
    assert [(p["file"], p["line"]) for p in answer["problems"]] == [
        ("bot.py", 1), ("lib/b.py", 2), ("lib/c.py", 1), ("lib/zero.py", 1),
    ]  # fmt: skip
    assert answer["problems"][0]["message"] == "SyntaxError: expected ':'"
    assert answer["problems"][1]["message"] == "SyntaxError: '(' was never closed"


def test_problems_are_bounded(sandbox: Sandbox) -> None:
    files = {"bot.py": b""} | {f"m{i:02}{'x' * 90}.py": b"x = (\n" for i in range(60)}
    answer = inspect(sandbox, files)
    assert len(answer["problems"]) == 8


def test_a_source_that_overruns_the_parser_breaks_only_its_own_process(sandbox: Sandbox) -> None:
    folder = sandbox.store.put({"bot.py": b"x = " + b"-" * 200_000 + b"1\n"})
    bot = sandbox.spawn(folder, limits=Limits(), seed=0, purpose="inspect")
    reply = bot.ask(b'{"n":1}\n', clock=Limits().start_clock())
    bot.close()
    sandbox.store.remove(folder)
    if reply.fault is None:  # this interpreter's parser notices by itself
        assert json.loads(reply.line)["problems"][0]["file"] == "bot.py"
    else:
        assert reply.fault.kind in {"crash", "memory"}
    assert inspect(sandbox, {"bot.py": b"def play(view): pass\n"})["forms"] == ["play"]
