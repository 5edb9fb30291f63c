"""What a cache between the site and its reader may keep."""

import pytest
from django.test import Client

from tests.factories import make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]

PAGES = [
    "/",
    "/leagues/",
    "/matches/",
    "/rankings/",
    "/bots/",
    "/my/bots/",
    "/settings/",
    "/inbox/",
    "/organise/",
    "/nowhere/",
]
API = ["/api/v1/me/", "/api/v1/matches/", "/api/v1/nowhere/"]


@pytest.mark.parametrize("is_signed_in", [False, True])
@pytest.mark.parametrize("path", PAGES + API)
def test_no_shared_cache_keeps_a_page(path, is_signed_in):
    client = Client()
    if is_signed_in:
        client.force_login(make_user())
    said = client.get(path).headers["Cache-Control"]
    assert "private" in said
    assert "no-cache" in said


def test_static_files_stay_where_they_are_kept():
    said = Client().get("/static/img/bella.svg").headers["Cache-Control"]
    assert "private" not in said
