"""The replay page by keyboard, pointer and address, with and without script."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.frontend.conftest import Open, evaluate
from tests.frontend.match import analysed, replay_data

pytestmark = pytest.mark.django_db(transaction=True)

BOARD = (
    "document.querySelectorAll('[class]').forEach((node) => node.setAttribute('class', "
    "node.getAttribute('class').split(/\\s+/).sort().join(' '))) ?? "
    "[...document.querySelectorAll('[data-board], [data-tricks], [data-graph], [data-analysis-body], [data-note], '"
    "+ '.series')].map((part) => part.outerHTML"
    ".replace(/ data-drawn=\"[^\"]*\"/g, '').replace(/\\s+/g, ' ').replace(/> | </g, (edge) => edge.trim()))"
)


def at(page: Page, deal: int, ply: int) -> None:
    """The page stands there: address, count and slider agree."""
    expect(page).to_have_url(re.compile(rf"\?d={deal}&c={ply}$"))
    total = len(replay_data()["deals"][deal - 1]["plays"]) // 2
    expect(page.locator("[data-count]")).to_have_text(f"{ply} / {total}")
    expect(page.locator("[data-slider]")).to_have_value(str(ply))


def test_the_keyboard_reaches_every_position(open_page: Open) -> None:
    page = open_page("/replay/?d=1&c=7")
    keyboard = page.keyboard
    for key, deal, ply in [
        ("ArrowRight", 1, 8), ("Shift+ArrowRight", 1, 10), ("Shift+ArrowLeft", 1, 8), ("ArrowLeft", 1, 7),
        ("Shift+ArrowLeft", 1, 6), ("End", 1, 40), ("ArrowRight", 1, 40), ("Home", 1, 0), ("ArrowLeft", 1, 0),
        ("ArrowDown", 2, 0), ("ArrowRight", 2, 1), ("ArrowUp", 1, 0),
    ]:  # fmt: skip
        keyboard.press(key)
        at(page, deal, ply)
    expect(page.locator("#live")).to_have_text("Deal 1")
    keyboard.press("h")
    assert page.locator('.hand [data-card=""]').count() == 6
    keyboard.press("h")
    assert page.locator('.hand [data-card=""]').count() == 0
    keyboard.press(">")
    expect(page.locator("[data-speed]")).to_have_value("2")
    keyboard.press("<")
    expect(page.locator("[data-speed]")).to_have_value("1")
    keyboard.press("s")
    expect(page.locator(".toast")).to_have_text("Link copied")
    keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    keyboard.press("ArrowRight")
    at(page, 1, 0)
    keyboard.press("Escape")
    keyboard.press("ArrowRight")
    at(page, 1, 1)


def test_a_whole_match_speaks_every_card(open_page: Open) -> None:
    page = open_page("/replay/?d=1&c=0")
    data = replay_data()
    for ply in range(1, 41):
        page.keyboard.press("ArrowRight")
        expect(page.locator("#live")).to_have_text(re.compile(r"^\S.* plays .* of .*\."))
        at(page, 1, ply)
    expect(page.locator("[data-banner]")).to_have_text("VelaBot wins the deal, 78–42")
    assert [page.locator(f'[data-points="{seat}"]').inner_text() for seat in (0, 1)] == [
        str(points) for points in data["deals"][0]["points"]
    ]
    expect(page.locator("[data-next]")).to_have_count(0)
    assert page.locator("[data-slider]").get_attribute("aria-valuetext").startswith("Trick 20: ")


@pytest.mark.parametrize(("deck", "language"), [("napoletane", "en"), ("bresciane", "it"), ("francesi", "en")])
def test_the_server_draws_what_the_modules_draw(open_page: Open, deck: str, language: str) -> None:
    live = open_page("/replay/?d=1&c=0&analysis=made", deck=deck, language=language)
    server = open_page("/replay/?d=1&c=0", deck=deck, language=language, script=False)
    base = server.url.partition("?")[0]
    for deal, ply in [(1, 0), (1, 1), (1, 2), (1, 33), (1, 34), (1, 37), (1, 40), (2, 17), (2, 36), (3, 18)]:
        server.goto(f"{base}?d={deal}&c={ply}&analysis=made")
        # The modules come here from another position, so that they draw everything themselves.
        live.goto(f"{base}?d={deal}&c={40 if ply < 20 else 0}&analysis=made")
        live.locator("[data-slider]").evaluate(
            "(slider, ply) => { slider.value = ply; slider.dispatchEvent(new Event('input')) }", ply
        )
        at(live, deal, ply)
        assert evaluate(live, BOARD) == evaluate(server, BOARD)


def test_a_card_of_the_list_a_tab_and_the_slider_lead_there(open_page: Open) -> None:
    page = open_page("/replay/")
    page.locator('.trick[data-ply="18"]').click()
    at(page, 1, 18)
    expect(page.locator(".trick[aria-current]")).to_have_attribute("data-ply", "18")
    page.get_by_role("link", name="Deal 3").click()
    at(page, 3, 0)
    expect(page.get_by_role("link", name="Deal 3")).to_have_attribute("aria-current", "true")
    page.locator("[data-slider]").focus()
    page.keyboard.press("ArrowRight")
    at(page, 3, 1)
    page.get_by_role("link", name="Next card").click()
    at(page, 3, 2)
    page.get_by_role("link", name="End of the deal").click()
    at(page, 3, 40)


def test_without_script_every_position_is_a_link(open_page: Open) -> None:
    page = open_page("/replay/?d=2&c=18", script=False)
    assert page.locator(".trick[aria-current]").get_attribute("data-ply") == "18"
    page.get_by_role("link", name="Next card").click()
    assert page.url.endswith("?d=2&c=19")
    page.locator('.trick[data-ply="40"]').click()
    assert page.url.endswith("?d=2&c=40")
    assert not page.locator("[data-play]").is_visible()


@pytest.mark.parametrize("query", ["d=9&c=3", "d=x&c=-4", "c=999", "d=2&c=1e3", "d=&c="])
def test_bad_addresses_are_clamped(open_page: Open, query: str) -> None:
    page = open_page(f"/replay/?{query}")
    page.keyboard.press("End")
    at(page, 2 if query.startswith("d=2") else 1, 40)


def test_a_swipe_turns_the_card(open_page: Open) -> None:
    page = open_page("/replay/?d=1&c=5", size="phone")
    box = page.locator("[data-board]").bounding_box()
    middle = box["y"] + box["height"] / 2
    for start, end, ply in [(300, 200, 6), (100, 220, 5), (200, 180, 5)]:
        page.mouse.move(start, middle)
        page.mouse.down()
        page.mouse.move(end, middle)
        page.mouse.up()
        at(page, 1, ply)


def test_an_arrow_held_down_repeats(open_page: Open) -> None:
    page = open_page("/replay/?d=1&c=0")
    page.get_by_role("link", name="Next card").hover()
    page.mouse.down()
    page.locator("[data-count]", has_text=re.compile(r"^([3-9]|\d\d) / 40$")).wait_for()
    page.mouse.up()
    place = int(page.locator("[data-slider]").input_value())
    at(page, 1, place)
    assert place < 40


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_playing_a_whole_deal_moves_nothing_on_the_page(open_page: Open, size: str) -> None:
    page = open_page("/replay/?d=2&c=0", size=size, motion="no-preference")
    page.locator("[data-speed]").select_option("10")
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator("[data-count]")).to_have_text("40 / 40", timeout=20_000)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert sum(evaluate(page, "window.shifts")) <= 0.02


def test_the_deck_changes_without_a_reload_and_is_kept(open_page: Open) -> None:
    page = open_page("/replay/?d=1&c=0")
    evaluate(page, "(window.isSamePage = true)")
    assert "of diamonds" not in page.locator("[data-board]").inner_html()
    page.get_by_role("button", name="Language, theme and deck").click()
    with page.expect_request(re.compile("/preferences/")) as sent:
        page.get_by_role("button", name="French").click()
    assert "deck=francesi" in sent.value.post_data
    sent.value.response()
    assert evaluate(page, "window.isSamePage") is True
    assert "/francesi/" in page.locator(".hand img").first.get_attribute("src")
    assert re.search(r"(hearts|diamonds|clubs|spades)", page.locator(".hand img").first.get_attribute("alt"))
    page.reload()
    assert page.locator("html").get_attribute("data-deck") == "francesi"


def test_the_browser_verifies_the_match(open_page: Open) -> None:
    page = open_page("/replay/")
    page.get_by_role("button", name="Verify").click()
    expect(page.locator("[data-verdict]")).to_have_text("The deck matches: nothing was changed.")
    assert page.locator(".check--passed").count() == 3 + 2 * len(replay_data()["deals"])
    assert page.locator(".check--failed").count() == 0


def test_the_browser_finds_a_changed_record(open_page: Open) -> None:
    page = open_page("/replay/?tamper")
    page.get_by_role("button", name="Verify").click()
    expect(page.locator("[data-verdict]")).to_have_text(re.compile("^Something does not match"))
    expect(page.locator(".check--failed").first).to_contain_text("Deal 1: cards, points and winner are right: wrong")
    expect(page.locator(".check--failed").first).to_contain_text("points 78-42")


def test_a_fault_opens_where_it_happened(open_page: Open) -> None:
    page = open_page("/replay/?fault=1")
    expect(page.locator("[data-count]")).to_have_text("13 / 13")
    expect(page.locator("[data-banner]")).to_have_text(re.compile("^Deal awarded to .*: Time over$"))


def test_think_times_stand_beside_the_position(open_page: Open) -> None:
    page = open_page("/replay/?think&d=1&c=3")
    expect(page.locator("[data-thought]")).to_have_text(f"{replay_data()['deals'][0]['think_ms'][2]} ms")
    assert open_page("/replay/?d=1&c=3").locator("[data-thought]").count() == 0


def test_hidden_deals_send_no_card(open_page: Open) -> None:
    page = open_page("/replay/?hidden")
    expect(page.get_by_text("The cards are shown when the deal is over")).to_be_visible()
    source = page.content()
    assert replay_data()["seed"] not in source
    assert all(deal["deck"] not in source for deal in replay_data()["deals"])


def costly(deal: int) -> list[dict[str, Any]]:
    """The plays of a deal that gave points away though the player could know."""
    plays = analysed(replay_data())["deals"][deal - 1]["analysis"]["plays"]
    return [play for play in plays if play["lost"] and play["is_exact"]]


def test_mistakes_are_marked_and_lead_to_their_card(open_page: Open) -> None:
    page = open_page("/replay/?d=1&c=0&analysis=made")
    mistakes = costly(1)
    assert mistakes
    notes = page.locator(".analysis__part").first.locator(".analysis__note")
    assert notes.evaluate_all("(notes) => notes.map((note) => Number(note.dataset.ply))") == [
        play["ply"] + 1 for play in mistakes
    ]
    expect(page.locator(".graph__mistake")).to_have_count(len(mistakes))
    assert page.locator(".trick__lost").all_inner_texts() == [f"−{play['lost']}" for play in mistakes]
    expect(page.locator("[data-note]")).to_be_hidden()
    notes.first.click()
    at(page, 1, mistakes[0]["ply"] + 1)
    expect(page.locator("[data-note]")).to_have_text(notes.first.inner_text())
    page.keyboard.press("ArrowDown")
    expect(page.locator(".graph__mistake")).to_have_count(len(costly(2)))


def test_an_analysis_that_is_being_made_appears_by_itself(open_page: Open) -> None:
    page = open_page("/replay/?d=1&c=0&analysis=wanted")
    expect(page.locator("[data-analysis]")).to_have_attribute("data-state", "made")
    expect(page.locator("#live")).to_have_text("Luck and best cards are ready.")
    expect(page.locator(".trick__lost")).to_have_count(len(costly(1)))


def test_before_the_cards_are_open_there_is_no_analysis(open_page: Open) -> None:
    assert open_page("/replay/?d=1&c=0").locator("[data-analysis]").count() == 0
