"""`bella check`: the checks of an upload, with the site's code."""

import argparse
import secrets
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from bots import house
from bots.arena.archive import unpack
from bots.arena.jobs import Baseline, BotRef, QualifyJob
from bots.arena.qualify import qualify
from bots.arena.reports import QualifyStep, Report
from bots.arena.runner import machine
from bots.arena.runner.bots_here import LocalBot, read_bot
from bots.arena.runner.tables import log_lines
from bots.arena.sentences import MESSAGES, WHAT_TO_DO


def check(options: argparse.Namespace) -> int:
    """Make the checks and print each as it ends; 0 when the bot qualifies, else 1. Raises UsageError."""
    bot = read_bot(options.bot)
    seed: bytes = options.seed or secrets.token_bytes(32)
    baselines = tuple(LocalBot(name, unpack(house.source(name))) for name in house.BASELINES)
    verdict = "again"

    def send(*reports: Report) -> None:
        nonlocal verdict
        for step in reports:
            if isinstance(step, QualifyStep):
                print(told(step), flush=True)
                verdict = step.verdict or verdict

    with closing(machine.open_sandbox(options.sandbox)) as sandbox:
        print(_unpacked(bot), flush=True)
        job = QualifyJob(
            run_id=machine.RUN,
            bot=BotRef(sha256=bot.archive.sha256, entry=bot.archive.entry),
            seed=seed.hex(),
            baselines=tuple(
                Baseline(name=one.name, sha256=one.archive.sha256, entry=one.archive.entry) for one in baselines
            ),
            limits=machine.limits_of(options.slow),
            tier_min=machine.tier_min(sandbox),
        )
        qualify(job, send, bench=machine.bench_of(sandbox, (bot, *baselines)), nonce=machine.NONCE)
    return 0 if verdict == "qualified" else 1


def _unpacked(bot: LocalBot) -> str:
    """The first check of the site: `read_bot` has made it."""
    files = bot.archive.files
    size = sum(len(content) for _, content in files)
    left_out = f"; left out: {', '.join(bot.archive.ignored)}" if bot.archive.ignored else ""
    return f"ok    unpack: {len(files)} file{'s' * (len(files) != 1)}, {size} bytes{left_out}"


def told(step: QualifyStep) -> str:
    """A check in words: its mark, name and sentence; of a failed one also the request, the log and what to do."""
    mark = "FAIL" if not step.ok else "note" if step.what_to_do else "ok  "
    place = f"{step.file}:{step.line} " if step.file and step.line and step.code != "upload.syntax" else ""
    lines = [f"{mark}  {step.check}: {place}{MESSAGES[step.code] % step.params}"]
    if step.what_to_do:
        lines.append(f"      {WHAT_TO_DO[step.what_to_do]}")
    lines += [f"      {line}" for line in _summary(step.params)]
    if not step.ok:
        lines += [f"      {part}" for part in (step.request, step.answer and f"answer: {step.answer}") if part]
        lines += [f"      {line}" for line in log_lines(step.log)]
    return "\n".join(lines)


def _summary(params: Mapping[str, Any]) -> Iterator[str]:
    """What the site shows above the checks, which the verdict has: results against the house, CPU time of a move."""
    for name, deals in params.items():
        if name.startswith("deals_"):
            opponent = name.removeprefix("deals_")
            score, difference = params[f"score_{opponent}"] / 1000, params[f"difference_{opponent}"]
            yield f"against {opponent}: {score:.1%} of {deals} deals, {difference:+} points"
    if params.get("moves"):
        p50, p95, longest = (params[name] / 1000 for name in ("p50_us", "p95_us", "max_us"))
        yield f"CPU a move: p50 {p50:.2f} ms, p95 {p95:.2f} ms, max {longest:.2f} ms in {params['moves']} moves"
