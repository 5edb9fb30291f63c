"""Code in colours: lines of escaped HTML.

`tok-k` are keywords, `tok-s` texts, `tok-c` comments, `tok-n` numbers, `tok-d` names that are defined and keys.
"""

import io
import keyword
import re
import tokenize
from typing import Final

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

_JSON: Final = re.compile(r'(?P<d>"[^"]*")(?=:)|(?P<s>"[^"]*")|(?P<k>true|false|null)|(?P<n>-?\d+)')
_Mark = tuple[int, int, str]


#: Longer files stay without colours: marks would make a page of many megabytes of them.
MOST: Final = 64 << 10


def plain(text: str) -> tuple[SafeString, ...]:
    """Lines without colours."""
    return tuple(escape(line) for line in _lines(text))


def python(text: str) -> tuple[SafeString, ...]:
    """Lines of a Python file, anybody's; without colours where it cannot be read or is very long."""
    if len(text) > MOST or "\0" in text:  # a NUL breaks the tokenizer of Python 3.12
        return plain(text)
    text = _unix(text)
    lines = _lines(text)
    marks: list[list[_Mark]] = [[] for _ in lines]
    defines = False
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            kind = _kind(token, defines=defines)
            defines = token.type == tokenize.NAME and token.string in {"def", "class"}
            if kind:
                (first, start), (last, end) = token.start, token.end
                for row in range(first, last + 1):
                    here = start if row == first else 0, end if row == last else len(lines[row - 1])
                    if here[0] < here[1]:
                        marks[row - 1].append((*here, kind))
    except (tokenize.TokenError, SyntaxError, SyntaxWarning):
        return plain(text)
    return tuple(_line(line, found) for line, found in zip(lines, marks, strict=True))


def json_line(text: str) -> SafeString:
    """One line of JSON."""
    return _line(text, [(*match.span(), str(match.lastgroup)) for match in _JSON.finditer(text)])


def _unix(text: str) -> str:
    """With the line ends that Python makes of them; nothing else (a form feed, U+2028) ends a line of a program."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _lines(text: str) -> list[str]:
    return _unix(text).removesuffix("\n").split("\n") if text else []


def _kind(token: tokenize.TokenInfo, *, defines: bool) -> str:
    match token.type:
        case tokenize.COMMENT:
            return "c"
        case tokenize.STRING:
            return "s"
        case tokenize.NUMBER:
            return "n"
        case tokenize.NAME if keyword.iskeyword(token.string):
            return "k"
        case tokenize.NAME if defines:
            return "d"
    # from Python 3.12 on an f-string comes in parts
    return "s" if tokenize.tok_name[token.type].startswith("FSTRING") else ""


def _line(text: str, marks: list[_Mark]) -> SafeString:
    parts, at = [], 0
    for first, end, kind in marks:
        start = max(first, at)  # whatever the tokenizer says, every character is shown once
        parts += [escape(text[at:start]), format_html('<span class="tok-{}">{}</span>', kind, text[start:end])]
        at = max(at, end)
    return mark_safe("".join([*parts, escape(text[at:])]))  # noqa: S308 - every part is escaped
