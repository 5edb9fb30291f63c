"""Somebody who has never heard of it reads the guide, and has its bot qualified; reads the code of a house bot."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from bots import house
from bots.learn import files
from tests.accounts.factories import make_user
from tests.e2e.conftest import DESKTOP, PHONE

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

VIEWS = [pytest.param("it", PHONE, id="it-390"), pytest.param("en", DESKTOP, id="en-1280")]
#: What the page's copy button takes.
COPIED = "(id) => document.getElementById(id).textContent"


@pytest.mark.xdist_group("arena_shell")
@pytest.mark.parametrize(("language", "size"), VIEWS)
def test_from_the_guide_to_a_qualified_bot(
    arena_and_registrar, come, language: str, size: tuple[int, int], tmp_path: Path
) -> None:
    visitor = come(language, size)
    page = visitor.page
    visitor.sign_in(make_user("Luna Rossa", language=language))
    visitor.open("/learn/bots/")
    visitor.fits()
    code = files.snippet("my_bot.py")
    assert page.evaluate(COPIED, code.anchor) == code.text
    with page.expect_download() as downloading:
        page.locator(f".code:has(#{code.anchor})").get_by_role("link").click()
    mine = tmp_path / downloading.value.suggested_filename
    downloading.value.save_as(mine)

    visitor.follow("To the upload")
    page.locator("#id_name").fill("Primo")
    page.locator("#id_file").set_input_files(mine)
    visitor.press("Upload and check")
    expect(page).to_have_url(re.compile("/bots/primo/versions/1/$"))
    expect(page.get_by_role("status")).to_contain_text(visitor.say("Qualified"), timeout=90_000)


@pytest.mark.parametrize(("language", "size"), VIEWS)
def test_a_line_of_a_house_bot_has_an_address(come, language: str, size: tuple[int, int]) -> None:
    visitor = come(language, size)
    page = visitor.page
    visitor.open("/learn/bots/")
    page.locator("#house ~ ul").get_by_role("link", name="Medio").last.click()
    expect(page).to_have_url(re.compile("/learn/bots/medio/$"))
    visitor.fits()
    assert page.evaluate(COPIED, "source-1") == house.source("medio").decode()
    page.locator("a[href='#L30']").click()
    expect(page).to_have_url(re.compile("/learn/bots/medio/#L30$"))
    expect(page.locator(".source__line:target")).to_contain_text("Whether a partner who plays last")
    expect(page.locator(".source__line:target")).to_be_in_viewport()
