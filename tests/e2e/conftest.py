"""A person in a browser: reads the site in a language, on a phone or a desktop."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_bytes, policy
from pathlib import Path

import pytest
from django.utils import translation
from playwright.sync_api import Locator, Page, expect

from accounts.models import User
from tests.accounts.factories import PASSWORD
from tests.bots.conftest import arena_and_registrar
from tests.conftest import poll

__all__ = ["arena_and_registrar"]

PHONE, DESKTOP = (390, 844), (1280, 800)


@dataclass
class Visitor:
    """Somebody at the site. Texts are given in English and looked for in the visitor's language."""

    page: Page
    site: str
    language: str

    def say(self, text: str, context: str = "", **values: object) -> str:
        """The text as the site says it to this visitor."""
        with translation.override(self.language):
            said = translation.pgettext(context, text) if context else translation.gettext(text)
        return said % values if values else said

    def open(self, path: str) -> None:
        """Go to an address of the site."""
        self.page.goto(self.site + path)

    def button(self, text: str, *, also: str = "", **values: object) -> Locator:
        """The button of the page's content with exactly this text, followed by `: also` where that is given."""
        name = re.compile(re.escape(self.say(text, **values)) + (rf"\s*:\s*{re.escape(also)}" if also else "") + "$")
        return self.page.locator("main").get_by_role("button", name=name)

    def press(self, text: str, *, also: str = "", **values: object) -> None:
        """Press that button."""
        self.button(text, also=also, **values).first.click()

    def follow(self, text: str, context: str = "", **values: object) -> None:
        """Follow the first link of the page's content with exactly this text."""
        self.page.locator("main").get_by_role("link", name=self.say(text, context, **values), exact=True).first.click()

    def fill(self, label: str, value: str) -> None:
        """Fill the field with this label."""
        self.page.locator("main").get_by_label(self.say(label), exact=True).fill(value)

    def sees(self, text: str, context: str = "", **values: object) -> None:
        """The text stands on the page, or comes."""
        expect(self.page.locator("main")).to_contain_text(self.say(text, context, **values))

    def sign_in(self, user: User, password: str = PASSWORD) -> None:
        """By the form, as everybody."""
        self.open("/account/login/")
        self.page.locator("#id_login").fill(user.email)
        self.page.locator("#id_password").fill(password)
        self.page.locator("main form button").first.click()
        expect(self.page.get_by_role("button", name=self.say("Account of %(name)s", name=user.name))).to_be_visible()

    def fits(self) -> None:
        """Nothing is wider than the screen."""
        self.page.wait_for_load_state()
        assert self.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, self.page.url


@pytest.fixture
def come(site: str, page: Page) -> Callable[..., Visitor]:
    """`come(language, size)`: a visitor who has not chosen anything yet but the language."""

    def arrive(language: str, size: tuple[int, int]) -> Visitor:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.context.add_cookies([{"name": "lang", "value": language, "url": site}])
        return Visitor(page, site, language)

    return arrive


@pytest.fixture
def mail(environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """`mail(subject)`: the text of the mail whose subject holds this, once the site has sent it."""
    folder = tmp_path / "mail"
    folder.mkdir()
    monkeypatch.setitem(environment, "EMAIL_URL", f"filemail://{folder}")

    def found(subject: str) -> str:
        for path in folder.iterdir():
            for raw in path.read_bytes().split(b"-" * 79 + b"\n"):
                letter = message_from_bytes(raw.strip() + b"\n", policy=policy.default)
                body = letter.get_body(("plain",)) if letter["subject"] else None
                if body is not None and subject in str(letter["subject"]):
                    return str(body.get_content())
        return ""

    return lambda subject: poll(lambda: found(subject))


def link_in(text: str) -> str:
    """The path of the first link in a mail."""
    found = re.search(r"https?://[^/\s]+(/\S+)", text)
    assert found is not None, text
    return found[1]


#: Each journey is walked in both languages and on both screens, Italian on the phone and English on the desktop. That
#: every page holds in every pair of them is the business of test_every_page.
VIEWS = [
    pytest.param(language, size, id=f"{language}-{size[0]}") for language, size in (("it", PHONE), ("en", DESKTOP))
]
