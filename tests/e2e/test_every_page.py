"""Every page of the site: readable for everybody, in both themes and languages, on each screen; nothing complains."""

import json
import time

import pytest
from django.test import Client
from playwright.sync_api import BrowserContext, Page, Request

from tests.conftest import poll
from tests.e2e.words import TEXTS, foreign
from tests.frontend.conftest import AXE, STANDARDS
from tests.site.addresses import READ
from tests.site.world import VIEWERS, World, make_world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
WHOLE: dict[str, object] = {"runOnly": STANDARDS}
#: What depends on theme and screen; the rest of a page is the same in all, and looked at once a language.
VISUAL: dict[str, object] = {
    "runOnly": {
        "type": "rule",
        "values": ["color-contrast", "target-size", "scrollable-region-focusable", "link-in-text-block"],
    }
}
#: Two looks a language: together every theme on every screen, and everything once on each screen.
LOOKS = {
    "it": [("light", DESKTOP, WHOLE), ("dark", PHONE, VISUAL)],
    "en": [("dark", DESKTOP, VISUAL), ("light", PHONE, WHOLE)],
}
#: What is no page: files, parts of pages, pages of others.
NO_PAGE = {
    "healthz", "metrics", "robots", "games:analysis", "games:record-json", "games:record-text", "bots:source",
    "bots:learn-schema", "bots:learn-file",
    "bots:checks", "league:now", "league:play-open", "league:tournament-csv", "league:matches-csv",
    "league:matches-json", "league:rankings-csv", "league:rankings-json", "mfa_download_recovery_codes",
    "mfa_authenticate", "account_set_password", "games:events", "games:my-events",
    "games:state", "games:embedded-state", "games:picture", "bots:log-jsonl",
}  # fmt: skip
#: Addresses with an error page: one of each.
ERRORS = [("anonymous", "/nowhere/"), ("member", "/organise/{league}/")]
#: Who goes where: of those who get 200, the one who sees most.
RICHEST = ("owner", "organiser", "anonymous", "admin", "member", "stranger")
#: Pages that differ much for somebody else.
ALSO = [("anonymous", "/"), ("anonymous", "/tournaments/{open}/entries/"), ("organiser", "/matches/{match}/"),
        ("organiser", "/organise/"), ("anonymous", "/matches/{faulty}/"), ("owner", "/matches/{faulty}/replay/"),
        ("anonymous", "/play/"), ("anonymous", "/play/invitations/{invitation}/"),
        ("stranger", "/play/invitations/{invitation}/"), ("stranger", "/my/bots/"), ("member", "/inbox/")]  # fmt: skip


def visits() -> list[tuple[str, str]]:
    """Every page once, by whom."""
    found = []
    for name, cases in READ.items():
        if name in NO_PAGE:
            continue
        for path, statuses in cases:
            allowed = [viewer for viewer, status in zip(VIEWERS, statuses.split(), strict=True) if status == "200"]
            if allowed:
                found.append((next(viewer for viewer in RICHEST if viewer in allowed), path))
    return [*found, *ALSO, *ERRORS]


def test_every_page_is_visited() -> None:
    visited = {path for _viewer, path in visits()}
    left_out = {name for name, cases in READ.items() if not visited & {path for path, _statuses in cases}}
    never_shown = {name for name in left_out if not any("200" in statuses for _path, statuses in READ[name])}
    assert left_out - never_shown == NO_PAGE - never_shown


#: Until a frame has passed in which nothing was on its way; what goes on for ever does not count.
SETTLED = """(async () => {
  const isMoving = () => document.getAnimations().some((one) => one.effect.getComputedTiming().iterations < 9);
  do await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))); while (isMoving());
})()"""


