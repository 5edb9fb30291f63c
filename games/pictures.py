"""The picture of a match for who sees a link to it elsewhere: 1200 x 630, drawn as SVG, made a PNG. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

import resvg_py

WIDTH, HEIGHT = 1200, 630
#: Characters of a name; a longer one is cut.
LONGEST: Final = 18
_FONTS: Final = [str(path) for path in sorted((Path(__file__).parent / "fonts").glob("*.ttf"))]
_COLOURS: Final = ("#9fd0ff", "#ffc59a")
_FELT: Final = (
    '<defs><radialGradient id="felt" cx="50%" cy="40%" r="80%"><stop offset="0" stop-color="#1c6a45"/>'
    '<stop offset="1" stop-color="#0b3a25"/></radialGradient></defs>'
)
_LEFT, _RIGHT, _TOP, _BOTTOM = 120, 1080, 330, 530


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A side of the match: who, the big number beside it, whether it won."""

    name: str
    number: str
    is_winner: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """What is drawn: two sides; under them one pair of points a deal, or the points of each side after each trick."""

    title: str
    foot: str
    sides: tuple[Side, Side]
    deals: tuple[tuple[int, int], ...] = ()
    lines: tuple[tuple[int, ...], ...] = ()


def shortened(name: str) -> str:
    """A name of at most LONGEST characters."""
    return name if len(name) <= LONGEST else name[: LONGEST - 1].rstrip() + "…"


def svg(picture: Picture) -> str:
    """The picture as SVG."""
    one, other = picture.sides
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">',
        _FELT,
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#5a3418"/>',
        f'<rect x="14" y="14" width="{WIDTH - 28}" height="{HEIGHT - 28}" rx="22" fill="url(#felt)"/>',
        _text(600, 78, picture.title, 26, "#e3ece5"),
        *_side(one, 300, _COLOURS[0]),
        *_side(other, 900, _COLOURS[1]),
        _text(600, 235, "–", 84, "#e3ece5"),
        *(_lines(picture.lines) if picture.lines else _deals(picture.deals)),
        _text(600, 588, picture.foot, 24, "#e3ece5"),
        "</svg>",
    ]
    return "".join(parts)


def png(picture: Picture) -> bytes:
    """The picture as PNG, in fonts of our own, so that it looks alike on every machine."""
    made = resvg_py.svg_to_bytes(
        svg_string=svg(picture), skip_system_fonts=True, font_files=_FONTS, font_family="DejaVu Sans"
    )
    return bytes(made)


def _text(x: int, y: int, text: str, size: int, colour: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    shown = escape("".join(character for character in text if character.isprintable()))
    return (
        f'<text x="{x}" y="{y}" font-family="DejaVu Sans" font-size="{size}"{weight} fill="{colour}" '
        f'text-anchor="middle">{shown}</text>'
    )


def _side(side: Side, x: int, colour: str) -> list[str]:
    crown = [_text(x, 128, "♛", 38, "#ffd966")] if side.is_winner else []
    return [
        *crown,
        _text(x, 178, shortened(side.name), 42, colour, bold=side.is_winner),
        _text(x, 285, side.number, 108, "#ffffff", bold=True),
    ]


def _deals(deals: Sequence[tuple[int, int]]) -> list[str]:
    """A plate a deal, the better number first read by its weight."""
    shown = deals[-7:]
    width = 132
    left = 600 - width * len(shown) / 2
    parts = []
    for number, (one, other) in enumerate(shown):
        x = round(left + width * number + width / 2)
        parts += [
            f'<rect x="{x - 58}" y="352" width="116" height="150" rx="14" fill="#08231a" fill-opacity="0.55"/>',
            _text(x, 410, str(one), 40, _COLOURS[0], bold=one > other),
            _text(x, 472, str(other), 40, _COLOURS[1], bold=other > one),
        ]
    return parts


def _lines(lines: Sequence[Sequence[int]]) -> list[str]:
    """Points after each trick, with the line at 60."""
    last = max(1, max(map(len, lines)) - 1)

    def place(index: int, points: int) -> str:
        x = _LEFT + (_RIGHT - _LEFT) * index / last
        return f"{x:.1f},{_BOTTOM - (_BOTTOM - _TOP) * points / 120:.1f}"

    half = (_TOP + _BOTTOM) // 2
    width, height = _RIGHT - _LEFT + 48, _BOTTOM - _TOP + 28
    plate = 'rx="14" fill="#08231a" fill-opacity="0.55"'
    parts = [
        f'<rect x="{_LEFT - 24}" y="{_TOP - 14}" width="{width}" height="{height}" {plate}/>',
        f'<line x1="{_LEFT}" x2="{_RIGHT}" y1="{half}" y2="{half}" stroke="#ffd966" stroke-dasharray="4 8"/>',
    ]
    for points, colour, dash in zip(lines, _COLOURS, ("", ' stroke-dasharray="14 8"'), strict=False):
        road = " ".join(place(index, value) for index, value in enumerate(points))
        parts.append(f'<polyline points="{road}" fill="none" stroke="{colour}" stroke-width="6"{dash}/>')
    return parts
