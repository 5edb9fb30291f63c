"""What a shown name may look like: for people and for what they own."""

import re
import unicodedata

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

MIN_NAME = 2
MAX_NAME = 40

_spaces = re.compile(r"\s+")


def clean_name(value: str) -> str:
    """The name in composed form, with single spaces. Raises ValidationError `name_length` or `name_characters`.

    Control and format characters, such as those that turn the writing's direction, let one name look like another.
    """
    name = _spaces.sub(" ", unicodedata.normalize("NFC", value)).strip()
    if not MIN_NAME <= len(name) <= MAX_NAME:
        raise ValidationError(
            _("A name has %(low)d to %(high)d characters."),
            code="name_length",
            params={"low": MIN_NAME, "high": MAX_NAME},
        )
    if not name.isprintable() or not any(character.isalnum() for character in name):
        raise ValidationError(
            _("A name needs a letter or a digit, and no invisible characters."), code="name_characters"
        )
    return name
