"""A bot author in a browser: signs up, uploads, watches the checks, opens a game, uploads a broken version."""

import re
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from playwright.sync_api import Page, expect

from bots.models import BotVersion
from tests.accounts.factories import PASSWORD
from tests.bots.uploading import GOOD

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.xdist_group("arena_shell"),
    pytest.mark.slow,
]


@pytest.mark.parametrize("size", [(390, 844), (1280, 800)])
def test_an_author_uploads_watches_and_replays(
    arena_and_registrar, site: str, page: Page, size, tmp_path: Path
) -> None:
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    page.context.add_cookies([{"name": "lang", "value": "en", "url": site}])
    page.goto(f"{site}/account/signup/?next=/settings/")
    page.get_by_label("Name").fill("Luna Rossa")
    page.get_by_label("Email").fill("luna@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    page.locator("main form button").click()
    page.goto(f"{site}/my/bots/")
    expect(page.get_by_text("Confirm your e-mail address first")).to_be_visible()
    EmailAddress.objects.update(verified=True)

    page.reload()
    page.get_by_label("Name of the bot").fill("VelaBot")
    (tmp_path / "vela.py").write_bytes(GOOD)
    page.get_by_label("File", exact=False).first.set_input_files(tmp_path / "vela.py")
    page.get_by_role("button", name="Upload and check").click()
    expect(page).to_have_url(re.compile("/bots/velabot/versions/1/$"))
    expect(page.get_by_role("status")).to_contain_text("Qualified", timeout=60_000)
    expect(page.get_by_text("Against Ingordo").first).to_be_visible()

    page.get_by_role("link", name=re.compile(r"^1: \d+–\d+$")).first.click()
    expect(page.locator(".replay.is-live")).to_be_visible()
    page.keyboard.press("End")
    expect(page.locator("[data-count]")).to_have_text("40 / 40")

    page.goto(f"{site}/my/bots/velabot/")
    page.get_by_label("Or paste the source").fill("def play(view)\n    return view.hand[0]\n")
    page.get_by_role("button", name="Upload and check").click()
    expect(page.get_by_role("status")).to_contain_text("Rejected", timeout=60_000)
    expect(page.get_by_text("bot.py:1", exact=True)).to_be_visible()
    expect(page.get_by_text("Correct that line")).to_be_visible()
    assert list(BotVersion.objects.order_by("number").values_list("state", flat=True)) == ["qualified", "rejected"]
    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow <= 0
