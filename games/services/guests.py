"""Guests: people without an account, who may practise. The browser holds the key of its guest, the site its digest."""

import hashlib
import secrets
from typing import Final

from games.models import Player, PlayerKind

KEY_BYTES: Final = 16
#: A guest never types a name; pages show their own word for it by the kind.
NAME: Final = "Ospite"


def create() -> tuple[Player, str]:
    """A new guest and its key, which is nowhere else."""
    key = secrets.token_hex(KEY_BYTES)
    slug = f"guest-{secrets.token_hex(8)}"
    return Player.objects.create(kind=PlayerKind.GUEST, name=NAME, slug=slug, guest_key=digest(key)), key


def find(key: str) -> Player | None:
    """The guest with this key."""
    return Player.objects.filter(kind=PlayerKind.GUEST, guest_key=digest(key)).first()


def digest(key: str) -> str:
    """What is kept of a key."""
    return hashlib.sha256(key.encode()).hexdigest()
