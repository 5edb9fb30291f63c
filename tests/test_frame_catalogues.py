"""Translations: found, kept, checked and compiled without the system's gettext."""

import gettext
from pathlib import Path

import polib
import pytest

from config import catalogues


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project with a sentence of each kind."""
    monkeypatch.setattr(catalogues, "PROJECT", tmp_path)
    monkeypatch.setattr(catalogues, "LOCALE", tmp_path / "locale")
    (tmp_path / "games" / "migrations").mkdir(parents=True)
    (tmp_path / "templates").mkdir()
    (tmp_path / "static" / "js").mkdir(parents=True)
    (tmp_path / "games" / "errors.py").write_text(
        'from django.utils.translation import gettext_lazy as _, ngettext\n\nA = _("Wait for %(name)s.")\n'
        'B = ngettext("%(n)s card", "%(n)s cards", 3)\n'
    )
    (tmp_path / "games" / "migrations" / "0001.py").write_text('A = _("Not this")\n')
    (tmp_path / "templates" / "page.html").write_text(
        "{% load i18n %}\n<div>\n      <p>it's {% translate 'Deal' context 'cards' %}</p>\n"
        "  {% blocktranslate count n=x trimmed %}\n"
        "    {{ n }} trick\n  {% plural %}\n    {{ n }} tricks\n  {% endblocktranslate %}\n</div>\n"
    )
    (tmp_path / "static" / "js" / "table.js").write_text('say(gettext("Your turn"));\n')
    return tmp_path


def catalogue(project: Path, domain: str = "django") -> polib.POFile:
    return polib.pofile(str(project / "locale" / "it" / "LC_MESSAGES" / f"{domain}.po"))


def translate(project: Path) -> None:
    for domain in ("django", "djangojs"):
        found = catalogue(project, domain)
        for entry in found:
            if entry.msgid_plural:
                entry.msgstr_plural = {0: entry.msgid.upper(), 1: entry.msgid_plural.upper()}
            else:
                entry.msgstr = entry.msgid.swapcase()
            for form in entry.msgstr_plural:
                entry.msgstr_plural[form] = entry.msgstr_plural[form].replace("%(N)S", "%(n)s")
            entry.msgstr = entry.msgstr.replace("%(NAME)S", "%(name)s")
        found.save()


def test_every_kind_of_sentence_is_found(project: Path) -> None:
    catalogues.extract()
    found = {(entry.msgctxt, entry.msgid, entry.msgid_plural) for entry in catalogue(project)}
    assert found == {
        (None, "Wait for %(name)s.", ""),
        (None, "%(n)s card", "%(n)s cards"),
        ("cards", "Deal", ""),
        (None, "%(n)s trick", "%(n)s tricks"),
    }
    assert [entry.msgid for entry in catalogue(project, "djangojs")] == ["Your turn"]


def test_a_second_extraction_changes_nothing_and_keeps_translations(project: Path) -> None:
    assert len(catalogues.extract()) == 4
    translate(project)
    assert catalogues.extract() == []
    (project / "games" / "new.py").write_text('A = _("One more")\n')
    assert catalogues.extract() != []
    found = {entry.msgid: entry for entry in catalogue(project)}
    assert found["Deal"].msgstr == "dEAL"
    assert found["One more"].msgstr == ""


def test_a_complete_catalogue_has_no_problems(project: Path) -> None:
    catalogues.extract()
    assert len([line for line in catalogues.problems() if "not translated" in line]) == 5
    translate(project)
    assert catalogues.problems() == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda entry: setattr(entry, "msgstr", ""), "not translated"),
        (
            lambda entry: setattr(entry, "msgstr", "Aspetta %(nome)s."),
            "placeholders ['%(nome)s'] instead of ['%(name)s']",
        ),
        (lambda entry: setattr(entry, "msgstr", "Aspetta."), "placeholders [] instead of ['%(name)s']"),
        (lambda entry: entry.flags.append("fuzzy"), "fuzzy"),
    ],
)
def test_what_the_check_finds(project: Path, change: object, problem: str) -> None:
    catalogues.extract()
    translate(project)
    found = catalogue(project)
    (entry,) = [entry for entry in found if entry.msgid.startswith("Wait")]
    change(entry)  # type: ignore[operator]
    found.save()
    assert [line for line in catalogues.problems() if line.endswith(problem)] != []


def test_a_sentence_that_nobody_extracted_is_a_problem(project: Path) -> None:
    catalogues.extract()
    translate(project)
    (project / "templates" / "other.html").write_text("{% load i18n %}{% translate 'Forgotten' %}")
    assert "locale/it/LC_MESSAGES/django.po: not what the sources say: python -m config.catalogues extract" in (
        catalogues.problems()
    )


def test_a_catalogue_is_compiled_when_it_is_newer_and_then_works(project: Path) -> None:
    catalogues.extract()
    translate(project)
    assert len(catalogues.compile_stale()) == 4
    assert catalogues.compile_stale() == []
    with (project / "locale" / "it" / "LC_MESSAGES" / "django.mo").open("rb") as compiled:
        italian = gettext.GNUTranslations(compiled)
    assert italian.pgettext("cards", "Deal") == "dEAL"
    assert italian.ngettext("%(n)s card", "%(n)s cards", 2) == "%(n)s CARDS"
    assert list(project.rglob(".*.mo.*")) == []


def test_the_project_s_own_catalogues_compile(tmp_path: Path) -> None:
    for source in sorted(catalogues.LOCALE.glob("*/LC_MESSAGES/*.po")):
        polib.pofile(str(source)).save_as_mofile(str(tmp_path / "x.mo"))
        with (tmp_path / "x.mo").open("rb") as compiled:
            found = gettext.GNUTranslations(compiled)
        assert found.info()["content-type"] == "text/plain; charset=utf-8", source
