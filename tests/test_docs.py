"""What the documents say exists, and what exists is said."""

import re

import pytest

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


def test_the_readme_is_short() -> None:
    assert len((PROJECT / "README.md").read_text().splitlines()) < 120
