"""The frame itself: own data for each worker, the site as a process, who may come in where."""

import json
import os
import re
import urllib.error
import urllib.request

import pytest
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.db import OperationalError, connection
from django.http import HttpResponse
from django.test import Client, RequestFactory, override_settings
from django.urls import reverse
from psycopg_pool import PoolTimeout

from accounts.models import User
from config import heartbeats, views
from games.models import Heartbeat


@pytest.mark.django_db
@pytest.mark.parametrize("number", range(4))
def test_a_test_sees_only_its_own_data(number: int) -> None:
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    assert connection.settings_dict["NAME"] == (f"test_bella_{worker}" if worker else "test_bella")
    assert cache.get("who") in {None, worker}
    cache.set("who", worker)
    assert cache.get("who") == worker


@pytest.mark.django_db
def test_the_site_is_no_superuser_of_its_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
        assert cursor.fetchone() == (False,)


def test_the_site_answers_sends_its_policy_and_a_heartbeat(site: str) -> None:
    with urllib.request.urlopen(f"{site}/healthz") as answer:
        assert json.load(answer) == {"status": "ok"}
        headers = answer.headers
    assert set(headers["Content-Security-Policy"].split("; ")) == {
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "font-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    }
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["X-Frame-Options"] == "DENY"
    assert re.fullmatch(r"([a-z-]+=\(\)(, )?)+", headers["Permissions-Policy"])
    assert "Server" not in headers
    age = heartbeats.age("web")
    assert age is not None
    assert age < 30


def test_static_files_come_with_their_type_and_can_be_asked_again(site: str) -> None:
    with urllib.request.urlopen(f"{site}/static/img/bella.svg") as answer:
        body = answer.read()
        assert answer.headers["Content-Type"] == "image/svg+xml"
        assert body.startswith(b"<svg")
        since = answer.headers["Last-Modified"]
    again = urllib.request.Request(f"{site}/static/img/bella.svg", headers={"If-Modified-Since": since})
    with pytest.raises(urllib.error.HTTPError) as unchanged:
        urllib.request.urlopen(again)
    assert unchanged.value.code == 304
    unchanged.value.close()
    part = urllib.request.Request(f"{site}/static/img/bella.svg", headers={"Range": "bytes=0-3"})
    with urllib.request.urlopen(part) as answer:
        assert (answer.status, answer.read()) == (206, b"<svg")


@pytest.mark.django_db
def test_figures_are_shown_to_the_holder_of_the_token_only(client: Client) -> None:
    assert client.get("/metrics").status_code == 404
    with override_settings(METRICS_TOKEN="right"):
        assert client.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 404
        answer = client.get("/metrics", headers={"Authorization": "Bearer right"})
    assert answer.status_code == 200
    assert b"django_http_requests_total" in answer.content


@pytest.mark.django_db
def test_under_tls_the_site_has_one_name(client: Client) -> None:
    with override_settings(
        IS_HTTPS=True, CANONICAL_HOST="bella.example", BASE_URL="https://bella.example", ALLOWED_HOSTS=["*"]
    ):
        there = client.get("/metrics?a=1", headers={"Host": "other.example"}, secure=True)
        assert (there.status_code, there.headers["Location"]) == (301, "https://bella.example/metrics?a=1")
        assert client.post("/metrics", headers={"Host": "other.example"}, secure=True).status_code == 421
        assert client.get("/metrics", headers={"Host": "bella.example"}, secure=True).status_code == 404
        assert client.get("/healthz", headers={"Host": "10.0.0.7"}, secure=True).status_code == 200


def answer_to(error: Exception, path: str) -> HttpResponse:
    """What the site says when a request ends in `error`."""
    try:
        raise error
    except type(error):
        return views.failed(RequestFactory().get(path))


def test_a_pool_without_a_free_connection_is_busy_and_no_fault() -> None:
    wrapped = OperationalError("couldn't get a connection after 10.00 sec")
    wrapped.__cause__ = PoolTimeout("couldn't get a connection after 10.00 sec")
    for error in (PoolTimeout("couldn't get a connection after 10.00 sec"), wrapped):
        page, api = answer_to(error, "/matches/"), answer_to(error, "/api/v1/matches/")
        assert (page.status_code, page.headers["Retry-After"]) == (503, "5")
        assert page.content.lstrip().lower().startswith(b"<!doctype html>")
        assert (api.status_code, json.loads(api.content)["code"]) == (503, "busy")


def test_a_fault_has_a_number_that_is_in_the_log_too(caplog: pytest.LogCaptureFixture) -> None:
    error = OperationalError("the connection is lost")
    page = answer_to(error, "/matches/")
    (record,) = caplog.records
    assert page.status_code == 500
    assert record.msg["error_id"] in page.content.decode()  # type: ignore[index]
    api = answer_to(error, "/api/v1/matches/")
    assert (api.status_code, json.loads(api.content)["code"]) == (500, "internal")


@pytest.mark.django_db
def test_a_heartbeat_is_one_row_a_role() -> None:
    parameters = connection.get_connection_params()
    assert parameters["dbname"].startswith("test_bella")
    before = heartbeats.timezone.now()
    try:
        heartbeats.write("frame-test", before)
        heartbeats.write("frame-test", heartbeats.timezone.now())
        assert Heartbeat.objects.filter(role="frame-test").count() == 1
        age = heartbeats.age("frame-test")
        assert age is not None
        assert age < 10
        assert heartbeats.age("never-seen") is None
    finally:
        Heartbeat.objects.filter(role="frame-test").delete()


# -- the admin's door --------------------------------------------------------------------------------------------------


def _staff(*, second_factor: bool) -> User:
    user = User.objects.create_superuser("staff@example.org", "a long enough password", name="Staff")
    if second_factor:
        Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={"secret": "x"})
    return user


