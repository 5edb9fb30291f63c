"""Signing up by e-mail, confirming, signing in, choosing language and deck, a new password."""

import re

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from playwright.sync_api import expect

from accounts.models import User
from tests.accounts.factories import PASSWORD, make_user
from tests.conftest import poll
from tests.e2e.conftest import VIEWS, link_in
from tests.e2e.test_every_page import WHOLE, Look, complaints
from tests.frontend.conftest import AXE

__all__ = ["complaints"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
NEW = "un-altra-parola-7"


@pytest.mark.parametrize(("language", "size"), VIEWS)
def test_from_signing_up_to_a_new_password(mail, come, language: str, size: tuple[int, int]) -> None:
    visitor = come(language, size)
    page, say = visitor.page, visitor.say
    visitor.open("/account/signup/")
    page.locator("#id_name").fill("Luna Rossa")
    page.locator("#id_email").fill("luna@example.org")
    page.locator("#id_password1").fill(PASSWORD)
    page.locator("#id_password2").fill(PASSWORD)
    visitor.press("Make the account")
    expect(page.get_by_role("button", name=say("Account of %(name)s", name="Luna Rossa"))).to_be_visible()

    visitor.open("/settings/")
    visitor.sees("Send the mail again")
    letter = mail(say("Welcome to Bella: confirm your address"))
    visitor.open(link_in(letter))
    visitor.press("Yes, confirm it")
    assert EmailAddress.objects.get(email="luna@example.org").verified
    visitor.open("/settings/")
    expect(visitor.button("Send the mail again")).to_have_count(0)

    page.locator("#id_deck").select_option("bresciane")
    page.locator("#id_theme").select_option("dark")
    page.locator("form").filter(has=page.locator("#id_deck")).get_by_role("button").click()
    expect(page.locator("html")).to_have_attribute("data-deck", "bresciane")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    other = {"it": "en", "en": "it"}[language]
    page.get_by_role("button", name=say("Language, theme and deck")).click()
    page.locator(f"#preferences button[value={other}]").click()
    expect(page.locator("html")).to_have_attribute("lang", other)
    visitor.language = other
    visitor.fits()

    visitor.open("/account/logout/")
    visitor.press("Sign out")
    visitor.open("/account/password/reset/")
    page.locator("#id_email").fill("luna@example.org")
    visitor.press("Send the link")
    visitor.sees("Look into your mail")
    visitor.open(link_in(mail(visitor.say("A new password"))))
    expect(page).to_have_url(re.compile("-set-password/$"))
    page.locator("#id_password1").fill(NEW)
    page.locator("#id_password2").fill(NEW)
    visitor.press("Save the new password")
    visitor.sign_in(User.objects.get(), NEW)
    expect(page.locator("html")).to_have_attribute("lang", other)
    user = User.objects.get()
    assert (user.language, user.deck, user.theme) == (other, "bresciane", "dark")


@pytest.mark.complaints
@pytest.mark.parametrize(("language", "size"), VIEWS)
def test_a_second_step_at_signing_in(come, complaints, language: str, size: tuple[int, int]) -> None:
    visitor = come(language, size)
    page = visitor.page
    page.emulate_media(reduced_motion="reduce")

    def is_accessible() -> None:
        visitor.fits()
        look = Look(page)
        look.ask(AXE)
        assert look.axe(WHOLE) == []
        look.session.detach()

    user = make_user("Ada Bruni", is_staff=True, has_second_factor=False)
    visitor.sign_in(user)
    visitor.open("/settings/")
    visitor.sees("Your rights as staff rest until you switch on two-factor sign-in; so does the administration.")
    visitor.follow("Set it up")
    expect(page).to_have_url(re.compile("/account/reauthenticate/"))
    page.locator("#id_password").fill(PASSWORD)
    page.locator("main form button").first.click()
    expect(page).to_have_url(re.compile("/2fa/totp/activate/$"))
    is_accessible()
    secret = page.locator("#totp-secret").inner_text().strip()
    counters = [*yield_hotp_counters_from_time()]
    # the code of this half minute: that of the one before, which comes first, may have passed when it is read
    page.locator("#id_code").fill(format_hotp_value(hotp_value(secret, counters[len(counters) // 2])))
    visitor.press("Switch it on")
    poll(lambda: User.objects.get().acts_as_staff, limit=5)
    visitor.open("/account/2fa/recovery-codes/")
    is_accessible()
    code = RecoveryCodes(Authenticator.objects.get(user=user, type="recovery_codes")).get_unused_codes()[0]
    expect(page.locator("main")).to_contain_text(code)

    visitor.open("/account/logout/")
    visitor.press("Sign out")
    visitor.open("/account/login/")
    page.locator("#id_login").fill(user.email)
    page.locator("#id_password").fill(PASSWORD)
    page.locator("main form button").first.click()
    visitor.sees("Enter the code that your app shows, or one of your recovery codes.")
    is_accessible()
    page.locator("#id_code").fill("000000")
    visitor.press("Sign in")
    expect(page.locator("#id_code")).to_have_attribute("aria-invalid", "true")
    page.locator("#id_code").fill(code)
    visitor.press("Sign in")
    visitor.open("/admin/")
    expect(page.locator("#site-name")).to_be_visible()
    assert complaints == []
