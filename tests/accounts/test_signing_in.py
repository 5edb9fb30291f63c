"""Sign-up, sign-in, reset, confirmation, change of address, second factor: through the pages, with real mails."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.core import mail
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts import events
from accounts.events import SignedUp
from accounts.models import User
from accounts.services import second_factor, users
from tests.accounts.factories import PASSWORD, make_user

pytestmark = pytest.mark.django_db

NEW = {"name": "  Luna   Rossa ", "email": "Luna@Example.ORG", "password1": PASSWORD, "password2": PASSWORD}


def link(pattern: str) -> str:
    """The path in the last mail that matches."""
    (found,) = re.findall(rf"https?://[^/\s]+({pattern}\S*)", str(mail.outbox[-1].body))
    return found


def test_signing_up_makes_an_account_with_a_clean_name_and_a_lower_case_address(client):
    heard = []
    events.subscribe(SignedUp, function=heard.append)
    response = client.post(reverse("account_signup"), NEW)
    assert response.status_code == 302
    user = User.objects.get()
    assert (user.email, user.name, user.language) == ("luna@example.org", "Luna Rossa", "it")
    assert heard == [SignedUp(user_id=user.pk)]
    assert client.session["_auth_user_id"] == str(user.pk)
    assert not users.is_confirmed(user)


def test_signing_up_takes_over_what_the_visitor_chose_before(client):
    client.cookies.load({"lang": "en", "theme": "dark", "deck": "francesi", "time_zone": "Asia/Tokyo"})
    client.post(reverse("account_signup"), NEW)
    user = User.objects.get()
    assert (user.language, user.theme, user.deck, user.time_zone) == ("en", "dark", "francesi", "Asia/Tokyo")


def test_cookies_with_nonsense_are_ignored(client):
    client.cookies.load({"theme": "pink", "deck": "tarot", "time_zone": "../../etc/passwd"})
    assert client.get(reverse("account_signup")).status_code == 200
    client.post(reverse("account_signup"), NEW)
    user = User.objects.get()
    assert (user.theme, user.deck, user.time_zone) == ("auto", "napoletane", "Europe/Rome")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": "x"}, "name"),
        ({"name": "a\u202eb"}, "name"),
        ({"name": "---"}, "name"),
        ({"name": ""}, "name"),
        ({"email": "nobody"}, "email"),
        ({"password1": "short", "password2": "short"}, "password1"),
        ({"password2": "another-word-99"}, "password2"),
    ],
)
def test_a_sign_up_with_a_fault_names_the_field_and_makes_no_account(client, change, field):
    response = client.post(reverse("account_signup"), NEW | change)
    assert list(response.context["form"].errors) == [field]
    assert User.objects.count() == 0


def test_an_address_is_taken_in_any_case_of_letters(client):
    make_user().emailaddress_set.update(email="luna@example.org")
    User.objects.update(email="luna@example.org")
    response = client.post(reverse("account_signup"), NEW | {"email": "LUNA@example.org"})
    assert list(response.context["form"].errors) == ["email"]
    assert User.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_simultaneous_sign_ups_with_one_address_make_one_account():
    def sign_up(_: int) -> int:
        try:
            return Client().post(reverse("account_signup"), NEW).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(sign_up, range(4)))
    assert User.objects.count() == 1
    assert set(statuses) <= {200, 302}


def test_signing_in_works_with_any_case_and_rotates_the_session(client):
    user = make_user()
    client.get(reverse("account_login"))
    client.post(reverse("accounts:preferences"), {"theme": "dark"})
    session = client.session
    session["before"] = 1
    session.save()
    before = session.session_key
    response = client.post(reverse("account_login"), {"login": user.email.upper(), "password": PASSWORD})
    assert response.status_code == 302
    assert client.session["_auth_user_id"] == str(user.pk)
    assert client.session.session_key != before


def test_an_unknown_address_and_a_wrong_password_get_the_same_answer(client):
    user = make_user()
    answers = [
        client.post(reverse("account_login"), {"login": login, "password": "wrong-word-99"})
        for login in (user.email, "nobody@example.org")
    ]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].context["form"].errors == answers[1].context["form"].errors != {}


def test_reset_answers_alike_for_known_and_unknown_and_the_link_works_once(client):
    user = make_user()
    for email in ("nobody@example.org", user.email.upper()):
        response = client.post(reverse("account_reset_password"), {"email": email})
        assert (response.status_code, response.url) == (302, reverse("account_reset_password_done"))
    path = link("/account/password/reset/key/")
    response = client.get(path, follow=True)
    form = response.redirect_chain[-1][0]
    done = client.post(form, {"password1": "nuova-parola-77", "password2": "nuova-parola-77"})
    assert done.url == reverse("account_reset_password_from_key_done")
    user.refresh_from_db()
    assert user.check_password("nuova-parola-77")
    assert Client().get(path, follow=True).context["token_fail"] is True


def test_the_link_in_the_mail_confirms_the_address(client):
    client.post(reverse("account_signup"), NEW)
    user = User.objects.get()
    path = link("/account/confirm-email/")
    client.get(path)
    assert not users.is_confirmed(user)  # a link preview confirms nothing
    client.post(path)
    assert users.is_confirmed(user)


def ask_to_change_address(client: Client, user: User, email: str) -> None:
    """Sign in, ask; the site wants the password again first and then does what was asked."""
    client.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
    response = client.post(reverse("account_email"), {"email": email, "action_add": ""})
    assert response.url.startswith(reverse("account_reauthenticate"))
    assert mail.outbox == []
    client.post(response.url, {"password": PASSWORD})


def test_a_changed_address_counts_once_it_is_confirmed(client):
    user = make_user()
    ask_to_change_address(client, user, "New@Example.org")
    user.refresh_from_db()
    assert user.email != "new@example.org"
    client.post(link("/account/confirm-email/"))
    user.refresh_from_db()
    assert user.email == "new@example.org"
    assert users.is_confirmed(user)
    assert EmailAddress.objects.filter(user=user).count() == 1


def test_an_address_that_became_another_account_cannot_be_confirmed(client):
    user = make_user()
    ask_to_change_address(client, user, "new@example.org")
    path = link("/account/confirm-email/")
    users.create(email="new@example.org", name="Other", password=None)
    assert client.post(path).status_code in {200, 302}
    user.refresh_from_db()
    assert user.email != "new@example.org"


def code_for(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, next(yield_hotp_counters_from_time())))


def test_the_second_factor_is_asked_for_and_a_recovery_code_works_once(client):
    user = make_user()
    factor = second_factor.switch_on(user=user)
    assert len(factor.recovery_codes) == 10
    for code, is_in in (
        (factor.recovery_codes[0], True),
        (factor.recovery_codes[0], False),
        (code_for(factor.totp_secret), True),
    ):
        visitor = Client()
        response = visitor.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
        assert response.url == reverse("mfa_authenticate")
        assert "_auth_user_id" not in visitor.session
        visitor.post(reverse("mfa_authenticate"), {"code": code})
        assert ("_auth_user_id" in visitor.session) is is_in


def test_the_secret_of_a_second_factor_is_stored_encrypted():
    factor = second_factor.switch_on(user=make_user())
    stored = str(Authenticator.objects.get(type="totp").data)
    assert factor.totp_secret not in stored


def test_the_admin_opens_to_staff_with_a_second_factor_only(client):
    staff, plain = make_user(is_staff=True, has_second_factor=False), make_user()
    client.force_login(plain)
    assert client.get("/admin/").status_code == 302
    client.force_login(staff)
    assert client.get("/admin/", follow=False).status_code == 302
    assert reverse("mfa_activate_totp") in [url for url, _ in client.get("/admin/", follow=True).redirect_chain]
    second_factor.switch_on(user=staff)
    assert client.get("/admin/").status_code == 200
    assert client.get("/admin/login/").url == "/admin/"


def test_who_must_sign_in_for_a_page_of_the_admin_gets_to_it_after_both_steps(client):
    staff = make_user(is_staff=True)
    codes = second_factor.switch_on(user=staff).recovery_codes
    door = client.get("/admin/games/match/", follow=True).redirect_chain[-1][0]
    step = client.post(door, {"login": staff.email, "password": PASSWORD, "next": "/admin/games/match/"})
    assert step.url.startswith(reverse("mfa_authenticate"))
    assert client.post(step.url, {"code": codes[0]}).url == "/admin/games/match/"


def test_the_operators_first_account_plays_as_somebody_and_signs_in(client, monkeypatch):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    call_command("createsuperuser", email="Capo@Example.org", name="Capo", interactive=False, verbosity=0)
    client.post(reverse("account_login"), {"login": "capo@example.org", "password": PASSWORD})
    user = User.objects.get()
    assert (user.email, user.is_superuser, user.player.slug) == ("capo@example.org", True, "capo")
    assert client.get("/api/v1/me/").status_code == 200
    assert client.get("/settings/").status_code == 200


@pytest.fixture
def sign_in_limits(settings):
    """The limits of the site, which tests have switched off, on empty counters."""
    from config.settings import apps

    settings.ACCOUNT_RATE_LIMITS = apps.ACCOUNT_RATE_LIMITS
    cache.clear()
    yield
    cache.clear()


def test_guessing_is_slowed_down_for_known_and_unknown_addresses_alike(sign_in_limits):
    user = make_user()
    seen = []
    for email in (user.email, "nobody@example.org"):
        cache.clear()
        client = Client()
        for _ in range(5):
            client.post(reverse("account_login"), {"login": email, "password": "wrong-word-99"})
        answer = client.post(reverse("account_login"), {"login": email, "password": PASSWORD})
        assert "_auth_user_id" not in client.session
        seen.append((answer.status_code, answer.context["form"].errors if answer.context else None))
    assert seen[0] == seen[1]
    cache.clear()
    client.post(reverse("account_login"), {"login": user.email, "password": PASSWORD})
    assert client.session["_auth_user_id"] == str(user.pk)


@pytest.mark.parametrize("host", ["127.0.0.1:9", "localhost:8125"])
def test_links_in_mails_lead_to_the_sites_own_address(client, settings, host):
    user = make_user(email="luna@example.org")
    client.post(reverse("account_signup"), NEW | {"email": "new@example.org"}, headers={"Host": host})
    client.post(reverse("account_reset_password"), {"email": user.email}, headers={"Host": host})
    links = [re.findall(r"https?://\S+", str(sent.body)) for sent in mail.outbox]
    for found in links:
        assert found[0].startswith(f"{settings.BASE_URL}/account/")
        assert found[1:] == [f"{settings.BASE_URL}/"]
    assert len(links) == 2
