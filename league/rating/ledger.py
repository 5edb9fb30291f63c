"""The rating ledger: one canonical row a change, each hashed over the one before (a hash chain a pool and revision).

A row's text is fixed for ever (version 1): keys sorted, no spaces, ASCII, integers and plain strings only. The hash is
`sha256(hash of the row before, in hex + text)`, in hex; the first row follows 64 zeros.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

START_HASH = "0" * 64
ROW_VERSION = 1

# Equal to json.dumps(..., sort_keys=True, separators=(",", ":")) and four times as fast; `is_plain` keeps out whatever
# JSON would escape.
_ROW = (
    '{"after":%d,"before":%d,"delta":%d,"e":%d,"floor":%d,"k":%d,"kind":"%s","match":"%s","n":%d,"opp":"%s",'
    '"period":%d,"pool":"%s","reason":"%s","score":%d,"seq":%d,"subject":"%s","v":1}'
)
_PLAIN = re.compile(r"[A-Za-z0-9:+._/-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """One change of one rating: the canonical fields, then the chain.

    `before`, `delta`, `floor`, `after` are milli-Elo (`floor` = what the lowest allowed rating added); `score` and `e`
    (expectation) are ppm; `k` is the K in force after the cap; `n` the rated games before this one; `kind` is
    `match`, `anchor` or `reset`, the last two with an empty `match` and `opp` and zero `score`, `e`, `k`.
    `period` is the period's number in the pool, `seq` the row's; `opp` joins a team's subjects by `+`.
    """

    pool: str
    period: int
    seq: int
    kind: str
    match: str
    subject: str
    opp: str
    score: int
    e: int
    k: int
    n: int
    before: int
    delta: int
    floor: int
    after: int
    reason: str
    prev_hash: str
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldDifference:
    """One field in which a stored row is not the computed one."""

    field: str
    stored: str
    computed: str


CANONICAL_FIELDS = (
    "after", "before", "delta", "e", "floor", "k", "kind", "match", "n", "opp", "period", "pool", "reason", "score",
    "seq", "subject",
)  # fmt: skip


def is_plain(text: str) -> bool:
    """Whether a string may stand in a canonical row as it is."""
    return _PLAIN.fullmatch(text) is not None


def canonical_text(
    after: int, before: int, delta: int, e: int, floor: int, k: int, kind: str, match: str, n: int, opp: str,
    period: int, pool: str, reason: str, score: int, seq: int, subject: str,
) -> str:  # fmt: skip
    """Return the text of a row, version 1; the strings must be plain (`is_plain`). Arguments in the text's order."""
    return _ROW % (after, before, delta, e, floor, k, kind, match, n, opp, period, pool, reason, score, seq, subject)


def canonical_row(row: LedgerRow) -> str:
    """Return the text of a row as it is hashed and compared."""
    return canonical_text(
        row.after, row.before, row.delta, row.e, row.floor, row.k, row.kind, row.match, row.n, row.opp,
        row.period, row.pool, row.reason, row.score, row.seq, row.subject,
    )  # fmt: skip


def chained_hash(prev_hash: str, text: str) -> str:
    """Return the hash, in hex, of a row's text that follows `prev_hash`."""
    return sha256((prev_hash + text).encode("ascii")).hexdigest()


def differences(*, stored: LedgerRow, computed: LedgerRow) -> tuple[FieldDifference, ...]:
    """Name every field, the hashes included, in which the two rows are unlike; empty when they are the same."""
    return tuple(
        FieldDifference(field=field, stored=str(getattr(stored, field)), computed=str(getattr(computed, field)))
        for field in (*CANONICAL_FIELDS, "prev_hash", "hash")
        if getattr(stored, field) != getattr(computed, field)
    )


def first_broken(rows: Iterable[LedgerRow], *, prev_hash: str = START_HASH) -> LedgerRow | None:
    """Return the first row that does not follow the row before it or does not have the hash of its own text."""
    for row in rows:
        if row.prev_hash != prev_hash or row.hash != _hash_or_nothing(row):
            return row
        prev_hash = row.hash
    return None


def _hash_or_nothing(row: LedgerRow) -> str:
    """Hash of a row read from outside: a row with text that no canonical row holds has none."""
    strings = (row.kind, row.match, row.opp, row.pool, row.reason, row.subject)
    return chained_hash(row.prev_hash, canonical_row(row)) if all(map(is_plain, strings)) else ""
