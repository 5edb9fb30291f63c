"""Pages of a tournament in a real browser: what changes by itself, what is explained, all of it without script too."""

import random
import re

import pytest

from games.models import Match
from league.services import results, tournaments
from league.services.ratings import periods
from tests.conftest import poll
from tests.league.playing import make_tournament, play

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def half_played(clean_valkey):
    """A tournament with one match still to be played; `finish` plays it."""
    tournament, organiser = make_tournament(3)
    tournaments.start(tournament=tournament, actor=organiser)
    rng = random.Random(2)
    waiting = list(Match.objects.order_by("pk"))
    for match in waiting[:-1]:
        play(match, rng)
    results.apply_pending()

    def finish():
        play(waiting[-1], rng)
        results.apply_pending()
        periods.sweep()

    return tournament, finish


def test_a_page_follows_the_tournament_without_being_loaded_again(page, site, half_played):
    tournament, finish = half_played
    page.goto(f"{site}/tournaments/{tournament.code}/rounds/?round=3")
    assert page.locator("#status .chip--playing").count() == 1
    page.locator("body").evaluate("(body) => { body.dataset.mark = 'same'; }")
    finish()
    poll(lambda: page.locator("#status .chip--finished").count() == 1, limit=15)
    assert page.locator("body").get_attribute("data-mark") == "same"
    assert page.locator("#now [class*='mini-match--planned']").count() == 0
    assert page.locator("#now").get_attribute("hx-get") is None


def test_the_arithmetic_opens_below_the_table_or_on_a_page_of_its_own(page, site, half_played, browser):
    tournament, finish = half_played
    finish()
    address = f"{site}/tournaments/{tournament.code}/"
    page.goto(address)
    page.locator("a[id^=why-]").nth(1).click()
    page.locator("#explained details").first.wait_for()
    assert page.url == address
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(address)
    plain.locator("a[id^=why-]").nth(1).click()
    assert re.search(r"/standings/\d+/\?after=3$", plain.url)
    assert plain.locator("h1").count() == 1
    assert plain.locator("details[open]").count() >= 1
    context.close()
