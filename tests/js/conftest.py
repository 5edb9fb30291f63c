"""Runs the site's modules outside a page: in node where there is one, else in the browser of the other tests."""

import json
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CHROMIUM, PROJECT

Run = Callable[[str, Any], Any]
COMMAND = """
import * as vectors from './tests/js/vectors.js';
let text = '';
for await (const part of process.stdin) text += part;
const [name, data] = JSON.parse(text);
process.stdout.write(JSON.stringify(await vectors[name](data)));
"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Nothing."""


@pytest.fixture(scope="session")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The modules and the vectors in a folder that node takes for ES modules."""
    root = tmp_path_factory.mktemp("modules")
    shutil.copytree(PROJECT / "static/js", root / "static/js")
    (root / "tests/js").mkdir(parents=True)
    shutil.copy(PROJECT / "tests/js/vectors.js", root / "tests/js")
    (root / "package.json").write_text('{"type": "module"}')
    (root / "run.js").write_text(COMMAND)
    return root


def in_node(node: str, modules: Path, name: str, data: Any) -> Any:
    """Run one function of vectors.js in node."""
    given = json.dumps([name, data])
    command = [node, "run.js"]
    done = subprocess.run(command, cwd=modules, input=given, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="session")
def served(modules: Path) -> Iterator[str]:
    """Address of the folder, for the browser: modules are not loaded from files."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(modules))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def _runner(engine: str, request: pytest.FixtureRequest) -> Iterator[Run]:
    if engine == "node":
        node = shutil.which("node")
        if node is None:
            pytest.skip("no node: the same vectors run in the browser")
        yield partial(in_node, node, request.getfixturevalue("modules"))
        return
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no browser at {CHROMIUM}")
    page = request.getfixturevalue("browser").new_page()
    page.goto(request.getfixturevalue("served") + "/package.json")
    script = "([name, data]) => import('/tests/js/vectors.js').then((vectors) => vectors[name](data))"
    yield lambda name, data: page.evaluate(script, [name, data])
    page.close()


@pytest.fixture(params=["node", "chromium"])
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    """Call a function of vectors.js by name; once in each engine that the machine has."""
    yield from _runner(request.param, request)


@pytest.fixture
def run_once(request: pytest.FixtureRequest) -> Iterator[Run]:
    """The same in one engine: for what does not depend on it."""
    yield from _runner("node" if shutil.which("node") else "chromium", request)
