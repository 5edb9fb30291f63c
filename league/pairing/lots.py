"""Drawing lots from a tournament's seed: anyone who knows the seed draws the same."""

import hmac
from collections.abc import Iterable


def lot(*, seed: bytes, label: str, entry: int) -> bytes:
    """Return an entry's lot, 32 bytes: `HMAC-SHA-256(seed, "<label>:<entry>")`."""
    return hmac.digest(seed, f"{label}:{entry}".encode(), "sha256")


def drawn_order(entries: Iterable[int], *, seed: bytes, label: str) -> tuple[int, ...]:
    """Return the entries by rising lot: a shuffle that does not depend on the order in which they are given."""
    return tuple(sorted(entries, key=lambda entry: (lot(seed=seed, label=label, entry=entry), entry)))
