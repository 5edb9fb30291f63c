"""Language, theme, deck, time zone: from the account, the cookies, the browser."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.services.preferences import at_the_table
from tests.accounts.factories import make_user

pytestmark = pytest.mark.django_db
SAVE = "/preferences/"


def language_of(client: Client, **headers: str) -> str:
    return client.get(reverse("account_login"), headers=headers).headers["Content-Language"]


def test_the_language_is_the_accounts_then_the_cookies_then_the_browsers_then_italian(client):
    assert language_of(client) == "it"
    assert language_of(client, accept_language="de, en;q=0.5") == "en"
    client.cookies["lang"] = "it"
    assert language_of(client, accept_language="en") == "it"
    client.force_login(make_user(language="en"))
    assert client.get("/settings/").headers["Content-Language"] == "en"


def test_signed_out_preferences_are_cookies_and_the_next_page_obeys(client):
    response = client.post(SAVE, {"language": "en", "theme": "dark", "deck": "francesi", "next": "/account/login/?a=1"})
    assert (response.status_code, response.url) == (303, "/account/login/?a=1")
    assert {name: client.cookies[name].value for name in ("lang", "theme", "deck")} == {
        "lang": "en", "theme": "dark", "deck": "francesi",
    }  # fmt: skip
    page = client.get("/account/login/").content.decode()
    assert '<html lang="en" data-theme="dark" data-deck="francesi">' in page


def test_signed_in_preferences_are_kept_on_the_account_and_in_the_browser(client):
    user = make_user()
    client.force_login(user)
    client.post(SAVE, {"deck": "bresciane", "time_zone": "America/New_York"})
    user.refresh_from_db()
    assert (user.deck, user.time_zone, user.theme) == ("bresciane", "America/New_York", "auto")
    assert client.cookies["deck"].value == "bresciane"


@pytest.mark.parametrize("bad", [{"deck": "tarot"}, {"theme": "pink"}, {"language": "de"}, {"time_zone": "Mars/Base"}])
def test_a_choice_that_does_not_exist_is_refused_whole(client, bad):
    user = make_user()
    client.force_login(user)
    response = client.post(SAVE, {"theme": "dark"} | bad)
    assert response.status_code == 422
    user.refresh_from_db()
    assert (user.theme, user.deck, user.language, user.time_zone) == ("auto", "napoletane", "", "Europe/Rome")
    assert not response.cookies.keys() & {"lang", "theme", "deck", "time_zone"}


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example", "javascript:alert(1)", ""])
def test_nobody_is_sent_to_another_site(client, target):
    assert client.post(SAVE, {"theme": "dark", "next": target}).url == "/"


def test_times_are_in_the_viewers_zone(client):
    user = make_user(time_zone="Asia/Tokyo", language="en")
    from accounts.models import Notice

    Notice.objects.create(user=user, kind="gone")
    client.force_login(user)
    assert "JST</time>" in client.get("/inbox/").content.decode()
    user.time_zone = "no such zone"
    user.save()
    assert "CE" in client.get("/inbox/").content.decode()


def test_the_shown_name_can_be_changed_and_bad_names_change_nothing(client):
    user = make_user("Luna")
    client.force_login(user)
    assert client.post("/settings/", {"name": "Sole"}).status_code == 302
    refused = client.post("/settings/", {"name": "\u200b"})
    assert refused.status_code == 422
    user.refresh_from_db()
    assert user.name == "Sole"


@pytest.mark.parametrize("path", ["/settings/", "/settings/tokens/", "/inbox/"])
def test_pages_of_the_account_ask_visitors_to_sign_in(client, path):
    response = client.get(path)
    assert (response.status_code, response.url) == (302, f"/account/login/?next={path}")


TABLE = {
    "felt": "blue", "speed": "fast", "pause": "tap", "two_tap": "on", "left_handed": "on", "keys": "off",
    "sounds": "off", "sound_cards": "off", "sound_turn": "on", "sound_result": "off", "volume": "0",
}  # fmt: skip


def test_what_is_chosen_at_the_table_is_kept_on_the_account(client):
    user = make_user()
    client.force_login(user)
    assert client.post(SAVE, TABLE).status_code == 303
    user.refresh_from_db()
    assert at_the_table(user) == {
        "felt": "blue", "speed": "fast", "pause": "tap", "two_tap": "on", "volume": 0, "left_handed": True,
        "keys": False, "sounds": False, "sound_cards": False, "sound_turn": True, "sound_result": False,
    }  # fmt: skip
    page = client.get("/settings/").content.decode()
    assert 'data-felt="blue"' in page
    assert '<option value="tap" selected>' in page


def test_signed_out_only_the_felt_is_a_cookie(client):
    response = client.post(SAVE, TABLE)
    assert response.status_code == 303
    assert set(response.cookies) & set(TABLE) == {"felt"}
    assert 'data-felt="blue"' in client.get("/account/login/").content.decode()


@pytest.mark.parametrize("bad", [{"felt": "pink"}, {"speed": "9"}, {"volume": "101"}, {"volume": "x"}, {"keys": "1"}])
def test_a_choice_of_the_table_that_does_not_exist_changes_nothing(client, bad):
    user = make_user()
    client.force_login(user)
    assert client.post(SAVE, {"pause": "tap"} | bad).status_code == 422
    user.refresh_from_db()
    assert (user.pause, user.felt, user.speed, user.volume, user.keys) == ("normal", "green", "normal", 60, True)
