"""Making players: every user and every bot has one."""

import secrets
from typing import Final

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from accounts.models import User
from games.models import Player, PlayerKind

MAX_SLUG: Final = 50


def create(*, kind: PlayerKind, name: str, user: User | None = None) -> Player:
    """A player with an address made of the name: `rossi`, `rossi-2` ...; a name without letters becomes the kind."""
    base = slugify(name)[:MAX_SLUG].strip("-") or kind.value
    for slug in _candidates(base):
        try:
            with transaction.atomic():  # somebody else may take the address between our look and our write
                return Player.objects.create(kind=kind, name=name, slug=slug, user=user)
        except IntegrityError:
            if not Player.objects.filter(slug=slug).exists():
                raise
    raise AssertionError("a random address is always free")


def create_human(*, user: User) -> Player:
    """The player that a user plays as; the same one when it is there already."""
    found = Player.objects.filter(user=user).first()
    return found or create(kind=PlayerKind.HUMAN, name=user.name or user.email.partition("@")[0][:40], user=user)


def _candidates(base: str) -> list[str]:
    numbered = [base, *(f"{base}-{number}" for number in range(2, 100))]
    taken = set(Player.objects.filter(slug__in=numbered).values_list("slug", flat=True))
    free = [slug for slug in numbered if slug not in taken]
    return [*free[:3], *(f"{base}-{secrets.token_hex(4)}" for _ in range(3))]
