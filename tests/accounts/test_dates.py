"""Dates on pages: Italian months and days in lower case, English ones with their capitals."""

from datetime import UTC, date, datetime

import pytest
from django.template import Context, Template
from django.utils import timezone, translation

from accounts import dates


@pytest.mark.parametrize(
    ("language", "wanted", "text"),
    [
        ("it", "l j F Y", "martedì 1 dicembre 2026"),
        ("it", "D j M", "mar 1 dic"),
        ("it", "j M Y, H:i", "1 dic 2026, 00:00"),
        ("it", "c", "2026-12-01T00:00:00"),
        ("en", "l j F Y", "Tuesday 1 December 2026"),
        ("en", "D j M", "Tue 1 Dec"),
        ("it", "DATETIME_FORMAT", "1 dic 2026, 00:00"),
        ("en", "DATE_FORMAT", "1 Dec 2026"),
    ],
)
def test_a_date_is_written_in_its_language(language, wanted, text):
    with translation.override(language):
        assert dates.written(datetime(2026, 12, 1), wanted) == text  # noqa: DTZ001 - as the template filter gets it


def test_templates_write_dates_so_in_the_readers_zone():
    at = datetime(2026, 12, 31, 23, 30, tzinfo=UTC)
    with translation.override("it"), timezone.override("Europe/Rome"):
        page = Template('{{ at|date:"j M Y, H:i T" }}|{{ day|date:"j F" }}|{{ none|date:"j F" }}|{{ day|date }}')
        text = page.render(Context({"at": at, "day": date(2026, 2, 3), "none": None}))
    assert text == "1 gen 2027, 00:30 CET|3 febbraio||3 feb 2026"
