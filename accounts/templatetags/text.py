"""Template filters for text that a stranger's program wrote."""

import unicodedata

from django import template

register = template.Library()

_KEPT = frozenset("\n\t")
#: Control, format (marks of direction, of no width), surrogates, separators of lines and paragraphs.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


@register.filter
def visible(text: object) -> str:
    r"""The text with characters that nobody sees, or that turn a line round, written as escapes; lines and tabs stay.

    >>> visible("a\x1b[31m\u202eb")
    'a\\x1b[31m\\u202eb'
    """
    return "".join(
        character if character in _KEPT or unicodedata.category(character) not in _UNSEEN else ascii(character)[1:-1]
        for character in str(text).replace("\r\n", "\n")
    )