class Look:
    """One page, looked at: what is wrong with it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.session = page.context.new_cdp_session(page)
        self.session.send("Animation.enable")
        self.session.send("Animation.setPlaybackRate", {"playbackRate": 1000})

    def ask(self, expression: str) -> object:
        """By the debugger: the policy lets no script in."""
        sent = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        answer = self.session.send("Runtime.evaluate", sent)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def becomes(self, condition: str, *, limit: float = 1) -> bool:
        """Whether this is so within `limit` seconds: modules measure again after a change of size."""
        end = time.monotonic() + limit
        while not (so := bool(self.ask(condition))) and time.monotonic() < end:
            self.settle()
        return so

    def settle(self) -> None:
        """Wait until no colour is on its way to another one."""
        self.ask(SETTLED)

    def axe(self, rules: dict[str, object]) -> list[str]:
        """What axe finds, a line a place."""
        self.settle()
        options = json.dumps(rules | {"resultTypes": ["violations"]})
        found = self.ask(
            f"axe.run(document, {options}).then((all) => JSON.stringify([all.passes.length, all.violations.map((one) =>"
            " [one.id, one.nodes.map((node) => node.html.slice(0, 160) + ' ' + (node.any[0]?.message ?? ''))])]))"
        )
        passed, violations = json.loads(str(found))
        assert passed, "axe looked at nothing"
        return [f"{rule}: {node}" for rule, nodes in violations for node in nodes]


def signed_in(context: BrowserContext, world: World, viewer: str, site: str, language: str) -> None:
    """Make the browser that person's."""
    context.clear_cookies()
    cookies = [{"name": "lang", "value": language, "url": site}]
    if (person := world.people[viewer]) is not None:
        type(person).objects.filter(pk=person.pk).update(language=language)
        person.refresh_from_db()
        client = Client()
        client.force_login(person)
        cookies.append({"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site})
    context.add_cookies(cookies)  # type: ignore[arg-type]


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """What the browser says about the page that is open; emptied before each."""
    said: list[str] = []
    page.on("console", lambda message: said.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))

    def failed(request: Request) -> None:
        # Leaving a page ends what it was asking for: that is no fault of the page.
        if request.failure != "net::ERR_ABORTED":
            said.append(f"failed: {request.url} {request.failure}")

    page.on("requestfailed", failed)
    return said


@pytest.mark.complaints
@pytest.mark.parametrize("language", ["it", "en"])
def test_nobody_is_shut_out_of_any_page(page: Page, site: str, complaints: list[str], language: str) -> None:
    world = make_world()
    context = page.context
    page.emulate_media(reduced_motion="reduce")
    wrong: list[str] = []
    last = ""
    for viewer, pattern in sorted(visits(), key=lambda visit: VIEWERS.index(visit[0])):
        if viewer != last:
            signed_in(context, world, viewer, site, language)
            last = viewer
        path = pattern.format(**world.places)
        complaints.clear()
        answer = page.goto(site + path)
        assert answer is not None
        if answer.status >= 400:
            complaints[:] = [said for said in complaints if f"status of {answer.status}" not in said]
        look = Look(page)
        if 'class="page page--wide replay"' in page.content():
            page.locator(".replay.is-live, main h1").first.wait_for()
        look.ask(AXE)
        found = []
        for theme, size, rules in LOOKS[language]:
            page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            page.set_viewport_size(size)
            found += [f"{theme} {size['width']} {one}" for one in look.axe(rules)]
        page.set_viewport_size({"width": 320, "height": 640})
        if not look.becomes("document.documentElement.scrollWidth === 320"):
            found.append(f"{look.ask('document.documentElement.scrollWidth')} px wide on a screen of 320")
        if look.ask("document.querySelectorAll('h1').length") != 1:
            found.append("not one h1")
        if look.ask("document.documentElement.lang") != language:
            found.append("another language is declared")
        found += [f"not in this language: {text}" for text in foreign(look.ask(TEXTS), language)]  # type: ignore[arg-type]
        wrong += [f"{viewer} {path} {one}" for one in found + complaints]
        look.session.detach()
    assert not wrong, "\n".join(wrong)


@pytest.mark.complaints
def test_a_fault_of_any_kind_is_noticed(page: Page, site: str, complaints: list[str]) -> None:
    page.context.add_cookies([{"name": "lang", "value": "it", "url": site}])
    page.goto(f"{site}/learn/rules/")
    look = Look(page)
    look.ask(AXE)
    assert look.axe(WHOLE) == []
    look.ask("document.querySelector('h1').remove() ?? 1")
    assert look.axe(WHOLE) != []
    italian = look.ask(TEXTS)
    assert foreign(italian, "it") == []  # type: ignore[arg-type]
    assert len(foreign(italian, "en")) > 20  # type: ignore[arg-type]
    look.ask("fetch('https://example.org/').catch(() => 0)")
    poll(lambda: any("Content Security Policy" in said for said in complaints), limit=5)
    complaints.clear()
