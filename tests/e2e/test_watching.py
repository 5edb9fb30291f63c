"""A spectator without an account: standings, fixtures, a match with its receipt, every card, the proof."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from games.models import Match
from league.services import leagues
from tests.conftest import PROJECT
from tests.e2e.conftest import VIEWS, Visitor
from tests.factories import make_version
from tests.site.world import make_people, make_tournament, matches_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def milli(text: str, language: str) -> int:
    """A rating or a change as the receipt writes it, in milli-Elo."""
    plain = text.strip().replace("−", "-").replace("+", "").replace("\u202f", "").replace("\xa0", "")
    whole, _, rest = plain.replace("." if language == "it" else ",", "").replace(",", ".").partition(".")
    return int(whole) * 1000 + (int(rest) * (-1 if plain.startswith("-") else 1) if rest else 0)


@pytest.mark.parametrize(("language", "size"), VIEWS)
def test_from_the_standings_to_the_proof_of_a_deck(come, language: str, size: tuple[int, int], tmp_path: Path) -> None:
    organiser = make_people()["organiser"]
    assert organiser is not None
    league = leagues.publish(league=leagues.create(owner=organiser, name="Lega del Nord"), actor=organiser)
    versions = [make_version(name) for name in ("VelaBot", "Maestrale", "Scirocco")]
    tournament = make_tournament(league, organiser, "Coppa d’Autunno", versions, until="finished")
    visitor = come(language, size)
    page = visitor.page

    visitor.open("/")
    page.locator("main").get_by_role("link", name=re.compile("Coppa d’Autunno")).first.click()
    for name in ("VelaBot", "Maestrale", "Scirocco"):
        expect(page.locator("main table")).to_contain_text(name)
    visitor.fits()
    page.locator("main nav.tabs").get_by_role("link", name=visitor.say("Rounds")).click()
    expect(page).to_have_url(re.compile("/rounds/$"))
    visitor.sees("%(name)s rests", name="")
    visitor.fits()
    page.locator("main nav.tabs").get_by_role("link", name=visitor.say("Matches")).click()
    expect(page).to_have_url(re.compile("/matches/$"))
    visitor.fits()
    match = matches_of(tournament)[0]
    page.locator(f'main a[href="/matches/{match.code}/"]').first.click()
    look_at_the_receipt(visitor)

    with page.expect_download() as downloading:
        page.locator("main").get_by_role("link", name="JSON", exact=True).click()
    record = tmp_path / f"{match.code}.json"
    record.write_bytes(Path(downloading.value.path()).read_bytes())
    verify = [sys.executable, "-m", "games.engine", "verify", str(record)]
    done = subprocess.run(verify, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()[-1]) == (0, "verified"), done.stdout + done.stderr
    record.write_text(record.read_text().replace(bytes(match.seed).hex(), "00" * 32))
    assert subprocess.run(verify, cwd=PROJECT, capture_output=True, check=False).returncode == 1

    step_through(visitor, match)


def look_at_the_receipt(visitor: Visitor) -> None:
    """After = before + change for both; the two changes of a first match are opposite."""
    page = visitor.page
    changes = []
    slips = page.locator(".receipt")
    expect(slips).to_have_count(2)
    for number in range(2):
        slip = slips.nth(number)
        pairs = dict(
            zip(slip.locator("dt").all_inner_texts(), slip.locator("dt + dd").all_inner_texts(), strict=True)
        )  # fmt: skip
        before, after, change = (
            milli(pairs[visitor.say(*words)], visitor.language)
            for words in (("Before",), ("After",), ("Change", "rating"))
        )
        assert before + change == after
        changes.append(change)
    assert sum(changes) == 0
    visitor.fits()


def step_through(visitor: Visitor, match: Match) -> None:
    """Every card of the first deal by the keyboard alone, then the browser's own verification."""
    page = visitor.page
    visitor.open(f"/matches/{match.code}/replay/?d=1&c=0")
    expect(page.locator(".replay.is-live")).to_be_visible()
    counter = page.locator("[data-count]")
    seen = set()
    for ply in range(1, 41):
        page.keyboard.press("ArrowRight")
        expect(counter).to_have_text(f"{ply} / 40")
        seen.add(page.locator("#live").inner_text())
    assert len(seen) > 1  # what is said of the cards; a busy machine skips some of it
    expect(page.locator("[data-tricks] li")).to_have_count(20)
    visitor.fits()
    page.locator("[data-verify]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-verdict]")).to_have_text(visitor.say("The deck matches: nothing was changed."))


@pytest.mark.parametrize(("language", "size"), VIEWS)
def test_rankings_a_bot_and_its_author(come, language: str, size: tuple[int, int]) -> None:
    people = make_people()
    organiser, owner = people["organiser"], people["owner"]
    assert organiser is not None
    assert owner is not None
    league = leagues.publish(league=leagues.create(owner=organiser, name="Lega del Nord"), actor=organiser)
    versions = [make_version("VelaBot", owner=owner), make_version("Maestrale"), make_version("Scirocco")]
    for name in ("Prima", "Seconda"):
        make_tournament(league, organiser, f"Coppa {name}", versions, until="finished")
    visitor = come(language, size)
    page = visitor.page
    page.emulate_media(color_scheme="dark")
    visitor.open("/rankings/")
    visitor.sees("Provisional: fewer than 20 rated matches")
    visitor.fits()
    page.locator("main").get_by_role("link", name="VelaBot").first.click()
    expect(page).to_have_url(re.compile("/bots/velabot/$"))
    expect(page.locator("main svg[role=img]").first).to_be_visible()
    visitor.sees("The same as a table")
    visitor.fits()
    page.locator("main").get_by_role("link", name="Luna Rossa").first.click()
    expect(page.locator("h1")).to_have_text(re.compile("Luna Rossa"))
    expect(page.locator("main").get_by_role("link", name="VelaBot").first).to_be_visible()
    visitor.fits()
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(map(int, re.findall(r"\d+", background)[:3])) < 3 * 60  # dark


def test_a_stranger_finds_a_match_by_keyboard_alone(come) -> None:
    """From the home page to the last card of a match: Tab, Enter and the replay's keys."""
    organiser = make_people()["organiser"]
    assert organiser is not None
    league = leagues.publish(league=leagues.create(owner=organiser, name="Lega del Nord"), actor=organiser)
    versions = [make_version(name) for name in ("VelaBot", "Maestrale", "Scirocco")]
    make_tournament(league, organiser, "Coppa", versions, until="finished")
    visitor = come("en", (1280, 800))
    page = visitor.page

    def tab_to(text: str, most: int = 80) -> None:
        for _ in range(most):
            page.keyboard.press("Tab")
            focused = page.evaluate(
                "document.activeElement.textContent.trim() + '|' + document.activeElement.ariaLabel"
            )
            if text in focused:
                outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                assert outline != "none", f"no focus ring on {text}"
                return
        raise AssertionError(f"{text} is not reached by Tab")

    visitor.open("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent.trim()") == "Skip to the content"
    tab_to("Matches")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/matches/$"))
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # skip to the content
    tab_to("Match ")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/matches/[0-9A-Z]+/$"))
    tab_to("Watch the replay")
    page.keyboard.press("Enter")
    expect(page.locator(".replay.is-live")).to_be_visible()
    page.keyboard.press("End")
    expect(page.locator("[data-count]")).to_have_text("40 / 40")
    page.keyboard.press("ArrowDown")
    expect(page).to_have_url(re.compile(r"\?d=2"))
