"""The filter `date` of every template (config.settings.apps makes it a builtin)."""

import datetime as dt
from typing import Any

from django import template
from django.template.defaultfilters import date as django_date

from accounts import dates

register = template.Library()


@register.filter(expects_localtime=True, is_safe=False)
def date(value: Any, wanted: str | None = None) -> Any:
    """Django's filter of this name, in the reader's orthography; what is no date is left to Django's."""
    return dates.written(value, wanted or "DATE_FORMAT") if isinstance(value, dt.date) else django_date(value, wanted)
