"""The author of a bot: uploads, sees the checks of the real arena, takes the source back, uploads the next version."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from bots.models import Bot, BotVersion
from tests.accounts.factories import make_user
from tests.bots.uploading import GOOD
from tests.e2e.conftest import VIEWS

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
    with page.expect_download() as downloading:
        page.locator("main").get_by_role("link", name="vela.py").click()
    assert Path(downloading.value.path()).read_bytes() == GOOD
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

    visitor.open("/bots/velabot/")
    for version in ("v1", "v2"):
        expect(page.locator("main").get_by_role("link", name=version, exact=True).first).to_be_visible()
    visitor.fits()
