"""How a game begins: a guest from the home page, two people by a link, by name and from the open seeks."""

import re
from collections.abc import Callable, Iterator

import pytest
from django.utils import translation
from playwright.sync_api import Browser, Page, expect

from games.models import Match
from league.models import Invitation
from tests.accounts.factories import make_user
from tests.conftest import poll
from tests.e2e.conftest import DESKTOP, PHONE, VIEWS, Visitor
from tests.league.inviting import make_house_bots
from tests.league.test_invitations_practice import finished

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
TABLE = re.compile(r"/matches/[0-9A-Z]{8}/table/$")


@pytest.fixture
def also(browser: Browser, site: str) -> Iterator[Callable[..., Visitor]]:
    """`also(language, size)`: another visitor, in a browser of their own."""
    contexts = []

    def arrive(language: str, size: tuple[int, int]) -> Visitor:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]})
        contexts.append(context)
        context.add_cookies([{"name": "lang", "value": language, "url": site}])
        return Visitor(context.new_page(), site, language)

    yield arrive
    for context in contexts:
        context.close()


def is_at_the_table(page: Page, cards: int = 3) -> str:
    """The page is a table with an own hand; its match."""
    expect(page).to_have_url(TABLE)
    expect(page.locator("ul[data-hand] button")).to_have_count(cards)
    return page.url.split("/")[-3]


@pytest.mark.complaints("status of 409")
@pytest.mark.parametrize(("language", "size"), VIEWS)
def test_a_guest_plays_from_the_home_page_and_keeps_the_game(come, language: str, size: tuple[int, int]) -> None:
    make_house_bots()
    visitor = come(language, size)
    page = visitor.page
    visitor.open("/")
    visitor.fits()
    visitor.press("Play now")
    code = is_at_the_table(page)

    visitor.open("/")
    visitor.sees("Your games")
    page.locator("main").get_by_role("link", name=re.compile(f"^{visitor.say('Resume')}")).click()
    assert is_at_the_table(page) == code

    visitor.open("/play/")
    visitor.fits()
    page.locator("main").get_by_text(visitor.say("Two against two"), exact=True).first.click()
    expect(page.get_by_label(visitor.say("Partners tell each other their trumps"))).to_be_visible()
    panel = page.locator("form[action='/practice/']")
    panel.get_by_role("button").last.click()
    visitor.sees("You have a game in play.")
    visitor.fits()
    visitor.press("Give it up and begin another one")
    second = is_at_the_table(page)
    assert second != code
    assert Match.objects.get(code=code).termination == "resign"
    assert Match.objects.get(code=second).seats.count() == 4

    user = make_user("Luna Rossa", language=language)
    visitor.sign_in(user)
    visitor.sees("Keep the practice game?")
    visitor.press("Keep it")
    with translation.override(language):
        kept = translation.ngettext("%(count)d game is yours now.", "%(count)d games are yours now.", 2) % {"count": 2}
    expect(page.locator("main")).to_contain_text(kept)
    assert Match.objects.get(code=second).seats.get(index=0).player.user == user


@pytest.mark.parametrize("language", ["it", "en"])
def test_two_people_meet_by_a_link_and_again_by_a_rematch(come, also, language: str) -> None:
    people = make_user("Luna Rossa", language=language), make_user("Marco Riva", language=language)
    luna, marco = come(language, DESKTOP), also(language, PHONE)
    for visitor, person in zip((luna, marco), people, strict=True):
        visitor.open("/account/login/")
        visitor.sign_in(person)

    luna.open("/play/")
    luna.press("Ask to play")
    luna.sees("Waiting for an answer")
    luna.fits()
    link = luna.page.locator("#invitation-link").inner_text()
    assert link.startswith(luna.site)

    marco.page.goto(link)
    marco.sees("%(name)s wants to play", name="Luna Rossa")
    marco.fits()
    marco.press("Accept and play")
    expect(marco.page).to_have_url(TABLE)
    expect(luna.page).to_have_url(marco.page.url)  # by itself
    code = marco.page.url.split("/")[-3]
    for visitor in (luna, marco):
        visitor.press("Ready")
    for visitor in (luna, marco):
        assert is_at_the_table(visitor.page) == code

    finished(Match.objects.get(code=code))
    for visitor in (luna, marco):
        visitor.page.reload()
    luna.press("Rematch")
    poll(lambda: Invitation.objects.filter(kind="rematch").exists())
    marco.press("Rematch")
    for visitor in (luna, marco):
        expect(visitor.page).not_to_have_url(re.compile(code))
        assert is_at_the_table(visitor.page) != code
    assert luna.page.url == marco.page.url


@pytest.mark.parametrize("language", ["it", "en"])
def test_an_open_seek_and_a_challenge_by_name_appear_by_themselves(come, also, language: str) -> None:
    people = make_user("Luna Rossa", language=language), make_user("Marco Riva", language=language)
    luna, marco = come(language, PHONE), also(language, DESKTOP)
    for visitor, person in zip((luna, marco), people, strict=True):
        visitor.open("/account/login/")
        visitor.sign_in(person)
        visitor.open("/play/")

    marco.page.locator("main").get_by_text(marco.say("Anybody here"), exact=True).click()
    marco.press("Ask to play")
    expect(luna.button("Sit down", also="Marco Riva")).to_be_visible(timeout=10_000)
    marco.press("Withdraw")
    expect(luna.button("Sit down", also="Marco Riva")).to_have_count(0, timeout=10_000)

    marco.page.locator("main").get_by_text(marco.say("By name"), exact=True).click()
    marco.fill("Names", "Luna Rossa")
    marco.press("Ask to play")
    expect(luna.page.get_by_text(luna.say("You are challenged"))).to_be_visible(timeout=10_000)
    luna.page.locator("main form[action$='/accept/'] button").first.click()
    expect(luna.page).to_have_url(TABLE)
    expect(marco.page).to_have_url(luna.page.url)
