"""The table against the real site: two people in two browsers, from the first card to the rating of the match."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from games.engine import verify_match
from games.models import Match
from games.selectors import records
from tests.conftest import poll
from tests.games.streaming import session_of
from tests.games.tables import make_practice, make_table, now

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture
def sit(browser: Browser, site: str) -> Iterator[Any]:
    """`sit(match, seat, language="it")`: the table as the person at this seat sees it; None only looks on."""
    contexts = []
    complaints: list[str] = []

    def seated(match: Match, seat: int | None, *, language: str = "en", width: int = 1280) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 844}, reduced_motion="reduce", has_touch=width < 900
        )
        contexts.append(context)
        cookies = {"lang": language}
        if seat is not None:
            user = match.seats.get(index=seat).player.user
            type(user).objects.filter(pk=user.pk).update(language=language, pause="short")
            cookies |= session_of(user)
        context.add_cookies([{"name": name, "value": value, "url": site} for name, value in cookies.items()])
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{message.text} {message.location['url']}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"{site}/matches/{match.code}/table/")
        expect(page.locator(".play")).to_have_class(re.compile("is-live"))
        return page

    yield seated
    for context in contexts:
        context.close()
    # The browser's own line about an answer 409; what the page makes of it is tested.
    assert [line for line in complaints if "status of 409" not in line] == []


def _is_open(page: Page) -> bool:
    return page.locator("ul.hand button[aria-disabled='false']").count() > 0


def play_on(match: Match, pages: list[Page], plays: int) -> None:
    """Whoever is on turn taps the first card, so many times or until the deal is over."""
    for _ in range(plays):
        found = now(match)
        if found.in_play is None or found.turn is None:
            return
        page, before = pages[found.turn], len(found.row.plays) if found.row else 0
        poll(lambda page=page: _is_open(page))
        page.locator("ul.hand button").first.click()
        poll(lambda before=before: len(now(match).row.plays) > before)  # type: ignore[union-attr]
        page.keyboard.press("Space")


def test_two_people_play_a_whole_match(sit: Any) -> None:
    match = make_table(clock="180+5")
    pages = [sit(match, 0, language="it"), sit(match, 1, width=390)]
    for page in pages:
        page.locator("ul.hand button").first.focus()
    while not now(match).match.is_over:
        play_on(match, pages, 40)
        for page in pages:
            expect(page.locator("#result-title")).to_be_visible()
        if now(match).match.is_over:
            break
        pages[0].get_by_role("button", name="Pronto").click()
        pages[1].get_by_role("button", name="Ready").click()
        for page in pages:
            expect(page.locator("[data-result]")).to_be_hidden()
    match.refresh_from_db()
    winner = match.seats.get(side=match.winner_side).index
    titles = [("Partita vinta", "Partita persa"), ("You win the match", "You lose the match")]
    for seat, page in enumerate(pages):
        expect(page.locator("#result-title")).to_have_text(titles[seat][0 if seat == winner else 1])
    bundle = records.bundle(match, None)
    assert bundle is not None
    assert verify_match(bundle) == []


def test_both_browsers_and_a_spectator_see_the_same_trick_and_no_other_hand(sit: Any) -> None:
    match = make_table()
    pages = [sit(match, 0), sit(match, 1)]
    watching = sit(match, None)
    play_on(match, pages, 5)
    found = now(match)
    assert found.deal is not None
    for seat, page in enumerate([*pages, watching]):
        expect(page.locator("[data-tricks] li")).to_have_count(2)
        expect(page.locator(".slot .card")).to_have_count(1)
        shown = set(page.locator("[data-board] img").evaluate_all("(all) => all.map((one) => one.dataset.card)"))
        source = page.content()
        for other in range(2):
            if seat != other:
                hidden = set(found.deal.observe(other).hand) - set(found.deal.observe(other).known)
                hidden -= {found.deal.observe(other).upcard}
                assert not hidden & shown
                assert not [card for card in hidden if f'data-card="{card}"' in source.split("<script")[0]]


def test_a_reload_and_a_second_device_show_the_table_as_it_is(sit: Any) -> None:
    match = make_table()
    pages = [sit(match, 0), sit(match, 1)]
    play_on(match, pages, 3)
    first = pages[now(match).turn or 0]
    hand = "(all) => all.map((one) => one.dataset.card)"
    before = first.locator("ul.hand button").evaluate_all(hand)
    first.reload()
    expect(first.locator("ul.hand button")).to_have_count(len(before))
    assert sorted(first.locator("ul.hand button").evaluate_all(hand)) == sorted(before)
    again = sit(match, now(match).turn, width=390)
    assert sorted(again.locator("ul.hand button").evaluate_all(hand)) == sorted(before)


def test_giving_up_a_match_ends_it_for_both(sit: Any) -> None:
    match = make_table()
    pages = [sit(match, 0), sit(match, 1)]
    pages[0].get_by_role("button", name="Resign", exact=True).click()
    pages[0].get_by_role("button", name="Resign the match").click()
    expect(pages[0].locator("#result-title")).to_have_text("You lose the match")
    expect(pages[1].locator("#result-title")).to_have_text("You win the match")
    expect(pages[1].locator("[data-result]")).to_contain_text("Awarded: Resigned")


def test_practice_takes_a_card_back_and_opens_the_hands(sit: Any) -> None:
    match = make_practice()
    if now(match).turn != 0:  # nobody plays for the bot here
        from tests.games.tables import play_card

        play_card(match)
    page = sit(match, 0)
    page.locator("ul.hand button").first.click()
    poll(lambda: now(match).turn != 0 or len(now(match).row.plays) > 2)  # type: ignore[union-attr]
    page.keyboard.press("Space")
    page.keyboard.press("u")
    expect(page.locator("#live")).to_have_text(re.compile("Taken back"))
    expect(page.locator("ul.hand button")).to_have_count(3)
    poll(lambda: now(match).turn == 0)
    page.keyboard.press("h")
    expect(page.locator(".backs--open img")).to_have_count(now(match).deal.hands[1].__len__())  # type: ignore[union-attr]
    match.refresh_from_db()
    assert set(match.aids) == {"undo", "hands"}


def test_settings_are_kept_on_the_account(sit: Any) -> None:
    match = make_table()
    page = sit(match, 0)
    user = match.seats.get(index=0).player.user
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("dialog").get_by_label("Blue").check(force=True)
    page.get_by_role("dialog").get_by_label("Left-handed").check()
    poll(lambda: type(user).objects.get(pk=user.pk).left_handed)
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    page.keyboard.press("d")
    poll(lambda: type(user).objects.get(pk=user.pk).deck == "bresciane")
    page.reload()
    assert page.locator("html").get_attribute("data-felt") == "blue"
    expect(page.locator(".play")).to_have_class(re.compile("play--left"))
    assert "/bresciane/" in (page.locator("ul.hand img").first.get_attribute("src") or "")


def test_a_match_begins_when_everybody_is_ready(sit: Any) -> None:
    match = make_table(is_started=False)
    pages = [sit(match, 0, language="it"), sit(match, 1)]
    names = [seat.player.name for seat in match.seats.select_related("player").order_by("index")]
    expect(pages[0].locator("#result-title")).to_have_text(f"In attesa di {names[1]}")
    pages[0].get_by_role("button", name="Pronto").click()
    expect(pages[0].get_by_role("button", name="Pronto")).to_have_count(0)
    expect(pages[1].locator("[data-result]")).to_contain_text(f"Ready: {names[0]}")
    pages[1].keyboard.press("Space")
    for page in pages:
        expect(page.locator("[data-result]")).to_be_hidden()
        expect(page.locator("ul.hand button")).to_have_count(3)
    play_on(match, pages, 2)
    expect(pages[0].locator("[data-tricks] li")).to_have_count(1)


def test_two_tabs_play_the_same_place_at_once_and_one_card_is_played(sit: Any) -> None:
    match = make_table()
    turn = now(match).turn or 0
    one, two = sit(match, turn), sit(match, turn)
    for page, place in [(one, 0), (two, 1)]:
        poll(lambda page=page: _is_open(page))
        # An event, not a click: that would wait, in a tab that has heard of the other's card, for a hand that is open.
        page.locator("ul.hand button").nth(place).dispatch_event("click")
    poll(lambda: len(now(match).row.plays) == 2)  # type: ignore[union-attr]
    for page in (one, two):
        expect(page.locator("ul.hand button")).to_have_count(2)
        expect(page.locator(".slot--bottom .card")).to_have_count(1)
