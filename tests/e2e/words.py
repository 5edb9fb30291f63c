"""Which sentences of a page are of the other language."""

import re
from functools import cache
from pathlib import Path

import allauth
import django
import polib

from config.catalogues import LOCALE

#: Catalogues of the site and of the packages whose forms it shows.
CATALOGUES = (
    LOCALE / "it/LC_MESSAGES/django.po",
    Path(django.__file__).parent / "contrib/auth/locale/it/LC_MESSAGES/django.po",
    Path(allauth.__file__).parent / "locale/it/LC_MESSAGES/django.po",
)
#: Languages are called by their own names, and so are the bots of the house, whose names are also those of levels.
OWN_NAMES = {"English", "Italiano", "Principiante", "Medio", "Esperto"}
_GAP = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}")
#: Every visible text of a page, and what stands in attributes for those who do not see it.
TEXTS = """(() => {
  const found = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const holder = walk.currentNode.parentElement;
    if (holder.closest('script, style, code, pre, [translate=no], [lang]:not(html)')) continue;
    const text = walk.currentNode.textContent.replace(/\\s+/g, ' ').trim();
    if (text) found.add(text);
  }
  for (const one of document.querySelectorAll('[aria-label], [title], [placeholder], [alt], [aria-valuetext]'))
    for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'aria-valuetext'])
      if (one.getAttribute(name)) found.add(one.getAttribute(name).replace(/\\s+/g, ' ').trim());
  found.add(document.title);
  return [...found];
})()"""


def _pattern(sentence: str) -> str:
    """What matches the sentence with anything in its gaps."""
    return ".+?".join(re.escape(" ".join(part.split())) for part in _GAP.split(sentence.replace("%%", "%")))


@cache
def _sentences(language: str) -> tuple[frozenset[str], tuple[re.Pattern[str], ...]]:
    """Sentences of the language that the other one says differently: those without gaps, those with."""
    plain: dict[str, set[str]] = {"it": set(), "en": set()}
    with_gaps: dict[str, set[str]] = {"it": set(), "en": set()}
    for path in CATALOGUES:
        for entry in polib.pofile(str(path)):
            pairs = [(entry.msgid, entry.msgstr)]
            if entry.msgid_plural:
                pairs = [(entry.msgid, entry.msgstr_plural[0]), (entry.msgid_plural, entry.msgstr_plural[1])]
            for english, italian in pairs:
                for tongue, said in (("en", english), ("it", italian)):
                    words = re.findall(r"\w{2,}", _GAP.sub(" ", said))
                    if _GAP.search(said):
                        if len(words) >= 2:
                            with_gaps[tongue].add(said)
                    elif words:
                        plain[tongue].add(" ".join(said.split()))
    other = {"it": "en", "en": "it"}[language]
    patterns = tuple(re.compile(_pattern(said)) for said in sorted(with_gaps[language] - with_gaps[other]))
    return frozenset(plain[language] - plain[other]), patterns


def foreign(texts: list[str], language: str) -> list[str]:
    """The texts that are sentences of the other language than the page's."""
    plain, patterns = _sentences({"it": "en", "en": "it"}[language])
    return [
        text
        for text in texts
        if text not in OWN_NAMES and (text in plain or any(pattern.fullmatch(text) for pattern in patterns))
    ]
