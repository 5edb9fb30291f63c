"""`qualify`: the checks that a new version must pass, each reported as it ends.

In order: syntax and form (parsed in the sandbox, nothing runs), start, games against itself, games against each
baseline, cold requests, reproducibility (a remark), more games while there is time, the verdict. The first fault of the
bot ends the check. A fault of ours repeats the game; after three the check is to be repeated, without blame.
"""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from bots.arena.conductor import MAX_TRIES, Bench, BotFilesError, Send
from bots.arena.dealing import DealPlay, Halted
from bots.arena.jobs import QualifyJob
from bots.arena.players import Faulted, MachineFault, log_text
from bots.arena.reports import MAX_STDERR_TAIL, QualifyStep, Refused, Returned, Started
from bots.arena.trials import RULES, Contender, Series, Trials, fault_step, percentile
from bots.arena.wire import WireError, array, decode, integer, nested, text, wire
from bots.sandbox import FaultKind, SandboxBroken
from games.engine import Record

SELF_PAIRS, MORE_SELF_PAIRS = 2, 8
BASELINE_PAIRS, MORE_BASELINE_PAIRS = 5, 15
COLD_REQUESTS: Final = 20
MINE: Final = "self"

Step = dict[str, Any]
T = TypeVar("T")


class _Rejected(Exception):
    """The bot did not pass; `step` says why."""

    def __init__(self, step: Step) -> None:
        self.step = step
        super().__init__(step["code"])


class _Again(Exception):
    """The check cannot be brought to its end, and not by the bot's fault; `code` says why."""

    def __init__(self, code: str, detail: str = "") -> None:
        self.code = code
        self.detail = detail[:300]
        super().__init__(code)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Problem:
    """A file that cannot be parsed, as the inspector says it."""

    file: str = wire(text(400))
    line: int = wire(integer(0, 10_000_000))
    message: str = wire(text(400))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Inspection:
    """The inspector's answer. It looked at foreign files, so it is read as strictly as a bot's."""

    n: int = wire(integer(1, 1))
    forms: tuple[str, ...] = wire(array(text(10), 3))
    problems: tuple[_Problem, ...] = wire(array(nested(_Problem), 20))


def qualify(job: QualifyJob, report: Send, *, bench: Bench, nonce: str) -> None:
    """Check a version: Started, then a QualifyStep a check, the last one with the verdict; or Returned, or Refused."""
    _Check(job, report, bench, nonce).run()


