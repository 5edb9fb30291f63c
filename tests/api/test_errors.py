"""Refusals: one shape, the codes of the pages, the language of the reader; throttles."""

import pytest
from django.core.cache import cache
from rest_framework.throttling import SimpleRateThrottle

from tests.accounts.factories import make_user
from tests.api.world import Api, join, token_of
from tests.bots import uploading
from tests.factories import make_version
from tests.league.playing import make_league

pytestmark = pytest.mark.django_db
RAW = "application/octet-stream"


def refused(response) -> tuple[int, str]:
    body = response.json()
    assert set(body) - {"fields"} == {"code", "message", "params"}
    assert body["message"]
    assert "%(" not in body["message"]
    assert ("fields" in body) == (body["code"] == "invalid")
    return response.status_code, body["code"]


def test_what_the_framework_refuses_has_the_same_shape():
    user = make_user()
    api, nobody, wrong = Api(token_of(user)), Api(), Api("bella_" + "0" * 64)
    league = make_league().slug
    members = f"leagues/{league}/members/"
    assert {
        "no address": refused(api("GET", "nowhere/")),
        "no address, post": refused(nobody("POST", "nowhere/at/all")),
        "no slash": refused(nobody("GET", "bots")),
        "no league": refused(api("GET", "leagues/nowhere/")),
        "method": refused(api("DELETE", "bots/")),
        "method of a lead": refused(api("PUT", f"leagues/{league}/", {})),
        "nobody": refused(nobody("POST", members, {"bot": "x"})),
        "wrong token": refused(wrong("GET", "bots/")),
        "not JSON": refused(api("POST", members, b"{", content_type="application/json")),
        "too deep": refused(api("POST", members, b"[" * 100_000, content_type="application/json")),
        "no object": refused(api("POST", members, b"[]", content_type="application/json")),
        "surrogate": refused(api("POST", members, b'{"bot":"\\ud800"}', content_type="application/json")),
        "nul": refused(api("POST", members, b'{"bot":"a\\u0000"}', content_type="application/json")),
        "type": refused(api("POST", members, b"<bot/>", content_type="text/xml")),
        "json as a file": refused(api("POST", "bots/?name=Vela", b"{}", content_type="application/json")),
        "broken form": refused(api("POST", "bots/", b"x", content_type="multipart/form-data; boundary=y")),
        "no boundary": refused(api("POST", "bots/", b"x", content_type="multipart/form-data")),
        "missing": refused(api("POST", members, {})),
        "no bot": refused(api("POST", members, {"bot": "nobody"})),
    } == {
        "no address": (404, "not_found"),
        "no address, post": (404, "not_found"),
        "no slash": (404, "not_found"),
        "no league": (404, "not_found"),
        "method": (405, "method_not_allowed"),
        "method of a lead": (405, "method_not_allowed"),
        "nobody": (401, "not_authenticated"),
        "wrong token": (401, "authentication_failed"),
        "not JSON": (400, "parse_error"),
        "too deep": (400, "parse_error"),
        "no object": (400, "invalid"),
        "surrogate": (400, "invalid"),
        "nul": (400, "invalid"),
        "type": (415, "unsupported_media_type"),
        "json as a file": (415, "unsupported_media_type"),
        "broken form": (400, "invalid"),
        "no boundary": (400, "parse_error"),
        "missing": (400, "invalid"),
        "no bot": (400, "invalid"),
    }


def test_a_wrong_token_is_told_how_to_come_back():
    response = Api("bella_x")("GET", "bots/")
    assert response.headers["WWW-Authenticate"] == "Bearer"


def test_refusals_of_services_keep_their_code_status_and_values():
    owner = make_user()
    version = make_version(owner=owner)
    league = make_league(bots_per_owner=1)
    join(league, version)
    other = make_version(owner=owner)
    response = Api(token_of(owner))("POST", f"leagues/{league.slug}/members/", {"bot": other.bot.player.slug})
    assert (response.status_code, response.json()) == (
        409,
        {
            "code": "too_many_bots",
            "message": "You already have 1 bots in this league, which is the limit. Take one out first.",
            "params": {"limit": 1},
        },
    )


def test_the_message_is_in_the_language_of_the_settings_else_of_the_request():
    def said(preference: str, wish: str) -> str:
        api = Api(token_of(make_user(language=preference), "read"))
        answer = api("POST", "leagues/x/members/", {"bot": "x"}, headers={"accept-language": wish})
        assert answer.json()["code"] == "scope_missing"
        return answer.json()["message"]

    assert said("", "en") == said("en", "it") == said("en", "en")
    assert said("", "it") == said("it", "en") != said("", "en")


@pytest.fixture
def rates(monkeypatch, clean_valkey):
    def use(**rates: str) -> None:
        cache.clear()
        monkeypatch.setattr(SimpleRateThrottle, "THROTTLE_RATES", SimpleRateThrottle.THROTTLE_RATES | rates)

    return use


def throttled(response) -> bool:
    if response.status_code != 429:
        return False
    body = response.json()
    assert (body["code"], body["params"]) == ("throttled", {"retry_after": int(response.headers["Retry-After"])})
    assert 1 <= body["params"]["retry_after"] <= 60
    return True


def test_nobody_asks_more_often_than_allowed(rates):
    rates(anon="3/min", user="5/min")
    api = Api(token_of(make_user()))
    assert [throttled(Api()("GET", "bots/")) for _ in range(4)] == [False] * 3 + [True]
    assert [throttled(api("GET", "bots/")) for _ in range(6)] == [False] * 5 + [True]
    other = Api(token_of(make_user()))
    assert throttled(other("GET", "bots/")) is False


def test_uploads_have_a_rate_of_their_own(rates):
    rates(upload="2/min")
    api = Api(token_of(make_user()))
    sent = [api("POST", "bots/?name=Vela", uploading.source(), content_type=RAW) for _ in range(3)]
    assert [throttled(response) for response in sent] == [False, False, True]
    assert throttled(api("GET", "bots/")) is False


def test_a_service_that_says_when_to_come_back_sets_the_header(monkeypatch):
    from bots.services import uploads

    monkeypatch.setattr(uploads, "DAILY_QUOTA", 1)
    api = Api(token_of(make_user()))
    api("POST", "bots/?name=Vela", uploading.source(), content_type=RAW)
    response = api("POST", "bots/?name=Vela", uploading.source(), content_type=RAW)
    assert (response.status_code, response.json()["code"]) == (429, "upload.quota")
    assert int(response.headers["Retry-After"]) == response.json()["params"]["retry_after"] > 80_000
