"""The filter `date` of every template (config.settings.apps makes it a builtin)."""

import datetime as dt

from django import template

from accounts import dates

register = template.Library()


@register.filter(expects_localtime=True, is_safe=False)
def date(value: dt.date | dt.datetime | None, wanted: str = "DATE_FORMAT") -> str:
    """Django's filter of this name, in the reader's orthography."""
    return "" if not value else dates.written(value, wanted)