class _Check:
    """A check being made."""

    def __init__(self, job: QualifyJob, report: Send, bench: Bench, nonce: str) -> None:
        self.job = job
        self.bench = bench
        self._report = report
        self._nonce = nonce
        self._seq = 0
        self._began = time.monotonic()
        limits = job.limits.for_process(1, RULES.tricks)
        self.trials = Trials(bench=bench, limits=limits, seed=bytes.fromhex(job.seed))
        self.series: dict[str, Series] = {}
        self.self_plays: list[DealPlay] = []

    def run(self) -> None:
        """All of it."""
        try:
            self._find_files()
        except BotFilesError as error:
            self._send(Refused(**self._head(), reason=error.reason, detail=str(error)))
            return
        if not self.bench.suffices(self.job.tier_min):
            detail = f"{self.bench.sandbox.tier} is less than {self.job.tier_min}"
            self._send(Refused(**self._head(), reason="no_tier", detail=detail))
            return
        try:
            self._look()
            self._send(self.bench.started(**self._head(), attempt=self.job.attempt))
            verdict = self._judge()
            again = {"what_to_do": "fix.again"} if verdict == "again" else {}
            step = {"ok": verdict == "qualified", "code": f"verdict.{verdict}", "params": self._summary(), **again}
            self._say("verdict", {**step, "verdict": verdict, "ms": self._ms(self._began)})
        except Halted:
            if (halt := self.bench.halt()) in ("drain", "stop", "time"):
                self._send(Returned(**self._head(), next_deal=1, reason=halt))

    def _find_files(self) -> None:
        bot = self.job.bot
        self.bot = Contender(MINE, self.bench.bot_dir(bot.sha256), bot.entry)
        self.series[MINE] = Series(self.bot, is_itself=True)
        for baseline in self.job.baselines:
            contender = Contender(baseline.name, self.bench.bot_dir(baseline.sha256), baseline.entry)
            self.series[baseline.name] = Series(contender, is_itself=False)

    # ---- reports

    def _head(self) -> dict[str, Any]:
        """Run, nonce and the next number; each call takes a number."""
        self._seq += 1
        return {"run_id": self.job.run_id, "nonce": self._nonce, "seq": self._seq - 1}

    def _send(self, report: Started | Returned | Refused | QualifyStep) -> None:
        if self.bench.halt() != "lost":
            self._report(report)

    def _say(self, name: str, step: Step) -> None:
        self._send(QualifyStep(**self._head(), check=name, **step))

    def _ms(self, since: float) -> int:
        return int((time.monotonic() - since) * 1000)

    # ---- the order of the checks

    def _judge(self) -> str:
        """Make the checks one after the other and report each; the verdict. Raises Halted."""
        for name, check in self._checks():
            began = time.monotonic()
            try:
                step = check()
            except _Rejected as rejected:
                self._say(name, {**rejected.step, "ms": self._ms(began)})
                return "rejected"
            except _Again as again:
                step = {"ok": False, "code": again.code, "params": {"detail": again.detail}, "what_to_do": "fix.again"}
                self._say(name, {**step, "ms": self._ms(began)})
                return "again"
            self._say(name, {"ok": True, **step, "ms": self._ms(began)})
        return "qualified"

    def _checks(self) -> Iterator[tuple[str, Callable[[], Step]]]:
        yield "syntax", self._syntax
        yield "form", self._form
        yield "start", self._start
        for name in self.series:
            pairs = SELF_PAIRS if name == MINE else BASELINE_PAIRS
            yield self._name_of(name), lambda name=name, pairs=pairs: self._games(name, pairs)  # type: ignore[misc]
        yield "cold", self._cold
        yield "reproducible", self._reproducible
        for name in self.series:
            yield "more_" + self._name_of(name), lambda name=name: self._more_games(name)  # type: ignore[misc]

    def _name_of(self, series: str) -> str:
        return "self_play" if series == MINE else f"against_{series}"

    def _look(self) -> None:
        """Raises Halted or _Again when no further game may begin."""
        if self.bench.halt():
            raise Halted
        if time.monotonic() - self._began > self.job.deadline_s:
            raise _Again("check.deadline")

    def _repeated(self, action: Callable[[], T]) -> T:
        """The result of `action`, tried again when the machine fails. Raises _Again after the third time, Halted."""
        for _ in range(MAX_TRIES):
            self._look()
            try:
                return action()
            except (MachineFault, SandboxBroken) as error:
                reason = str(error)
        raise _Again("check.machine", reason)

    # ---- the checks: each returns its step, or raises _Rejected

    def _syntax(self) -> Step:
        self.inspection = self._repeated(self._inspect)
        for problem in self.inspection.problems:
            file, line = problem.file[:120], max(1, problem.line)
            params = {"file": file, "line": line, "detail": problem.message}
            more = {"log": f"{file}:{line} {problem.message}\n", "what_to_do": "fix.syntax", "file": file, "line": line}
            raise _Rejected({"ok": False, "code": "upload.syntax", "params": params, **more})
        return {"code": "check.syntax_ok"}

    def _inspect(self) -> _Inspection:
        """Let the sandbox parse the files. Raises MachineFault, SandboxBroken."""
        limits = self.trials.limits
        process = self.bench.sandbox.spawn(
            self.bot.bot_dir, limits=limits, seed=0, entry=self.bot.entry, purpose="inspect"
        )
        try:
            reply = process.ask(b'{"n":1}\n', clock=limits.start_clock())
            if reply.fault is not None and reply.fault.kind is FaultKind.INFRASTRUCTURE:
                raise MachineFault(reply.fault.detail)
            try:
                return decode(_Inspection, json.loads(reply.line or b""))
            except (ValueError, RecursionError, WireError):
                # The parser itself was overrun: by the bot's files, whichever it was.
                log = log_text(process.tail(), MAX_STDERR_TAIL)
                why = reply.fault.kind.value if reply.fault else "unreadable"
        finally:
            process.close()
        params = {"file": self.bot.entry, "line": 1, "detail": f"the parser gave up ({why})"}
        step = {"ok": False, "code": "upload.syntax", "params": params, "what_to_do": "fix.syntax"}
        raise _Rejected({**step, "file": self.bot.entry, "log": log})

    def _form(self) -> Step:
        forms = self.inspection.forms
        if len(forms) == 1:
            return {"code": "check.form_ok", "params": {"form": forms[0]}}
        params = {"file": self.bot.entry, "found": ", ".join(forms) or "-"}
        step = {"ok": False, "code": "upload.no_form", "params": params, "what_to_do": "fix.form"}
        raise _Rejected({**step, "file": self.bot.entry})

    def _start(self) -> Step:
        try:
            log, cpu_us = self._repeated(lambda: self.trials.start(self.bot))
        except Faulted as error:
            raise _Rejected(fault_step(error.fault)) from None
        return {"code": "check.start_ok", "params": {"ms": cpu_us // 1000}, "log": log[-MAX_STDERR_TAIL:]}

    def _games(self, name: str, pairs: int) -> Step:
        """More mirrored pairs of deals against one opponent: the same deal twice, the seats exchanged."""
        series = self.series[name]
        before = len(series.games)
        for number in range(series.pairs + 1, series.pairs + pairs + 1):
            for seat in range(RULES.n):
                self._game(series, number, seat, before)
            series.pairs = number
        games = tuple(series.games[before:])
        return {"code": "check.games_ok", "params": series.params(), "log": series.log, "games": games}

    def _game(self, series: Series, number: int, seat: int, before: int) -> None:
        seats = (self.bot, series.opponent) if seat == 0 else (series.opponent, self.bot)

        def played() -> DealPlay:
            play = self.trials.game(number, seats)
            if any(not series.is_itself and fault.seat != seat for fault in play.faults):
                raise MachineFault(f"{series.opponent.name} failed: {play.faults[0].kind}")
            return play

        play = self._repeated(played)
        series.add(play, seat)
        if play.faults:
            step = fault_step(play.faults[0], opponent=series.opponent.name)
            raise _Rejected({**step, "games": tuple(series.games[before:])})
        if series.is_itself:
            self.self_plays.append(play)

    def _cold(self) -> Step:
        """Requests of the games against itself, each to a fresh process: the answer must be legal, it may differ."""
        asked = [(play, ply) for play in self.self_plays for ply in range(len(play.seats))]
        for at in range(COLD_REQUESTS):
            play, ply = asked[at * len(asked) // COLD_REQUESTS]
            deal = Record.of(play.deal).replay(ply)
            view = deal.observe(deal.turn, number=play.number)
            try:
                self._repeated(lambda view=view, ply=ply: self.trials.ask(self.bot, view, ply))  # type: ignore[misc]
            except Faulted as error:
                raise _Rejected(fault_step(error.fault)) from None
        return {"code": "check.cold_ok", "params": {"requests": COLD_REQUESTS}}

    def _reproducible(self) -> Step:
        """A mirrored deal against itself is the same deal with the same seeds: are the plays the same?"""
        plays = [play.deal.plays for play in self.self_plays]
        if plays[::2] == plays[1::2]:
            return {"code": "check.reproducible"}
        return {"code": "check.not_reproducible", "what_to_do": "fix.seed"}

    def _more_games(self, name: str) -> Step:
        """One pair after the other while the budget lasts; each opponent gets an equal part of what is left."""
        left = list(self.series)[list(self.series).index(name) :]
        now = time.monotonic() - self._began
        until = now + max(0.0, self.job.budget_s - now) / len(left)
        step: Step = {"code": "check.games_ok", "params": self.series[name].params()}
        games: tuple[Any, ...] = ()
        for _ in range(MORE_SELF_PAIRS if name == MINE else MORE_BASELINE_PAIRS):
            if time.monotonic() - self._began >= until:
                break
            try:
                step = self._games(name, 1)
            except _Rejected as rejected:
                rejected.step["games"] = (*games, *rejected.step["games"])
                raise
            games += step["games"]
        return {**step, "games": games}

    def _summary(self) -> Step:
        """What the page shows above the checks: score in thousandths and points by opponent, CPU time of a move."""
        think = [cost for series in self.series.values() for cost in series.think_us]
        times = {"p50_us": percentile(think, 50), "p95_us": percentile(think, 95), "max_us": max(think, default=0)}
        results: Step = {}
        for name, series in self.series.items():
            if name != MINE and series.deals:
                results |= {f"score_{name}": series.score, f"deals_{name}": series.deals}
                results |= {f"difference_{name}": series.points - series.against}
        return {"moves": len(think), **times, **results}
