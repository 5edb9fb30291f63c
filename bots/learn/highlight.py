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


def plain(text: str) -> tuple[SafeString, ...]:
    """Lines without colours."""
    return tuple(escape(line) for line in text.splitlines())


def python(text: str) -> tuple[SafeString, ...]:
    """Lines of a Python file; without colours where it cannot be read."""
    lines = text.splitlines()
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
    except (tokenize.TokenError, SyntaxError):
        return plain(text)
    return tuple(_line(line, found) for line, found in zip(lines, marks, strict=True))


def json_line(text: str) -> SafeString:
    """One line of JSON."""
    return _line(text, [(*match.span(), str(match.lastgroup)) for match in _JSON.finditer(text)])


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
    for start, end, kind in marks:
        parts += [escape(text[at:start]), format_html('<span class="tok-{}">{}</span>', kind, text[start:end])]
        at = end
    return mark_safe("".join([*parts, escape(text[at:])]))  # noqa: S308 - every part is escaped
