"""Translations without the system's gettext: Babel finds the sentences, polib keeps and compiles the catalogues.

    python -m config.catalogues extract   bring locale/*/LC_MESSAGES/*.po in line with the sources (keeps translations)
    python -m config.catalogues check     1 and a list of what is wrong: stale, empty, fuzzy, other placeholders
    python -m config.catalogues compile   write the .mo files (generated, not in the repository)

English sentences are the message ids, so the English catalogue may stay empty.
"""

import os
import re
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import polib

PROJECT = Path(__file__).resolve().parent.parent
LOCALE = PROJECT / "locale"
LANGUAGES = ("it", "en")
#: Languages in which nothing may be missing.
COMPLETE = ("it",)
#: Folders with sentences of the site.
SOURCES = ("accounts", "bots", "config", "games", "league", "templates")
#: Domain `djangojs` is what scripts ask for (django.views.i18n.JSONCatalog).
SCRIPTS = ("static/js",)
KEYWORDS = {
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "_": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
    "npgettext_lazy": ((1, "c"), 2, 3),
}
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}")
METADATA = {"MIME-Version": "1.0", "Content-Type": "text/plain; charset=utf-8", "Content-Transfer-Encoding": "8bit"}
PLURAL_FORMS = {"it": "nplurals=2; plural=(n != 1);", "en": "nplurals=2; plural=(n != 1);"}

#: context, singular, plural ("" when there is none)
Message = tuple[str | None, str, str]


def compile_stale() -> list[Path]:
    """Compile each catalogue whose .mo is missing or older than its .po; return the files written.

    Several processes may do it at once: a file appears whole or not at all.
    """
    written = []
    for source in sorted(LOCALE.glob("*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime_ns >= source.stat().st_mtime_ns:
            continue
        fresh = target.with_name(f".{target.name}.{os.getpid()}")
        polib.pofile(str(source)).save_as_mofile(str(fresh))
        fresh.replace(target)
        written.append(target)
    return written


def extract() -> list[Path]:
    """Bring the catalogues in line with the sources; translations stay, sentences that are gone go."""
    changed = []
    for path, text in _expected().items():
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            changed.append(path)
    return changed


def problems() -> list[str]:
    """What `check` reports, a line each."""
    found = []
    for path, text in _expected().items():
        name = path.relative_to(PROJECT)
        if not path.exists() or path.read_text() != text:
            found.append(f"{name}: not what the sources say: python -m config.catalogues extract")
        language = path.relative_to(LOCALE).parts[0]
        for entry in polib.pofile(text):
            found += [f"{name}: {entry.msgid!r}: {what}" for what in _faults(entry, complete=language in COMPLETE)]
    return found


def _faults(entry: polib.POEntry, *, complete: bool) -> Iterator[str]:
    forms = list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]
    if entry.fuzzy:
        yield "fuzzy"
    if complete and not all(forms):
        yield "not translated"
    wanted = set(PLACEHOLDER.findall(entry.msgid)) | set(PLACEHOLDER.findall(entry.msgid_plural))
    for form in filter(None, forms):
        used = set(PLACEHOLDER.findall(form))
        if used - wanted or (not entry.msgid_plural and used != wanted):
            yield f"placeholders {sorted(used)} instead of {sorted(wanted)}"
    if "#-#-#" in "".join(forms):
        yield "left over from a merge"


def _expected() -> dict[Path, str]:
    """Each catalogue as it should be on the disk."""
    found = {"django": _messages(SOURCES), "djangojs": _messages(SCRIPTS)}
    return {
        path: _merged(path, found[domain], language)
        for language in LANGUAGES
        for domain in found
        for path in [LOCALE / language / "LC_MESSAGES" / f"{domain}.po"]
    }


def _merged(path: Path, messages: dict[Message, list[str]], language: str) -> str:
    """The text of a catalogue with exactly these messages and the translations that `path` has of them."""
    known = {}
    if path.exists():
        known = {(entry.msgctxt, entry.msgid): entry for entry in polib.pofile(str(path))}
    result = polib.POFile()
    result.metadata = METADATA | {"Language": language, "Plural-Forms": PLURAL_FORMS[language]}
    for context, singular, plural in sorted(messages, key=lambda message: (message[1], message[0] or "")):
        old = known.get((context, singular))
        entry = polib.POEntry(
            msgctxt=context,
            msgid=singular,
            msgid_plural=plural,
            occurrences=[(where, "") for where in messages[context, singular, plural]],
            flags=[flag for flag in (old.flags if old else []) if flag == "fuzzy"],
            tcomment=old.tcomment if old else "",
        )
        if plural:
            forms = old.msgstr_plural if old else {}
            entry.msgstr_plural = {number: forms.get(number, "") for number in (0, 1)}
        else:
            entry.msgstr = old.msgstr if old else ""
        result.append(entry)
    return str(result)


def _messages(folders: tuple[str, ...]) -> dict[Message, list[str]]:
    """Every message below `folders` with the files that use it (no lines: they would change with every edit)."""
    found: dict[Message, set[str]] = {}
    for folder in folders:
        for path in sorted((PROJECT / folder).rglob("*")):
            if path.suffix in METHODS and "migrations" not in path.parts:
                for message in _messages_of(path):
                    found.setdefault(message, set()).add(path.relative_to(PROJECT).as_posix())
    singulars: dict[tuple[str | None, str], Message] = {}
    for message in found:  # one entry a msgid: the plural form wins, as in gettext
        other = singulars.setdefault(message[:2], message)
        if message[2] and not other[2]:
            singulars[message[:2]] = message
    result: dict[Message, set[str]] = {}
    for message, files in found.items():
        result.setdefault(singulars[message[:2]], set()).update(files)
    return {message: sorted(files) for message, files in result.items()}


#: How Babel reads a file.
METHODS = {".py": "python", ".html": "python", ".txt": "python", ".js": "javascript"}


def _messages_of(path: Path) -> Iterator[Message]:
    from babel.messages.extract import extract as find

    text = path.read_text()
    if path.suffix in {".html", ".txt"}:
        text = _as_python(text, path)
    for _line, message, _comments, context in find(METHODS[path.suffix], BytesIO(text.encode()), KEYWORDS):
        parts = message if isinstance(message, tuple) else (message,)
        parts = tuple(part for part in parts if part is not None)
        if parts and parts[0]:
            yield context, parts[0], parts[1] if len(parts) > 1 else ""


def _as_python(text: str, path: Path) -> str:
    """A template as Django shows it to xgettext: calls of gettext between filler; indentation would stop the reader."""
    from django.utils.translation.template import templatize

    calls = templatize(text, origin=str(path))
    return "\n".join(line.strip() for line in calls.splitlines())


def main(arguments: list[str]) -> int:
    """Run one of the commands."""
    if arguments == ["extract"]:
        for path in extract():
            print(path.relative_to(PROJECT))
        return 0
    if arguments == ["compile"]:
        compile_stale()
        return 0
    if arguments == ["check"]:
        found = problems()
        print("\n".join(found[:50]), end="\n" if found else "")
        if len(found) > 50:
            print(f"... and {len(found) - 50} more")
        return 1 if found else 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
