"""What a user prefers to see."""

import zoneinfo
from functools import cache

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.errors import AccountsError
from accounts.foundation import lock_one
from accounts.models import Deck, Language, Theme, User

CHOICES: dict[str, frozenset[str]] = {
    "language": frozenset(Language.values),
    "theme": frozenset(Theme.values),
    "deck": frozenset(Deck.values),
}


#: What zones of places begin with; the others are abbreviations and old names.
_AREAS = (
    "Africa/", "America/", "Antarctica/", "Arctic/", "Asia/",
    "Atlantic/", "Australia/", "Europe/", "Indian/", "Pacific/",
)  # fmt: skip


@cache
def time_zones() -> tuple[str, ...]:
    """The names of all zones that a person can live in, sorted."""
    return (*sorted(name for name in zoneinfo.available_timezones() if name.startswith(_AREAS)), "UTC")


def check(values: dict[str, str]) -> None:
    """Refuse a preference or a value that does not exist. Raises AccountsError `preference.unknown`."""
    for name, value in values.items():
        allowed = time_zones() if name == "time_zone" else CHOICES.get(name, ())
        if value not in allowed:
            raise AccountsError(
                "preference.unknown",
                _("There is no such choice for %(name)s: choose one of those on the page."),
                status=422,
                name=name,
            )


def save(*, user: User, values: dict[str, str]) -> User:
    """Keep `language`, `theme`, `deck` and `time_zone`, as far as given, on the account."""
    check(values)
    with transaction.atomic():
        row = lock_one(User.objects.filter(pk=user.pk))
        for name, value in values.items():
            setattr(row, name, value)
            setattr(user, name, value)
        row.save(update_fields=list(values))
    return user


def rename(*, user: User, name: str) -> User:
    """Change the shown name; the address of the person's page stays."""
    with transaction.atomic():
        row = lock_one(User.objects.filter(pk=user.pk))
        row.name = user.name = name
        row.save(update_fields=["name"])
    return user
