"""Users for tests."""

from itertools import count

from accounts.models import User
from accounts.services import second_factor, users

PASSWORD = "una-parola-lunga-9"
_numbers = count(1)


def make_user(
    name: str = "",
    *,
    is_confirmed: bool = True,
    is_staff: bool = False,
    has_second_factor: bool | None = None,
    **fields: object,
) -> User:
    """A user with a confirmed address and, if staff, a second factor, unless said otherwise."""
    number = next(_numbers)
    user = users.create(
        email=f"user{number}@example.org",
        name=name or f"User {number}",
        password=PASSWORD,
        is_confirmed=is_confirmed,
        is_staff=is_staff,
    )
    for field, value in fields.items():
        setattr(user, field, value)
    if fields:
        user.save(update_fields=list(fields))
    if is_staff if has_second_factor is None else has_second_factor:
        second_factor.switch_on(user=user)
    return user
