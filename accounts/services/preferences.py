"""What a user prefers to see."""

import zoneinfo
from collections.abc import Mapping
from functools import cache
from typing import TypeAlias

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.errors import AccountsError
from accounts.foundation import lock_one
from accounts.models import Deck, Felt, Language, Pause, Speed, Theme, TwoTap, User

CHOICES: dict[str, frozenset[str]] = {
    "language": frozenset(Language.values),
    "theme": frozenset(Theme.values),
    "deck": frozenset(Deck.values),
    "felt": frozenset(Felt.values),
    "speed": frozenset(Speed.values),
    "pause": frozenset(Pause.values),
    "two_tap": frozenset(TwoTap.values),
}
#: Preferences that are on or off, at the table.
SWITCHES: tuple[str, ...] = ("left_handed", "keys", "sounds", "sound_cards", "sound_turn", "sound_result")
#: All that the table wants to know besides language, theme and deck.
TABLE: tuple[str, ...] = ("felt", "speed", "pause", "two_tap", "volume", *SWITCHES)
MAX_VOLUME = 100

Value: TypeAlias = str | bool | int


#: What zones of places begin with; the others are abbreviations and old names.
_AREAS = (
    "Africa/", "America/", "Antarctica/", "Arctic/", "Asia/",
    "Atlantic/", "Australia/", "Europe/", "Indian/", "Pacific/",
)  # fmt: skip


@cache
def time_zones() -> tuple[str, ...]:
    """The names of all zones that a person can live in, sorted."""
    return (*sorted(name for name in zoneinfo.available_timezones() if name.startswith(_AREAS)), "UTC")


def _exists(name: str, value: Value) -> bool:
    if name in SWITCHES:
        return isinstance(value, bool)
    if name == "volume":
        return type(value) is int and 0 <= value <= MAX_VOLUME
    return value in (time_zones() if name == "time_zone" else CHOICES.get(name, ()))


def check(values: Mapping[str, Value]) -> None:
    """Refuse a preference or a value that does not exist. Raises AccountsError `preference.unknown`."""
    for name, value in values.items():
        if not _exists(name, value):
            raise AccountsError(
                "preference.unknown",
                _("There is no such choice for %(name)s: choose one of those on the page."),
                status=422,
                name=name,
            )


def save(*, user: User, values: Mapping[str, Value]) -> User:
    """Keep the preferences that are given on the account: texts, switches (bool), `volume` (0 to 100)."""
    check(values)
    with transaction.atomic():
        row = lock_one(User.objects.filter(pk=user.pk))
        for name, value in values.items():
            setattr(row, name, value)
            setattr(user, name, value)
        row.save(update_fields=list(values))
    return user


def at_the_table(user: User) -> dict[str, Value]:
    """What this person chose for the table, by the names in `TABLE`."""
    return {name: getattr(user, name) for name in TABLE}


def rename(*, user: User, name: str) -> User:
    """Change the shown name; the address of the person's page stays."""
    with transaction.atomic():
        row = lock_one(User.objects.filter(pk=user.pk))
        row.name = user.name = name
        row.save(update_fields=["name"])
    return user