@pytest.mark.django_db
def test_the_admin_sends_strangers_to_the_site_s_own_sign_in(client: Client) -> None:
    answer = client.get("/admin/", follow=True)
    assert answer.redirect_chain[-1][0].startswith(reverse("account_login"))


@pytest.mark.django_db
def test_staff_without_a_second_factor_are_sent_to_switch_it_on(client: Client) -> None:
    client.force_login(_staff(second_factor=False))
    first = client.get("/admin/")
    second = client.get(first.headers["Location"])
    assert (first.status_code, second.status_code) == (302, 302)
    assert second.headers["Location"] == reverse("mfa_activate_totp")


@pytest.mark.django_db
def test_staff_with_a_second_factor_come_in(client: Client) -> None:
    client.force_login(_staff(second_factor=True))
    assert client.get("/admin/").status_code == 200


@pytest.mark.django_db
def test_others_are_sent_home(client: Client) -> None:
    client.force_login(User.objects.create_user("someone@example.org", "a long enough password", name="Someone"))
    first = client.get("/admin/")
    assert client.get(first.headers["Location"]).headers["Location"] == "/"


# -- language ----------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("preference", "cookie", "header", "expected"),
    [
        ("en", "it", "it", "en"),
        ("it", "en", "en", "it"),
        ("", "en", "it", "en"),
        ("", "", "en-GB,en;q=0.8", "en"),
        ("", "", "de", "it"),
        ("", "", "", "it"),
    ],
)
def test_the_language_is_the_preference_then_the_cookie_then_the_browser_s_then_italian(
    client: Client, preference: str, cookie: str, header: str, expected: str
) -> None:
    if preference:
        user = User.objects.create_user("who@example.org", "a long enough password", name="Who", language=preference)
        client.force_login(user)
    if cookie:
        client.cookies["lang"] = cookie
    answer = client.get(reverse("account_email_verification_sent"), headers={"Accept-Language": header})
    assert answer.headers["Content-Language"] == expected
