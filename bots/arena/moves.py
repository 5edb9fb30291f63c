"""`play_move`: one card at a table of people, by a fresh process that gets the start message and the play request.

The messages come in the job as they are to be sent, each with its own `n`. Nothing here knows the deck: whether the
card is legal is judged by the request, and again by whoever gave the job.
"""

import json
from dataclasses import dataclass
from typing import Any

from bots.arena.conductor import Bench, BotFilesError, Send
from bots.arena.jobs import MoveJob
from bots.arena.players import Chair, Faulted, MachineFault, Player
from bots.arena.reports import MoveReport, Refused, Report, Returned
from bots.arena.wire import WireError
from bots.protocol import MAX_REQUEST, View, play_message, start_message
from bots.sandbox import Bank, Limits
from games.engine import Rules, card_int

#: Below this a seed goes through JSON everywhere.
_SEED_END = 1 << 53


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """A job that makes sense."""

    start_n: int
    n: int
    rules: Rules
    seed: int
    view: View
    limits: Limits

    @property
    def ply(self) -> int:
        """Cards that were played in this deal before."""
        return sum(len(trick.cards) for trick in self.view.tricks) + len(self.view.table)


def play_move(job: MoveJob, report: Send, *, bench: Bench, nonce: str) -> None:
    """Play one card and report it: Started and a MoveReport in one call; or Returned, or Refused.

    The MoveReport holds the card, or the bot's fault, or as `trouble` what of ours failed: then it can be asked again.
    """
    reports = _reports(job, bench, nonce)
    if reports and bench.halt() != "lost":
        report(*reports)


def _reports(job: MoveJob, bench: Bench, nonce: str) -> list[Report]:
    """What is to be said of the job, in order; nothing when the run is somebody else's."""
    head: dict[str, Any] = {"run_id": job.run_id, "nonce": nonce}
    try:
        question = _question(job)
        chair = Chair(
            match=job.match,
            rules=question.rules,
            seat=job.seat,
            bot_dir=bench.bot_dir(job.bot.sha256),
            entry=job.bot.entry,
            seed=question.seed,
            limits=question.limits,
        )
    except BotFilesError as error:
        return [Refused(**head, seq=0, reason=error.reason, detail=str(error))]
    except WireError as error:
        return [Refused(**head, seq=0, reason="bad_job", detail=str(error)[:300])]
    if not bench.suffices(job.tier_min):
        return [Refused(**head, seq=0, reason="no_tier", detail=f"{bench.sandbox.tier} is less than {job.tier_min}")]
    if halt := bench.halt():
        return [] if halt == "lost" else [Returned(**head, seq=0, next_deal=job.deal, reason=halt)]
    return [
        bench.started(**head, seq=0, attempt=job.attempt),
        MoveReport(**head, seq=1, **_played(job, question, chair, bench)),
    ]


def _played(job: MoveJob, question: _Question, chair: Chair, bench: Bench) -> dict[str, Any]:
    """Start the bot, ask it, end it: the fields of the report."""
    try:
        player = Player(bench.sandbox, chair)
    except MachineFault as error:
        return {"trouble": str(error)[:300]}
    found: dict[str, Any] = {}
    try:
        player.start_by(job.start.encode() + b"\n", n=question.start_n)
        player.begin_deal()
        player.bank = Bank(job.bank_cpu_us, player.bank.wall_us)
        line = job.request.encode() + b"\n"
        played = player.ask_by(line, n=question.n, legal=question.view.legal, ply=question.ply)
        found = {"card": played.card, "note": played.note}
    except Faulted as error:
        found = {"fault": error.fault}
    except MachineFault as error:
        found = {"trouble": str(error)[:300]}
    finally:
        spent = {"cpu_us": player.cpu_us, "wall_us": player.wall_us, "bank_left_us": player.bank.cpu_us}
        log = player.tail()
        player.kill()
    return {**found, **spent, "log": log}


# ---- does the job make sense? WireErrors name the place, never a value: a start message holds a seed


def _question(job: MoveJob) -> _Question:
    """Raises WireError."""
    start, request = _message(job, "start"), _message(job, "request")
    try:
        return _checked(job, start, request)
    except WireError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError):  # EngineErrors are ValueErrors
        raise WireError("MoveJob", "messages of the protocol") from None


def _checked(job: MoveJob, start: dict[str, Any], request: dict[str, Any]) -> _Question:
    """Raises WireError, and whatever values of other types raise."""
    limits = job.limits.for_process(1, 1)
    rules, seed = Rules.from_dict(start["rules"]), start["seed"]
    if type(seed) is not int or not 0 <= seed < _SEED_END:
        raise WireError("MoveJob.start.seed", "an integer of at most 53 bits")
    if job.seat >= rules.n:
        raise WireError("MoveJob.seat", "a seat of these rules")
    wanted = start_message(n=start["n"], match=job.match, seat=job.seat, rules=rules, seed=seed, limits=limits.told())
    _compare("start", start, wanted)
    if request["n"] <= start["n"]:
        raise WireError("MoveJob.request.n", "a number after the one of the start message")
    view = View.of(request)
    if not view.legal or not set(map(card_int, view.legal)) <= set(map(card_int, view.hand)):
        raise WireError("MoveJob.request.legal", "cards of the hand, one at least")
    wanted = play_message(view, n=request["n"], match=job.match, bank_cpu_ms=job.bank_cpu_us // 1000)
    mine = {"seat": job.seat, "turn": job.seat, "deal": job.deal, "rules": start["rules"], "sides": start["sides"]}
    _compare("request", request, wanted | mine)
    return _Question(start_n=start["n"], n=request["n"], rules=rules, seed=seed, view=view, limits=limits)


def _message(job: MoveJob, name: str) -> dict[str, Any]:
    """One of the two messages as an object with a number. Raises WireError."""
    text: str = getattr(job, name)
    where = f"MoveJob.{name}"
    if len(text.encode()) >= MAX_REQUEST or "\n" in text or "\r" in text:
        raise WireError(where, f"one line of less than {MAX_REQUEST} bytes")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise WireError(where, "a JSON text") from None
    if type(value) is not dict:
        raise WireError(where, "an object")
    if type(value.get("n")) is not int or value["n"] < 1:
        raise WireError(f"{where}.n", "an integer of at least 1")
    return value


def _compare(name: str, message: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Every key that the protocol has must say what the job says; there may be more keys. Raises WireError."""
    for key, value in wanted.items():
        if key not in message or message[key] != value:
            raise WireError(f"MoveJob.{name}.{key}", "what the rest of the job says")
