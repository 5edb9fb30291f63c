"""How long versions take for a deal: an estimate for the size of blocks, nothing else hangs on it."""

from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Final

from bots import doorbell
from games.engine import Rules

#: Of a version that nothing is known of, us of waiting for its cards in a deal.
UNKNOWN_US: Final = 200_000
#: What a match costs besides: two processes, engine, reports.
MATCH_US: Final = 8_000
_KEY: Final = "bots:pace"

_noted: dict[int, list[int]] = {}
_lock = Lock()


def note(version_id: int, spent_us: int) -> None:
    """A deal of a version took so long; kept in this process until `flush`."""
    with _lock:
        _noted.setdefault(version_id, []).append(spent_us)


def flush() -> None:
    """Let what was noted move the estimates: each deal counts for a tenth, many at once for nearly all."""
    with _lock:
        noted = dict(_noted)
        _noted.clear()
    if not noted:
        return
    known = read(noted)
    fresh = {}
    for version_id, deals in noted.items():
        mean = sum(deals) / len(deals)
        old = known.get(version_id)
        weight = 1.0 if old is None else 1 - 0.9 ** len(deals)
        fresh[version_id] = round(mean if old is None else old + weight * (mean - old))
    doorbell.valkey().hset(_KEY, mapping={str(version_id): value for version_id, value in fresh.items()})


def read(version_ids: Iterable[int]) -> dict[int, int]:
    """us a deal of the versions that are known."""
    wanted = list(version_ids)
    if not wanted:
        return {}
    values: list[bytes | None] = doorbell.valkey().hmget(_KEY, [str(version_id) for version_id in wanted])  # type: ignore[assignment]
    return {version_id: int(value) for version_id, value in zip(wanted, values, strict=True) if value is not None}


def match_us(rules: Rules, version_ids: Iterable[int], known: Mapping[int, int]) -> int:
    """How long a match of these versions may take, us."""
    # first_to:2 takes two deals, three, now and then a drawn one more
    deals = 1.25 * rules.target if rules.kind == "first_to" else rules.deal_cap
    return MATCH_US + round(deals * sum(known.get(version_id, UNKNOWN_US) for version_id in version_ids))
