"""What the table looks like: readable at every size, light to load, drawn by the server as by the modules."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import brotli
import pytest
from django.contrib.staticfiles import finders
from playwright.sync_api import Page, expect

from league.views.table import MODULES
from tests.frontend.conftest import Open, evaluate, violations
from tests.frontend.table_game import TableGame
from tests.frontend.test_table import PATH, NewGame, card, new_game, opened

__all__ = ["new_game"]
pytestmark = pytest.mark.django_db(transaction=True)

WEIGHT = 40 * 1024


def _trick(page: Page, game: TableGame) -> None:
    card(page).click()
    expect(page.locator(".slot--win")).to_have_count(1)


def _deal_over(page: Page, game: TableGame) -> None:
    game.advance(40, quietly=False)
    expect(page.locator(".slot--win")).to_have_count(1)
    page.keyboard.press("Space")
    expect(page.locator("#result-title")).to_be_visible()


def _away(page: Page, game: TableGame) -> None:
    game.send("presence", counts=False, seat=1, present=False, left_ms=58_000)
    expect(page.locator("[data-bar]")).to_be_visible()


def _veiled(page: Page, game: TableGame) -> None:
    other = page.context.new_page()
    other.goto(page.url)
    expect(page.locator("[data-veil]")).to_be_visible()


def _dialog(act: str) -> Callable[[Page, TableGame], None]:
    def show(page: Page, game: TableGame) -> None:
        evaluate(page, f"document.querySelector('[data-act={act}]').click() ?? 1")
        expect(page.locator("dialog[open]")).to_be_visible()

    return show


#: Name -> (plays before, options of the match, what happens then).
STATES: dict[str, tuple[int, dict[str, Any], Callable[[Page, TableGame], None] | None]] = {
    "yours": (14, {"clock": [298_000, 15_000]}, None),
    "trick": (14, {}, _trick),
    "last three": (34, {}, None),
    "deal over": (38, {}, _deal_over),
    "away": (14, {}, _away),
    "veiled": (14, {}, _veiled),
    "four": (12, {"rules": "n=4 signals=auto"}, None),
    "practice": (14, {"mode": "practice", "open_hands": True}, None),
    "spectator": (13, {"you": None, "to_turn": False}, None),
    "last": (14, {}, _dialog("last")),
    "settings": (14, {}, _dialog("settings")),
    "keys": (14, {}, _dialog("keys")),
    "resign": (14, {}, _dialog("resign")),
}


@pytest.mark.parametrize(("size", "theme", "language"), [("desktop", "light", "it"), ("phone", "dark", "en")])
def test_no_state_shuts_anybody_out(open_page: Open, new_game: NewGame, size: str, theme: str, language: str) -> None:
    found = {}
    for name, (plays, options, then) in STATES.items():
        game = new_game(plays, **options)
        page = opened(open_page, size=size, theme=theme, language=language)
        if then:
            then(page, game)
        if name == "deal over":
            assert page.locator("#result-title").is_visible()
        if trouble := violations(page):
            found[name] = trouble
        assert evaluate(page, "document.documentElement.scrollWidth") == page.viewport_size["width"], name
        page.context.close()
    assert found == {}


@pytest.mark.parametrize("rules", ["n=2", "n=4 signals=auto"])
@pytest.mark.parametrize("size", ["narrow", "landscape", "desktop"])
def test_everything_is_on_the_screen(open_page: Open, new_game: NewGame, size: str, rules: str) -> None:
    new_game(14, rules=rules, clock=[298_000] * (4 if "4" in rules else 2))
    page = opened(open_page, size=size)
    width, height = page.viewport_size["width"], page.viewport_size["height"]
    assert evaluate(page, "document.documentElement.scrollWidth") == width
    if size != "narrow":
        assert evaluate(page, "document.documentElement.scrollHeight") == height
    outside = evaluate(
        page,
        "[...document.querySelectorAll('.seat__who, ul.hand .card, .slot, .stock, [data-points], .play__foot')]"
        ".filter((one) => one.checkVisibility()).map((one) => [one.className, one.getBoundingClientRect()])"
        f".filter(([, box]) => box.left < 0 || box.right > {width} || box.bottom > {height}).map(([name]) => name)",
    )
    assert outside == []


def test_cards_of_the_hand_overlap_nothing(open_page: Open, new_game: NewGame) -> None:
    for size, deck in [
        ("narrow", "bresciane"),
        ("phone", "napoletane"),
        ("landscape", "bresciane"),
        ("desktop", "bresciane"),
    ]:
        new_game(14, clock=[298_000, 298_000])
        page = opened(open_page, size=size, deck=deck)
        overlaps = evaluate(
            page,
            "(() => { const boxes = [...document.querySelectorAll('ul.hand .card, .slot, .stock__cards, .seat__who,"
            " .seat__score')].filter((one) => one.checkVisibility()).map((one) => [one.className,"
            " one.getBoundingClientRect()]); return boxes.flatMap(([a, x], i) => boxes.slice(i + 1).filter(([, y]) =>"
            " x.left < y.right - 2 && y.left < x.right - 2 && x.top < y.bottom - 2 && y.top < x.bottom - 2)"
            ".map(([b]) => `${a} / ${b}`)) })()",
        )
        assert overlaps == [], (size, deck)
        page.context.close()


def test_controls_are_large_enough_for_a_thumb(open_page: Open, new_game: NewGame) -> None:
    new_game(14, mode="practice")
    page = opened(open_page, size="phone")
    page.get_by_role("button", name="Menu of the table").click()
    small = evaluate(
        page,
        "[...document.querySelectorAll('.play button, .play a, .play input')].filter((one) => one.checkVisibility())"
        ".map((one) => [one.outerHTML.slice(0, 90), one.getBoundingClientRect()])"
        ".filter(([, box]) => box.height < 44 && box.width).map(([html]) => html)",
    )
    assert [html for html in small if "href" not in html] == []
    box = card(page).bounding_box()
    assert box["width"] >= 0.28 * 390


def test_page_with_its_modules_and_style_sheets_is_light(open_page: Open, new_game: NewGame) -> None:
    new_game(14)
    page = opened(open_page)
    names = evaluate(
        page,
        "performance.getEntriesByType('resource').map((one) => new URL(one.name).pathname)"
        ".filter((name) => /[.](js|css)$/.test(name))",
    )
    names = [name.removeprefix("/static/") for name in set(names)]
    assert {f"js/table/{module}.js" for module in ("main", "stage")} <= set(names)
    weight = sum(len(brotli.compress(Path(str(finders.find(name))).read_bytes())) for name in names)
    assert weight <= WEIGHT, f"{weight} bytes"
    # Each module that is loaded is announced in the head, so that none waits for another.
    assert {name for name in names if name.startswith("js/")} - set(MODULES) == {"js/table/main.js", "js/site.js"}


def test_without_script_the_state_can_be_read(open_page: Open, new_game: NewGame) -> None:
    new_game(14)
    page = open_page(PATH, script=False)
    # What stands in <noscript> is not drawn when a debugger has switched scripts off.
    assert "To play, switch on JavaScript." in page.content()
    assert page.locator("ul.hand button").count() == 3
    assert page.locator(".slot .card").count() == 1


BOARD = (
    "[...document.querySelectorAll('[data-board], [data-tricks], [data-series]')].map((part) => part.outerHTML"
    '.replace(/ (data-drawn|aria-disabled|aria-pressed|data-place|stroke-dasharray|style)="[^"]*"/g, \'\')'
    ".replace(/(<[^>]*class=\")([^\"]*)/g, (all, head, names) => head + names.trim().split(/\\s+/).sort().join(' '))"
    ".replace(/<section class=\"result\"[^]*?<\\/section>/, '').replace(/ class=\"\"/g, '')"
    ".replace(/<p [^>]*data-signals[^]*?<\\/p>/g, '').replace(/\\s+/g, ' ').replace(/> | </g, (edge) => edge.trim())"
    ".replace(/\\d:\\d\\d/g, 'TIME').replace(/ >/g, '>'))"
)


@pytest.mark.parametrize(("deck", "language"), [("napoletane", "it"), ("francesi", "en")])
@pytest.mark.parametrize("rules", ["n=2", "n=4"])
def test_the_server_draws_what_the_modules_draw(
    open_page: Open, new_game: NewGame, deck: str, language: str, rules: str
) -> None:
    for plays in (0, 14, 34, 38):
        game = new_game(plays, rules=rules, clock=[298_000] * (4 if "4" in rules else 2))
        server = open_page(PATH, deck=deck, language=language, script=False)
        # The modules come here from another state, so that they draw everything themselves.
        here, there = game.state, {"trick": [], "tricks": [], "hand": [], "won": [0, 0], "points": [0, 0], "stock": 3}
        game.extra = there
        live = opened(open_page, deck=deck, language=language)
        game.extra = {}
        game.send("state", **here())
        expect(live.locator("ul.hand button")).to_have_count(len(here()["hand"]))
        if plays:
            expect(live.locator("[data-tricks] li")).to_have_count(len(here()["tricks"]))
        assert evaluate(live, BOARD) == evaluate(server, BOARD), plays
        server.context.close()
        live.context.close()


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_playing_moves_nothing_on_the_page(open_page: Open, new_game: NewGame, size: str) -> None:
    game = new_game(24, clock=[298_000, 298_000])
    page = opened(open_page, size=size, motion="no-preference")
    evaluate(page, "document.querySelector('[name=speed][value=fast]').click() ?? 1")
    while game.deal and not game.deal.over:
        expect(card(page)).to_have_attribute("aria-disabled", "false", timeout=10_000)
        card(page).click()
        expect(page.locator(".slot--win")).to_have_count(1)
        page.locator("[data-stock]").click()
        expect(page.locator(".slot--win")).to_have_count(0)
    expect(page.locator("#result-title")).to_be_visible()
    assert sum(evaluate(page, "window.shifts")) <= 0.02
    assert re.fullmatch(r"\d+", page.locator("[data-points='0']").inner_text())
