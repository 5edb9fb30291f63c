"""The rating ledger: one canonical row a change, each hashed over the one before (a hash chain a pool and revision).

A row's text is fixed for ever (version 1): keys sorted, no spaces, ASCII, integers and plain strings only. The hash is
`sha256(hash of the row before, in hex + text)`, in hex; the first row follows 64 zeros.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

START_HASH = "0" * 64
ROW_VERSION = 1

# Equal to json.dumps(..., sort_keys=True, separators=(",", ":")) and four times as fast; `is_plain` keeps out whatever
# JSON would escape.
_ROW = (
    '{"after":%d,"before":%d,"delta":%d,"e":%d,"floor":%d,"k":%d,"kind":"%s","match":"%s","n":%d,"opp":"%s",'
    '"period":%d,"pool":"%s","reason":"%s","score":%d,"seq":%d,"subject":"%s","v":1}'
)
_plain = re.compile(r"[A-Za-z0-9:+._/-]*").fullmatch


class LedgerRow(NamedTuple):
    """One change of one rating: the canonical fields in the order of the text, then the chain. Give them by name.

    `before`, `delta`, `floor`, `after` are milli-Elo (`floor` = what the lowest allowed rating added); `score` and `e`
    (expectation) are ppm; `k` is the K in force after the cap; `n` the rated games before this one; `kind` is
    `match`, `anchor` or `reset`, the last two with an empty `match` and `opp` and zero `score`, `e`, `k`.
    `period` is the period's number in the pool, `seq` the row's; `opp` joins a team's subjects by `+`.
    A named tuple, because a rebuild makes millions: a frozen dataclass of 18 fields takes seven times as long to make.
    """

    after: int
    before: int
    delta: int
    e: int
    floor: int
    k: int
    kind: str
    match: str
    n: int
    opp: str
    period: int
    pool: str
    reason: str
    score: int
    seq: int
    subject: str
    prev_hash: str
    hash: str


CANONICAL_FIELDS = len(LedgerRow._fields) - 2
"""How many fields of a row stand in its text: all but `prev_hash` and `hash`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldDifference:
    """One field in which a stored row is not the computed one."""

    field: str
    stored: str
    computed: str


def is_plain(text: str) -> bool:
    """Whether a string may stand in a canonical row as it is."""
    return _plain(text) is not None


def canonical_row(row: LedgerRow) -> str:
    """Return the text of a row as it is hashed and compared; its strings must be plain."""
    return _ROW % row[:CANONICAL_FIELDS]


def chained_hash(prev_hash: str, text: str) -> str:
    """Return the hash, in hex, of a row's text that follows `prev_hash`."""
    return sha256((prev_hash + text).encode("ascii")).hexdigest()


class LedgerWriter:
    """Appends the rows of one period: numbers them and hashes each over the one before.

    `rows`, `last_seq` and `last_hash` are what has been written so far.
    """

    def __init__(self, pool: str, period: int, last_seq: int, last_hash: str) -> None:
        self.pool = pool
        self.period = period
        self.last_seq = last_seq
        self.last_hash = last_hash
        self.rows: list[LedgerRow] = []

    def append(  # noqa: PLR0913, PLR0917 (the fields of a row)
        self, after: int, before: int, delta: int, e: int, floor: int, k: int, kind: str, match: str, n: int,
        opp: str, reason: str, score: int, subject: str,
    ) -> None:  # fmt: skip
        """Write one row: the fields of LedgerRow in its order (by place: a rebuild comes here for every row).

        The strings must be plain.
        """
        prev_hash = self.last_hash
        self.last_seq = seq = self.last_seq + 1
        fields = (
            after, before, delta, e, floor, k, kind, match, n, opp, self.period, self.pool, reason, score, seq, subject
        )  # fmt: skip
        self.last_hash = row_hash = sha256((prev_hash + _ROW % fields).encode("ascii")).hexdigest()
        self.rows.append(LedgerRow._make((*fields, prev_hash, row_hash)))


def differences(*, stored: LedgerRow, computed: LedgerRow) -> tuple[FieldDifference, ...]:
    """Name every field, hashes included, in which the two rows are unlike; empty when they are the same."""
    return tuple(
        FieldDifference(field=field, stored=str(getattr(stored, field)), computed=str(getattr(computed, field)))
        for field in LedgerRow._fields
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
