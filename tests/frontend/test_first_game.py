"""The guided first game in a browser: by mouse, by keyboard, by touch, and without a script."""

from typing import Any

import pytest
from django.utils import translation
from playwright.sync_api import Page, expect

from games import faces
from games.learn import first_game
from tests.frontend.conftest import Open, evaluate, violations

pytestmark = pytest.mark.django_db(transaction=True)

PATH = "/learn/first-game/"
RIGHT = [first_game.PLAYS[2 * ply : 2 * ply + 2] for ply in (1, 7, 29, 33, 35)]


@pytest.fixture
def address(live_server: Any) -> str:
    """The site itself, not the pages of the design."""
    return str(live_server.url)


def names(page: Page) -> list[str]:
    """Names of the cards in hand."""
    return [str(button.get_attribute("aria-label")) for button in page.locator("[data-choice]").all()]


@pytest.mark.parametrize(
    ("size", "language", "deck"),
    [("desktop", "en", "francesi"), ("phone", "it", "napoletane"), ("landscape", "it", "bresciane")],
)
def test_the_game_is_played_to_its_end(open_page: Open, size: str, language: str, deck: str) -> None:
    page = open_page(PATH, size=size, language=language, deck=deck)
    own = page.locator('[data-points="0"]')
    points = []
    for card in RIGHT:
        choice = page.locator(f'[data-choice="{card}"]')
        choice.tap() if size != "desktop" else choice.click()
        expect(page.locator(".lesson__message--right")).to_be_visible()
        expect(page.locator("[data-next]")).to_be_in_viewport()
        points.append(own.text_content())
        page.locator("[data-next]").press("Enter")
    assert points == ["6", "9", "36", "36", "48"]
    end = page.locator("[data-end]")
    expect(end).to_be_visible()
    expect(end.locator("h2")).to_be_focused()
    assert {"67", "53"} <= set((end.locator("h2").text_content() or "").replace(",", "").replace(".", "").split())
    expect(end.get_by_role("link", name="Sign up" if language == "en" else "Registrati")).to_be_visible()
    expect(page.locator(".lesson")).to_be_hidden()
    end.locator("[data-again]").click()
    expect(page.locator("[data-choice]")).to_have_count(3)
    assert evaluate(page, "document.documentElement.scrollWidth <= innerWidth") is True


def test_the_game_is_played_by_keyboard_alone_and_spoken(open_page: Open) -> None:
    page = open_page(PATH, language="it")
    live = page.locator("#live")
    for step, card in enumerate(RIGHT):
        hand = [button.get_attribute("data-choice") for button in page.locator("[data-choice]").all()]
        wrong = next(at for at, held in enumerate(hand) if held != card)
        page.keyboard.press(str(wrong + 1))
        expect(live).to_contain_text(italian(str(hand[wrong])))
        expect(page.locator(f'[data-choice="{hand[wrong]}"]')).to_be_focused()
        page.keyboard.press(str(hand.index(card) + 1))
        expect(live).to_contain_text(italian(card))
        expect(page.locator("[data-next]")).to_be_focused()
        page.keyboard.press("Enter")
        if step < 4:
            expect(page.locator("[data-choice]").first).to_be_focused()
            expect(live).to_contain_text(str(page.locator("[data-title]").text_content()))
    expect(page.locator("[data-end] h2")).to_be_focused()
    assert page.locator("[data-end] h2").text_content() == "Vinci la tua prima smazzata, 67 a 53."


def italian(code: str) -> str:
    """The Italian name of a card, as the page must say it."""
    with translation.override("it"):
        return faces.card_name(code)


def test_a_wrong_card_costs_nothing_and_says_why(open_page: Open) -> None:
    page = open_page(PATH)
    page.locator('[data-choice="4C"]').click()
    message = page.locator("[data-message]")
    expect(message).to_have_text(
        "Four of cups. The opponent takes, 2 points. Look for a higher card of the suit that was led."
    )
    assert [page.locator(f'[data-points="{seat}"]').text_content() for seat in (0, 1)] == ["0", "0"]
    assert page.locator('[data-choice="4C"]').get_attribute("aria-disabled") == "true"
    page.locator('[data-choice="4C"]').click(force=True)
    expect(page.locator("[data-next]")).to_be_hidden()
    assert names(page) == ["King of cups", "Four of cups", "Seven of swords"]


def test_the_table_shows_what_the_engine_dealt(open_page: Open) -> None:
    page = open_page(PATH)
    for card in RIGHT[:-1]:
        page.locator(f'[data-choice="{card}"]').click()
        page.locator("[data-next]").click()
    deal = first_game.deal_before(35)
    with translation.override("en"):
        assert names(page) == [faces.card_name(code) for code in deal.observe(0).hand]
    assert page.locator("[data-slot='1'] .card").get_attribute("data-card") == deal.observe(0).table[0][1] == "FS"
    assert [page.locator(f'[data-points="{seat}"]').text_content() for seat in (0, 1)] == ["36", "53"]
    expect(page.locator("[data-stock]")).to_contain_text("the stock is empty")
    page.locator('[data-choice="RD"]').click()
    expect(page.locator("[data-message]")).to_contain_text("You lose the deal, 57 to 63.")


