"""What the documents say exists, and what exists is said."""

import re

import pytest

from benchmarks.__main__ import found
from tests.conftest import PROJECT

DOCUMENTS = sorted([*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\((?!https?://|mailto:|#)([^)#\s]+)(#[^)]*)?\)")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_into_the_project_leads_somewhere(document: object) -> None:
    path = PROJECT / str(document)
    missing = [target for target, _anchor in LINK.findall(path.read_text()) if not (path.parent / target).exists()]
    assert missing == []


def test_every_target_of_make_is_in_its_help() -> None:
    text = (PROJECT / "Makefile").read_text()
    (phony,) = re.findall(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    helped = re.findall(r'^\t@echo "make (\w+)', text, re.MULTILINE)
    assert sorted(helped) == sorted(set(phony.split()) - {"help"})


def test_every_command_of_the_site_is_documented() -> None:
    commands = {
        path.stem
        for path in PROJECT.glob("*/management/commands/*.py")
        if not path.stem.startswith("_")
    }  # fmt: skip
    documents = "\n".join(path.read_text() for path in DOCUMENTS)
    assert {command for command in commands if f"manage.py {command}" not in documents} == set()


def test_every_benchmark_is_documented() -> None:
    text = (PROJECT / "docs" / "performance.md").read_text()
    assert [name for name in found() if f"python -m benchmarks.{name}" not in text] == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, waiting = set(), {PROJECT / "README.md"}
    while waiting:
        page = waiting.pop()
        reached.add(page)
        targets = {(page.parent / target).resolve() for target, _anchor in LINK.findall(page.read_text())}
        # a link to a folder leads to what lies in it
        pages = {path for target in targets for path in ([target] if target.is_file() else target.glob("*.md"))}
        waiting |= {path for path in pages if path.suffix == ".md"} - reached
    assert set(DOCUMENTS) - reached == set()


def test_every_anchor_of_a_link_is_a_heading() -> None:
    missing = []
    for document in DOCUMENTS:
        for target, anchor in LINK.findall(document.read_text()):
            if anchor:
                headings = re.findall(r"^#+ (.*)$", (document.parent / target).read_text(), re.MULTILINE)
                known = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
                missing += [f"{document.name}: {target}{anchor}"] if anchor.removeprefix("#") not in known else []
    assert missing == []


def test_decisions_are_numbered_without_gaps_and_headed_by_their_number() -> None:
    pages = sorted((PROJECT / "docs" / "adr").glob("*.md"))
    assert [int(page.name[:4]) for page in pages] == list(range(1, len(pages) + 1))
    assert [page.name for page in pages if not page.read_text().startswith(f"# {int(page.name[:4])}. ")] == []


def test_pictures_of_the_documents_are_small() -> None:
    pictures = list((PROJECT / "docs").rglob("*.png"))
    assert pictures
    assert [picture.name for picture in pictures if picture.stat().st_size > 200_000] == []


def test_the_project_speaks_of_itself_alone() -> None:
    words = re.compile(r"/tmp/|\.\./shared|/work/|\bissue #?\d", re.IGNORECASE)
    assert [document.name for document in DOCUMENTS if words.search(document.read_text())] == []


def test_the_readme_is_short() -> None:
    assert len((PROJECT / "README.md").read_text().splitlines()) < 120
