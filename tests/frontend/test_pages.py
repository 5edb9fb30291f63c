"""Every component, the replay and the account pages: readable for everybody, in both themes, languages and sizes."""

import pytest

from tests.frontend.conftest import Open, evaluate, violations

pytestmark = pytest.mark.django_db(transaction=True)

PAGES = [
    "/gallery/", "/gallery/?bad", "/replay/?c=18", "/replay/?hidden", "/replay/?n=4&c=9", "/account/login/",
    "/account/signup/", "/account/password/reset/", "/account/password/reset/done/", "/account/password/reset/key/1-x/",
    "/account/confirm-email/x/", "/error/403/", "/error/500/",
]  # fmt: skip


@pytest.mark.parametrize(("size", "theme", "language"), [("desktop", "light", "it"), ("phone", "dark", "en")])
def test_no_page_shuts_anybody_out(open_page: Open, size: str, theme: str, language: str) -> None:
    found = {}
    for path in PAGES:
        page = open_page(path, size=size, theme=theme, language=language)
        assert page.locator("h1").count() == 1, path
        assert page.locator("html").get_attribute("lang") == language
        if trouble := violations(page):
            found[path] = trouble
        page.context.close()
    assert found == {}


def test_axe_sees_what_is_wrong(open_page: Open) -> None:
    page = open_page("/gallery/")
    evaluate(page, "document.querySelector('main img, main svg[role=img]').removeAttribute('aria-labelledby') ?? 1")
    evaluate(page, "document.querySelectorAll('h1').forEach((title) => title.remove()) ?? 1")
    assert violations(page) != []


def test_nothing_is_wider_than_a_narrow_phone(open_page: Open) -> None:
    wide = []
    for path in PAGES:
        page = open_page(path, size="narrow")
        if evaluate(page, "document.documentElement.scrollWidth") > 320:
            wide.append(path)
        page.context.close()
    assert wide == []


def test_controls_are_large_enough_for_a_thumb(open_page: Open) -> None:
    page = open_page("/replay/?c=3", size="phone")
    small = evaluate(
        page,
        "[...document.querySelectorAll('button, a, input, select, summary')].filter((one) => one.checkVisibility())"
        ".map((one) => [one.outerHTML.slice(0, 90), one.getBoundingClientRect()])"
        ".filter(([, box]) => box.height && box.height < 44 && box.top > 0).map(([html]) => html)",
    )
    assert [html for html in small if "seat__name" not in html and "<summary" not in html] == []


def test_theme_language_and_deck_are_chosen_from_the_header(open_page: Open) -> None:
    page = open_page("/gallery/?x=1")
    page.get_by_role("button", name="Language, theme and deck").click()
    page.get_by_role("button", name="Dark").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.url.endswith("/gallery/?x=1")
    page.get_by_role("button", name="Language, theme and deck").click()
    page.get_by_role("button", name="Brescian").click()
    assert page.locator("html").get_attribute("data-deck") == "bresciane"
    page.get_by_role("button", name="Language, theme and deck").click()
    page.get_by_role("button", name="Italiano").click()
    assert page.locator("html").get_attribute("lang") == "it"


def test_a_cookie_that_is_no_choice_changes_nothing(open_page: Open) -> None:
    page = open_page("/gallery/", deck="../../secret")
    assert page.locator("html").get_attribute("data-deck") == "napoletane"


def test_the_menu_of_a_phone_opens_and_closes_without_script(open_page: Open) -> None:
    page = open_page("/gallery/", size="phone", script=False)
    menu = page.locator("#site-menu")
    assert not menu.is_visible()
    page.get_by_role("button", name="Menu", exact=True).click()
    assert menu.is_visible()


def test_a_copy_button_copies(open_page: Open) -> None:
    page = open_page("/gallery/")
    page.get_by_role("button", name="Copy", exact=True).click()
    page.get_by_text("Copied", exact=True).wait_for(state="attached")
