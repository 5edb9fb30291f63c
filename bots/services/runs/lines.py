"""Lines of the stream of reports: what the arena says, what we say ourselves, and what is neither."""

import json
from dataclasses import dataclass
from typing import Any

from bots.arena.reports import MAX_REPORT, Report, read_report
from bots.arena.wire import WireError

LEASE_LOST = "lease_lost"


@dataclass(frozen=True, slots=True)
class LeaseLost:
    """Ours, so that it comes after every earlier report of its run: nobody seems to work on the run any more."""

    run_id: str
    seq: int = -1


@dataclass(frozen=True, slots=True)
class Unreadable:
    """No report. `run_id` and `nonce` are empty unless it names both; `rule` says what is broken, without values."""

    rule: str
    run_id: str = ""
    nonce: str = ""
    seq: int = -1


Line = Report | LeaseLost | Unreadable


def lease_lost(run_id: object) -> dict[str, str]:
    """The line as it is written."""
    return {"type": LEASE_LOST, "run_id": str(run_id)}


def read(data: bytes | str) -> Line:
    """The line in a JSON text, whatever the text."""
    try:
        return read_report(data)
    except WireError as error:
        value = _object(data)
        run_id, nonce = value.get("run_id"), value.get("nonce")
        if value.keys() == {"type", "run_id"} and value["type"] == LEASE_LOST and type(run_id) is str:
            return LeaseLost(run_id)
        if type(run_id) is str and type(nonce) is str:
            return Unreadable(str(error)[:200], run_id, nonce)
        return Unreadable(str(error)[:200])


def _object(data: bytes | str) -> dict[str, Any]:
    if len(data) > MAX_REPORT:
        return {}
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return value if type(value) is dict else {}
