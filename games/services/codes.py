"""Short public codes of matches: eight characters of Crockford's base 32 (no I, L, O, U)."""

import secrets
from typing import Final

from games.models import Match

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH: Final = 8


def new_codes(count: int) -> list[str]:
    """`count` codes that no match has: one query, and another one when a code was taken."""
    codes: set[str] = set()
    while len(codes) < count:
        fresh = {"".join(secrets.choice(ALPHABET) for _ in range(LENGTH)) for _ in range(count - len(codes))}
        codes |= fresh - set(Match.objects.filter(code__in=fresh).values_list("code", flat=True))
    return list(codes)