@pytest.mark.parametrize(("size", "theme", "language"), [("phone", "dark", "it"), ("desktop", "light", "en")])
def test_no_step_shuts_anybody_out(open_page: Open, size: str, theme: str, language: str) -> None:
    page = open_page(PATH, size=size, theme=theme, language=language)
    found = {"start": violations(page)}
    page.locator('[data-choice="7S"]').click()
    found["wrong"] = violations(page)
    page.locator(f'[data-choice="{RIGHT[0]}"]').click()
    found["right"] = violations(page)
    for card in RIGHT[1:]:
        page.locator("[data-next]").click()
        page.locator(f'[data-choice="{card}"]').click()
    found["last"] = violations(page)
    page.locator("[data-next]").click()
    found["end"] = violations(page)
    assert [place for place, wrong in found.items() if wrong] == [], found
    assert sum(evaluate(page, "window.shifts")) <= 0.02


def test_without_a_script_it_is_an_illustrated_list(open_page: Open) -> None:
    page = open_page(PATH, script=False, size="phone")
    steps = page.locator(".guided__step")
    expect(steps).to_have_count(5)
    expect(page.locator(".lesson")).to_be_hidden()
    first = steps.first
    expect(first.get_by_text("King of cups.")).to_be_hidden()
    first.get_by_text("Show the answer").click()
    expect(first.get_by_text("King of cups.")).to_be_visible()
    expect(first.get_by_text("You take, 6 points.")).to_be_visible()
    expect(page.locator("[data-end]")).to_be_visible()
    expect(page.locator("[data-again]")).to_be_hidden()


def test_on_paper_it_is_the_list(open_page: Open) -> None:
    page = open_page(PATH)
    page.emulate_media(media="print")
    expect(page.locator(".lesson")).to_be_hidden()
    expect(page.locator(".guided__step").nth(4)).to_be_visible()
    assert evaluate(page, "getComputedStyle(document.querySelector('.position__felt')).backgroundImage") == "none"


def test_the_whole_lesson_fits_the_screen_of_a_phone(open_page: Open) -> None:
    page = open_page(PATH, size="phone", language="it")
    page.locator(f'[data-choice="{RIGHT[0]}"]').tap()
    page.locator("[data-next]").tap()
    expect(page.locator("[data-title]")).to_be_in_viewport()
    expect(page.locator("[data-choice]").last).to_be_in_viewport(ratio=0.9)
    sizes = evaluate(page, "[...document.querySelectorAll('[data-choice]')].map((one) => one.offsetWidth)")
    assert min(sizes) >= 44


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_a_word_opens_and_closes_without_a_script(open_page: Open, size: str) -> None:
    page = open_page("/learn/rules/", size=size, script=False)
    meaning = page.get_by_text("The suit that beats the other three")
    expect(meaning).to_be_hidden()
    page.get_by_role("button", name="Trump", exact=True).click()
    expect(meaning).to_be_visible()
    expect(meaning).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    expect(meaning).to_be_hidden()


def test_an_open_word_and_open_answers_shut_nobody_out(open_page: Open) -> None:
    page = open_page("/learn/tips/", theme="dark")
    for answer in page.locator(".answer summary").all():
        answer.click()
    page.locator(".term").first.click()
    assert violations(page) == []


@pytest.mark.parametrize(
    "name", ["", "first-game/", "rules/?rules=n%3D4", "how-to-play/", "scoring/", "tips/", "pairs/"]
)
def test_no_page_is_wider_than_a_narrow_phone(open_page: Open, name: str) -> None:
    page = open_page(f"/learn/{name}", size="narrow", language="it")
    for answer in page.locator(".answer summary").all():
        if answer.is_visible():
            answer.click()
    assert evaluate(page, "document.documentElement.scrollWidth") == 320


@pytest.mark.parametrize("width", [320, 700, 860, 1280])
def test_the_cards_of_the_index_lie_beside_the_words(open_page: Open, width: int) -> None:
    page = open_page("/learn/", language="it")
    page.set_viewport_size({"width": width, "height": 800})
    expression = "[...document.querySelectorAll('%s')].map((one) => one.getBoundingClientRect().toJSON())"
    cards = evaluate(page, expression % ".start .fan__card")
    (words,), (whole,) = evaluate(page, expression % ".start__text"), evaluate(page, expression % ".start")
    beside = min(card["left"] for card in cards) >= words["right"]
    below = min(card["top"] for card in cards) >= words["bottom"]
    assert beside or below
    assert max(card["right"] for card in cards) <= whole["right"]
