"""Pages of the design in a real browser, under the site's own policy."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import Browser, Page

from tests.conftest import CHROMIUM

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SIZES = {
    "desktop": {"width": 1280, "height": 800},
    "phone": {"width": 390, "height": 844},
    "landscape": {"width": 844, "height": 390},
    "narrow": {"width": 320, "height": 640},
}

Open = Callable[..., Page]


@pytest.fixture
def address(live_server: Any, settings: Any) -> str:
    """The address of the test's pages."""
    settings.ROOT_URLCONF = "tests.frontend.urls"
    return str(live_server.url)


@pytest.fixture
def open_page(request: pytest.FixtureRequest, address: str) -> Iterator[Open]:
    """Open a page: `open_page("/replay/", size="phone", theme="dark", deck="francesi", language="en", script=False)`.

    The test fails if the browser complained about any page that it opened, but for what `expects` (a pattern) names.
    """
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no browser at {CHROMIUM}")
    browser: Browser = request.getfixturevalue("browser")
    contexts = []
    complaints: list[str] = []

    def opened(
        path: str, *, size: str = "desktop", theme: str = "light", deck: str = "napoletane", language: str = "en",
        script: bool = True, motion: str = "reduce", expects: str = "",
    ) -> Page:  # fmt: skip
        context = browser.new_context(
            viewport=SIZES[size], color_scheme=theme, java_script_enabled=script, locale=language,
            has_touch=size != "desktop", reduced_motion=motion, permissions=["clipboard-read", "clipboard-write"],
        )  # fmt: skip
        contexts.append(context)
        context.add_cookies(
            [{"name": "deck", "value": deck, "url": address}, {"name": "lang", "value": language, "url": address}]
        )
        context.add_init_script(
            "window.shifts = []; new PerformanceObserver((list) => list.getEntries().forEach((entry) =>"
            " entry.hadRecentInput || window.shifts.push(entry.value))).observe({type: 'layout-shift', buffered: true})"
        )
        page = context.new_page()
        page.on(
            "console",
            lambda message: (
                (expects and re.search(expects, message.text))
                or complaints.append(f"{message.text} {message.location['url']}")
            ),
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address + path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def violations(page: Page) -> list[tuple[str, list[str]]]:
    """What axe finds; by the debugger, because the policy lets no script in."""
    session = page.context.new_cdp_session(page)
    session.send("Runtime.evaluate", {"expression": AXE})
    options = json.dumps({"runOnly": STANDARDS})
    expression = (
        f"axe.run(document, {options}).then((found) => JSON.stringify([found.passes.length, found.violations.map("
        "(one) => [one.id, one.nodes.map((node) => node.html.slice(0, 200))])]))"
    )
    answer = session.send("Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True})
    passed, found = json.loads(answer["result"]["value"])
    assert passed > 10, "axe looked at nothing"
    return [(name, nodes) for name, nodes in found]


def evaluate(page: Page, expression: str) -> Any:
    """A value from the page; by the debugger, which the policy allows."""
    session = page.context.new_cdp_session(page)
    answer = session.send("Runtime.evaluate", {"expression": f"JSON.stringify({expression})", "returnByValue": True})
    return json.loads(answer["result"]["value"])
