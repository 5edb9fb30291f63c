"""Which seats of a match are here: those with an open stream, or a request in the last seconds.

`here:<code>` holds one member a stream, scored by when it counts as dead unless its process renews it (a counter would
stay wrong after kill -9); `seen:<code>` holds when each seat was last seen. All of it may be lost: absence starts anew.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from time import time
from typing import Final

from games.live import valkey

#: A seat whose page only asks (no stream gets through) is here for so long after each request.
REQUEST_S: Final = 12
#: A seat is absent when nothing was seen of it for so long; so much later its deal may be claimed.
ABSENT_S: Final = 30
CLAIM_S: Final = 90
KEPT_S: Final = 24 * 3600


def here_key(code: str) -> str:
    """Key of the streams that are open."""
    return f"here:{code}"


def seen_key(code: str) -> str:
    """Key of the last signs of life."""
    return f"seen:{code}"


def now_ms() -> int:
    """Of this machine's clock."""
    return int(time() * 1000)


@dataclass(frozen=True, slots=True)
class Presence:
    """`away_ms`: since when nothing was seen of the seat, 0 while it is here."""

    is_here: bool
    away_ms: int

    @property
    def left_ms(self) -> int | None:
        """Until the deal may be claimed if it is this seat's turn; None while it is here."""
        return None if self.is_here else max(0, (ABSENT_S + CLAIM_S) * 1000 - self.away_ms)


def touch(code: str, seat: int) -> None:
    """A request of the seat came. Raises redis' errors."""
    now = now_ms()
    with valkey().pipeline(transaction=False) as pipe:
        pipe.zadd(here_key(code), {f"{seat}:request": now + REQUEST_S * 1000})
        pipe.zadd(seen_key(code), {str(seat): now})
        pipe.expire(here_key(code), KEPT_S)
        pipe.expire(seen_key(code), KEPT_S)
        pipe.execute()


def presences(code: str, seats: Iterable[int]) -> dict[int, Presence]:
    """Of the named seats; one never seen (Valkey was emptied) is away from now on. Raises redis' errors."""
    now = now_ms()
    wanted = list(seats)
    with valkey().pipeline(transaction=False) as pipe:
        pipe.zrangebyscore(here_key(code), now, "+inf")
        if wanted:
            pipe.zadd(seen_key(code), {str(seat): now for seat in wanted}, nx=True)
        pipe.expire(seen_key(code), KEPT_S)
        pipe.zrange(seen_key(code), 0, -1, withscores=True)
        answers = pipe.execute()
    return found(wanted, answers[0], dict(answers[-1]), now)


def found(seats: Iterable[int], members: Iterable[bytes], seen: Mapping[bytes, float], now: int) -> dict[int, Presence]:
    """What the two keys say of the seats."""
    here = {int(member.partition(b":")[0]) for member in members}
    return {
        seat: Presence(seat in here, 0 if seat in here else max(0, now - int(seen.get(str(seat).encode(), now))))
        for seat in seats
    }
