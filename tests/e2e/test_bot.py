"""The author of a bot: uploads, sees the checks of the real arena, takes the source back, uploads the next version."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from bots.models import Bot, BotVersion
from bots.services import dispatch
from tests.accounts.factories import make_user
from tests.bots.uploading import GOOD
from tests.conftest import poll
from tests.e2e.conftest import VIEWS
from tests.factories import make_version

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.xdist_group("arena_shell"),
    pytest.mark.slow,
]


@pytest.mark.parametrize(("language", "size"), VIEWS)
def test_from_a_file_to_two_versions(
    arena_and_registrar, come, language: str, size: tuple[int, int], tmp_path: Path
) -> None:
    visitor = come(language, size)
    page = visitor.page
    visitor.sign_in(make_user("Luna Rossa", language=language))
    visitor.open("/my/bots/")
    visitor.fits()
    page.locator("#id_name").fill("VelaBot")
    (tmp_path / "vela.py").write_bytes(GOOD)
    page.locator("#id_file").set_input_files(tmp_path / "vela.py")
    page.locator("#id_notes").fill("prima prova")
    visitor.press("Upload and check")
    expect(page).to_have_url(re.compile("/bots/velabot/versions/1/$"))
    expect(page.get_by_role("status")).to_contain_text(visitor.say("Qualified"), timeout=90_000)
    for check in ("Python syntax", "Same seed, same plays", "Time of a move"):
        visitor.sees(check)
    visitor.fits()

    visitor.open("/my/bots/velabot/")
    page.locator("main").get_by_role("link", name="vela.py").click()
    expect(page.locator("#L2")).to_contain_text("return")
    visitor.fits()
    with page.expect_download() as downloading:
        visitor.follow("Download the source")
    assert Path(downloading.value.path()).read_bytes() == GOOD
    visitor.open("/my/bots/velabot/")
    second = GOOD + b"# due\n"
    page.locator("#id_source").fill(second.decode())
    visitor.press("Upload and check")
    expect(page.get_by_role("status")).to_contain_text(visitor.say("Qualified"), timeout=90_000)

    (tmp_path / "again.py").write_bytes(GOOD)
    visitor.open("/my/bots/velabot/")
    visitor.fits()
    page.locator("#id_file").set_input_files(tmp_path / "again.py")
    visitor.press("Upload and check")
    expect(page).to_have_url(re.compile("/bots/velabot/versions/1/$"))
    visitor.sees("You have uploaded this before: here is that version.")
    assert list(BotVersion.objects.order_by("number").values_list("number", "state")) == [
        (1, "qualified"), (2, "qualified"),
    ]  # fmt: skip
    assert Bot.objects.get().active_version.number == 2

    visitor.open("/bots/velabot/versions/2/diff/")
    expect(page.locator(".diff__line--new")).to_have_count(1)
    visitor.fits()
    visitor.open("/bots/velabot/")
    for version in ("v1", "v2"):
        expect(page.locator("main").get_by_role("link", name=version, exact=True).first).to_be_visible()
    visitor.fits()


#: Plays well while it is checked, and breaks in the second deal of a best of three.
BREAKS = b"""
def play(view):
    print("my hand is", view.hand)
    if view.rules.kind == "first_to" and view.deal == 2 and len(view.tricks) == 5:
        raise ValueError("lost my notes")
    return view.legal[0]
"""


@pytest.mark.parametrize(("language", "size"), VIEWS)
def test_from_a_test_game_to_the_line_that_failed(arena_and_registrar, come, language, size, tmp_path: Path) -> None:
    visitor = come(language, size)
    page = visitor.page
    make_version("Maestrale")
    visitor.sign_in(make_user("Luna Rossa", language=language))
    visitor.open("/my/bots/")
    page.locator("#id_name").fill("VelaBot")
    page.locator("#id_source").fill(BREAKS.decode())
    visitor.press("Upload and check")
    expect(page.get_by_role("status")).to_contain_text(visitor.say("Qualified"), timeout=90_000)

    visitor.open("/my/bots/velabot/")
    page.locator(".tabs").get_by_role("link", name=visitor.say("Test games")).click()
    page.locator("#id_opponent").select_option(label="Maestrale v1")
    page.locator("#id_pairs").fill("1")
    visitor.press("Start")
    expect(page).to_have_url(re.compile(r"/my/bots/velabot/tests/\d+/$"))
    visitor.fits()
    poll(lambda: dispatch.fill() == 0)
    visitor.sees("%(over)s of %(total)s matches", over=2, total=2)
    visitor.fits()
    page.locator("#test-game").get_by_role("link", name=visitor.say("Log"), exact=True).first.click()
    page.get_by_role("link", name=visitor.say("Deal %(number)s", number=2), exact=True).click()
    visitor.sees("ValueError: lost my notes")
    failed = page.locator(".log__failed, .log__here").last
    expect(failed).to_contain_text("my hand is")
    visitor.fits()
    failed.get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"/replay/\?d=2&c=1[01]$"))
    expect(page.locator(".replay.is-live")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    back = page.locator("[data-follows]")
    expect(back).to_have_attribute("href", re.compile(r"/logs/\?d=2&c=(9|10)$"))
    back.click()
    expect(page.locator("main table.log tbody tr").first).to_be_visible()

    with page.expect_download() as downloading:
        page.locator("main").get_by_role("link", name="JSONL").click()
    lines = Path(downloading.value.path()).read_text().splitlines()
    asked = next(line for line in lines if '"type": "play"' in line and '"deal": 2' in line)
    (tmp_path / "bot.py").write_bytes(BREAKS.replace(b'raise ValueError("lost my notes")', b"pass"))
    command = [sys.executable, "-m", "bots.arena", "ask", str(tmp_path / "bot.py")]
    done = subprocess.run(command, input=asked + "\n", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout[:2] in asked) == (0, True), done
