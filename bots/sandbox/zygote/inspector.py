"""Purpose `inspect`: parse a bot's files without running them. Confined too: a parser can be overrun."""

import ast
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from bots.sandbox.zygote import harness

MAX_PROBLEMS = 8
_MAX_MESSAGE = 200
_MAX_ANSWER = 4_000


def prepare(home: str, entry: str) -> Callable[[], None]:
    """Take the protocol's descriptors and return what answers the one question."""
    requests, answers = harness.take_protocol()

    def serve() -> None:
        try:
            number = json.loads(requests.readline())["n"]
            answers.write(_bounded({"n": number, **inspect(home, entry)}))
        except MemoryError:
            os._exit(harness.MEMORY_EXIT)

    return serve


def inspect(home: str, entry: str) -> dict[str, Any]:
    """`forms` that the entry defines and the first `problems` of the Python files, in the order of their names."""
    problems: list[dict[str, Any]] = []
    forms: list[str] = []
    for name in sorted(_python_files(home)):
        with open(os.path.join(home, name), "rb") as file:
            source = file.read()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(source, name)
        except SyntaxError as error:
            problems.append(
                {"file": name, "line": error.lineno or 1, "message": f"{type(error).__name__}: {error.msg}"}
            )
        except (ValueError, RecursionError) as error:
            problems.append({"file": name, "line": 1, "message": f"{type(error).__name__}: {error}"})
        else:
            if name == entry:
                forms = [form for form in harness.FORMS if form in set(_defined(tree.body))]
    for problem in problems:
        problem["message"] = problem["message"][:_MAX_MESSAGE]
    return {"forms": forms, "problems": problems[:MAX_PROBLEMS]}


def _python_files(home: str) -> Iterator[str]:
    for folder, _, files in os.walk(home):
        for file in files:
            if file.endswith(".py"):
                yield os.path.relpath(os.path.join(folder, file), home)


def _defined(body: list[ast.stmt]) -> Iterator[str]:
    """Names that a module's top level binds, also below if, try, with and loops."""
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (alias.asname or alias.name.partition(".")[0] for alias in names)
            case _:
                for node in ast.walk(statement) if not hasattr(statement, "body") else ():
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                        yield node.id
                for field in ("body", "orelse", "finalbody"):
                    yield from _defined(getattr(statement, field, []))
                for handler in getattr(statement, "handlers", []):
                    yield from _defined(handler.body)


def _bounded(answer: dict[str, Any]) -> bytes:
    """The answer as a line, with fewer problems where it would be too long."""
    while True:
        line = json.dumps(answer, separators=(",", ":")).encode() + b"\n"
        if len(line) <= _MAX_ANSWER or not answer["problems"]:
            return line
        answer["problems"].pop()


assert sys.version_info >= (3, 11)
