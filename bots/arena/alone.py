"""One bot alone, on this machine: the checks of an upload, and single requests. Prints what the site would show."""

import json
from collections.abc import Iterable
from typing import Any, Final

from bots import house
from bots.arena.archive import Archive, unpack
from bots.arena.conductor import Bench
from bots.arena.jobs import Baseline, BotRef, JobLimits, QualifyJob
from bots.arena.players import log_text, printable
from bots.arena.qualify import qualify
from bots.arena.reports import MAX_STDERR_TAIL, QualifyStep, Report
from bots.arena.sentences import MESSAGES, WHAT_TO_DO
from bots.protocol import AnswerError, bot_seed, parse_answer, start_message, to_line
from bots.sandbox import BotProcess, Limits, Reply, start_sandbox
from games.engine import EngineError, Rules

RUN: Final = "00000000-0000-0000-0000-000000000000"


class RequestError(ValueError):
    """A line that is no request of the protocol; the text says which and why."""


def check(archive: Archive, seed: bytes) -> int:
    """Make the checks of an upload and print each as it ends; 0 when the bot qualifies, else 1."""
    baselines = {name: unpack(house.source(name), "bot.py") for name in house.BASELINES}
    reports: list[Report] = []

    def send(*more: Report) -> None:
        reports.extend(more)
        for report in more:
            if isinstance(report, QualifyStep):
                print(told(report), flush=True)

    with start_sandbox(log=lambda _: None) as sandbox:
        folders = {one.sha256: sandbox.store.put(dict(one.files)) for one in {archive, *baselines.values()}}
        job = QualifyJob(
            run_id=RUN,
            bot=BotRef(sha256=archive.sha256, entry=archive.entry),
            seed=seed.hex(),
            baselines=tuple(Baseline(name=name, sha256=one.sha256, entry=one.entry) for name, one in baselines.items()),
        )
        qualify(job, send, bench=Bench(sandbox=sandbox, bot_dir=folders.__getitem__), nonce="localrun")
    last = reports[-1]
    return 0 if isinstance(last, QualifyStep) and last.verdict == "qualified" else 1


def told(step: QualifyStep) -> str:
    """A check in words: its mark, name and sentence; of a failed one also the request, the log and what to do."""
    mark = "ok  " if step.ok else "note" if step.code == "check.not_reproducible" else "FAIL"
    place = f"{step.file}:{step.line} " if step.file and step.line and step.code != "upload.syntax" else ""
    lines = [f"{mark}  {step.check}: {place}{MESSAGES[step.code] % step.params}"]
    if step.what_to_do:
        lines.append(f"      {WHAT_TO_DO[step.what_to_do]}")
    if not step.ok:
        lines += [f"      {part}" for part in (step.request, step.answer and f"answer: {step.answer}") if part]
        lines += [f"      {line}" for line in step.log.splitlines()]
    return "\n".join(lines)


def ask(archive: Archive, lines: Iterable[str], seed: bytes) -> int:
    """Put each request line to a fresh process and print its answer and CPU time; 1 when one is a fault.

    Raises RequestError at a line that is no `play` request.
    """
    faults = 0
    with start_sandbox(log=lambda _: None) as sandbox:
        folder = sandbox.store.put(dict(archive.files))
        limits = JobLimits().for_process(1, 20)
        for number, line in enumerate(filter(str.strip, lines), 1):
            request, start = _read(line, number, seed, limits)
            process = sandbox.spawn(folder, limits=limits, seed=bot_seed(seed, request["seat"]), entry=archive.entry)
            try:
                why = _answer(process, request, start, line, limits)
                if why:
                    faults += 1
                    print(f"{why}\n{log_text(process.tail(), MAX_STDERR_TAIL)}".rstrip("\n"))
            finally:
                process.close()
    return 1 if faults else 0


def _read(line: str, number: int, seed: bytes, limits: Limits) -> tuple[dict[str, Any], bytes]:
    """The request, and the start message of the match that it belongs to. Raises RequestError."""
    try:
        request = json.loads(line)
        if request["type"] != "play":
            raise RequestError(f"line {number}: a request of type play is needed, not {request['type']}")
        start = start_message(
            n=request["n"] - 1,
            match=request["match"],
            seat=request["seat"],
            rules=Rules.from_dict(request["rules"]),
            seed=bot_seed(seed, request["seat"]),
            limits=limits.told(),
        )
        return request | {"legal": list(request["legal"])}, to_line(start)
    except RequestError:
        raise
    except (EngineError, ValueError, KeyError, TypeError) as error:
        why = printable(f"{type(error).__name__}: {error}")[:200]
        raise RequestError(f"line {number} is no request of the protocol: {why}") from None


def _answer(process: BotProcess, request: dict[str, Any], start: bytes, line: str, limits: Limits) -> str:
    """Start, ask, print the answer; what went wrong, empty when nothing did."""
    try:
        ready = process.ask(start, clock=limits.start_clock())
        if ready.fault is not None:
            return _fault(ready)
        parse_answer(ready.line or b"", n=request["n"] - 1, wanted="ready")
        reply = process.ask(line.strip().encode() + b"\n", clock=limits.move_clock(limits.bank()))
        if reply.fault is not None:
            return _fault(reply)
        card = parse_answer(reply.line or b"", n=request["n"], wanted="card").card
    except AnswerError as error:
        return f"fault: {MESSAGES['fault.protocol'] % {'detail': error}}"
    if card not in request["legal"]:
        return f"fault: {MESSAGES['fault.illegal'] % {'detail': card}}"
    print(f"{card}   {reply.cpu_us} us")
    return ""


def _fault(reply: Reply) -> str:
    assert reply.fault is not None
    kind, params = reply.fault.kind, {"detail": reply.fault.detail, "exit": reply.fault.exit}
    return f"fault: {MESSAGES.get(f'fault.{kind.value}', MESSAGES['check.machine']) % params}"
