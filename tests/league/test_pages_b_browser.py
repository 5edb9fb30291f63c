"""Pages of matches, rankings and bots in a browser: accessible in both themes, narrow too; decks verified there."""

import pytest
from playwright.sync_api import expect

from games.services import matches as verbs
from tests.factories import make_bot_match
from tests.frontend.conftest import evaluate, violations
from tests.league.played import faulty_match, matches_of, play_deal, played_tournament

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_valkey")]


@pytest.fixture
def speak(page, live_server):
    """Open a page of the site in a language and a theme, at a width."""

    def opened(path, *, language="it", theme="light", width=1280):
        page.set_viewport_size({"width": width, "height": 844})
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.context.add_cookies([{"name": "lang", "value": language, "url": live_server.url}])
        page.goto(live_server.url + path)
        return page

    return opened


def test_every_page_is_accessible_in_both_themes_and_needs_no_sideways_scrolling(speak):
    tournament = played_tournament(3)
    match = matches_of(tournament)[0]
    bot = tournament.entries.first().version.bot
    faulty = faulty_match()
    addresses = [
        "/matches/", f"/matches/?player={bot.player.slug}", "/matches/?player=nobody", match.get_absolute_url(),
        faulty.get_absolute_url(), "/rankings/", "/rankings/?pool=human", "/bots/", bot.get_absolute_url(),
        bot.owner.player.get_absolute_url(), "/status/", "/learn/rules/", "/learn/glossary/",
    ]  # fmt: skip
    for number, address in enumerate(addresses):
        language, theme = ("it", "dark") if number % 2 else ("en", "light")
        page = speak(address, language=language, theme=theme)
        assert violations(page) == [], address
        page = speak(address, language=language, theme="light" if theme == "dark" else "dark", width=320)
        assert violations(page) == [], address
        assert evaluate(page, "document.documentElement.scrollWidth") <= 320, address


@pytest.mark.parametrize("make", [lambda: matches_of(played_tournament(3))[0], faulty_match])
def test_the_browser_verifies_a_real_match(speak, make):
    match = make()
    page = speak(f"/matches/{match.code}/replay/", language="en")
    page.get_by_role("button", name="Verify").click()
    expect(page.get_by_text("The deck matches: nothing was changed.")).to_be_visible()


def test_the_page_of_a_match_in_play_follows_by_itself(speak):
    match = make_bot_match()
    verbs.start(match=match)
    page = speak(match.get_absolute_url(), language="en")
    expect(page.get_by_text("The first deal is still to come.")).to_be_visible()
    play_deal(match)
    expect(page.get_by_role("link", name="Replay of deal 1")).to_be_visible(timeout=10_000)
