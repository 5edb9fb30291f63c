"""Dates as they are written in the reader's language: Italian has months and days in lower case."""

from datetime import date, datetime

from django.utils.dateformat import DateFormat
from django.utils.formats import get_format
from django.utils.translation import get_language


class _LowerCase(DateFormat):
    """Names of days and months without capitals."""

    def D(self) -> str:  # noqa: N802 - letters of Django's formats
        return str(super().D()).lower()

    def F(self) -> str:  # noqa: N802
        return str(super().F()).lower()

    def M(self) -> str:  # noqa: N802
        return str(super().M()).lower()

    def l(self) -> str:  # noqa: E743
        return str(super().l()).lower()


def written(value: date | datetime, wanted: str) -> str:
    """A date in a format of Django's template filter, or in one of its named ones (`DATE_FORMAT`).

    >>> from datetime import date
    >>> from django.utils.translation import override
    >>> with override("it"):
    ...     written(date(2026, 12, 1), "l j F Y")
    'martedì 1 dicembre 2026'
    """
    style = _LowerCase if (get_language() or "").startswith("it") else DateFormat
    return style(value).format(get_format(wanted))
