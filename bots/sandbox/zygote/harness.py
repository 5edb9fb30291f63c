"""Inside the confined process: load one Python bot and speak the protocol for it. Not trusted: judged as the bot.

A bot's file defines exactly one of
    def play(view): ...                  a card, "AD"
    class Bot: def play(self, view)      one object a process; start(match) and deal_over(result) if it likes
    def main(requests, answers): ...     raw form: two binary streams, it speaks the protocol itself
Descriptors 0 and 1 are the protocol. They are moved before the file is loaded, and 1 becomes the log: print() lands
there.
"""

import io
import json
import os
import sys
import traceback
from collections.abc import Callable
from types import ModuleType, TracebackType
from typing import Any, BinaryIO

from bots.protocol import Match, Result, View

FORMS = ("play", "Bot", "main")
MEMORY_EXIT = 77
"""The supervisor reads this exit code as `memory`."""

_TRACEBACK = 8_000
_HERE = __file__


class FormError(TypeError):
    """None or several of the forms; the text says what was found."""


def prepare(home: str, entry: str) -> Callable[[], None]:
    """Take the protocol's descriptors and return what loads, serves and ends the bot at `home`/`entry`."""
    requests, answers = take_protocol()
    return lambda: serve(home, entry, requests, answers)


def serve(home: str, entry: str, requests: BinaryIO, answers: BinaryIO) -> None:
    """Load and answer until the requests end. Never returns: the exit code says what happened."""
    try:
        form, made = load(home, entry)
        if form == "main":
            made(requests, answers)
        else:
            _converse(made() if form == "Bot" else _Play(made), requests, answers)
        _flush_log()
    except MemoryError:
        os.write(2, b"MemoryError: the bot passed its memory limit\n")
        os._exit(MEMORY_EXIT)
    except SystemExit as leave:
        _flush_log()
        os._exit(leave.code if isinstance(leave.code, int) else leave.code is not None)
    except BaseException as error:  # noqa: BLE001 - the bot's, whatever it is
        _flush_log()
        os.write(2, _told(error, home).encode("utf-8", "backslashreplace"))
        os._exit(1)
    os._exit(0)


def load(home: str, entry: str) -> tuple[str, Callable[..., Any]]:
    """Run the bot's file as the module `bot` and return its form. Raises what the file raises, or `FormError`."""
    path = os.path.join(home, entry)
    with open(path, "rb") as file:
        source = file.read()
    module = ModuleType("bot")
    module.__file__ = path
    sys.modules["bot"] = module
    code = compile(source, path, "exec", dont_inherit=True)
    exec(code, module.__dict__)  # noqa: S102 - that is what a sandbox is for
    forms = [name for name in FORMS if callable(module.__dict__.get(name))]
    if len(forms) != 1:
        found = " and ".join(forms) or "none"
        raise FormError(f"{entry} must define exactly one of play, Bot and main; it defines {found}")
    return forms[0], module.__dict__[forms[0]]


def take_protocol() -> tuple[BinaryIO, BinaryIO]:
    """Move the protocol to descriptors of its own, (requests, answers); 0 reads nothing, 1 and 2 write the log."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", 0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # type: ignore[misc]  # noqa: SIM115
    sys.stdout = sys.__stdout__ = _log_stream(1)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _log_stream(2)  # type: ignore[misc]
    return requests, answers


class _Play:
    """The form `play` as an object."""

    __slots__ = ("play",)

    def __init__(self, play: Callable[[View], str]) -> None:
        self.play = play


def _converse(bot: Any, requests: BinaryIO, answers: BinaryIO) -> None:
    log = sys.__stdout__ or sys.stdout
    play, start, deal_over = bot.play, getattr(bot, "start", None), getattr(bot, "deal_over", None)
    for line in requests:
        message = json.loads(line)
        kind = message["type"]
        if kind == "play":
            answer = b'{"n":%d,"card":%s}\n' % (message["n"], _card(play(View.of(message))))
        elif kind == "start":
            if start is not None:
                start(Match.of(message))
            answer = b'{"n":%d,"ready":true}\n' % message["n"]
        else:
            if kind == "deal_over" and deal_over is not None:
                deal_over(Result.of(message))
            continue
        if not log.closed:
            log.flush()
        answers.write(answer)


def _card(card: Any) -> bytes:
    """The bot's word in JSON; what is no text becomes null, which is no card, and the log says so."""
    if not isinstance(card, str):
        print(f"play returned {type(card).__name__}, not a card such as 'AD'", file=sys.stderr)
        return b"null"
    return json.dumps(str(card)).encode()


def _log_stream(descriptor: int) -> io.TextIOWrapper:
    return open(descriptor, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


def _flush_log() -> None:
    """Whatever the bot made of its streams: nothing that fails here matters."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # noqa: BLE001, S110 - the bot may have put anything there
        pass


def _told(error: BaseException, home: str) -> str:
    """The traceback from the bot's first frame on, with paths as in its archive."""
    trace: TracebackType | None = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == _HERE and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is not None and trace.tb_frame.f_code.co_filename == _HERE:
        trace = None
    text = "".join(traceback.format_exception(type(error), error, trace))
    return text.replace(home + "/", "")[-_TRACEBACK:]
