"""Addresses that browsers and crawlers ask for without being told."""

import pytest

pytestmark = pytest.mark.django_db


def test_the_mark_is_at_the_address_of_old(client):
    answer = client.get("/favicon.ico", follow=True)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/png")
    assert answer.redirect_chain[0][0].startswith("/static/img/favicon-32")
    assert answer.content.startswith(b"\x89PNG")


def test_crawlers_are_kept_from_what_is_one_persons(client):
    answer = client.get("/robots.txt")
    lines = answer.content.decode().splitlines()
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/plain; charset=utf-8")
    assert (lines[0], "Set-Cookie" in answer.headers) == ("User-agent: *", False)
    barred = [line.removeprefix("Disallow: ") for line in lines[1:]]
    for address in ("/account/login/", "/admin/", "/api/v1/me/", "/settings/tokens/", "/organise/", "/my/bots/"):
        assert any(address.startswith(prefix) for prefix in barred), address
    for address in (
        "/",
        "/leagues/",
        "/tournaments/",
        "/matches/",
        "/rankings/",
        "/bots/",
        "/players/",
        "/learn/rules/",
    ):
        assert not any(address.startswith(prefix) for prefix in barred), address
