"""Analyses of the deals of a match, for its replay: as data for programs, as sentences for the page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext, pgettext

from games import faces
from games.models import Analysis, Match

#: Seconds after which who was told to wait may ask again.
RETRY_AFTER_S: Final = 1


def made_by_deal(match: Match) -> dict[int, dict[str, Any]]:
    """Number of the deal -> {`method`, `luck`, `plays`} of the analyses that are made.

    Whoever calls has asked `can_see_seed` before.
    """
    rows = Analysis.objects.filter(deal__match=match, made_at__isnull=False)
    return {
        row["deal__number"]: {"method": row["method"], "luck": row["luck"], "plays": row["plays"]}
        for row in rows.values("deal__number", "method", "luck", "plays").order_by("deal__number")
    }


@dataclass(frozen=True, slots=True)
class Note:
    """A card that gave points away. `ply` = the position after it."""

    ply: int
    lost: int
    text: str


@dataclass(frozen=True, slots=True)
class AnalysisView:
    """What the panel says of a deal: its luck, the mistakes of the ending, what open cards would have allowed."""

    luck: str
    net: str
    mistakes: tuple[Note, ...]
    chances: tuple[Note, ...]
    has_plays: bool
    has_exact: bool


def analysis_view(entry: Mapping[str, Any], names: Sequence[str], *, n: int, deck: str) -> AnalysisView | None:
    """The panel of one deal of the replay data; None before its analysis is made."""
    found = entry.get("analysis")
    if not found:
        return None
    notes = [(play["is_exact"], _note(play, names, n, deck)) for play in found["plays"] if play["lost"]]
    luck, net = _luck(found["luck"], entry["points"], names)
    return AnalysisView(
        luck=luck,
        net=net,
        mistakes=tuple(note for is_exact, note in notes if is_exact),
        chances=tuple(note for is_exact, note in notes if not is_exact),
        has_plays=bool(found["plays"]),
        has_exact=any(play["is_exact"] for play in found["plays"]),
    )


def points_lost(points: int) -> str:
    """`4` -> "4 points lost"."""
    return ngettext("{n} point lost", "{n} points lost", points).format(n=points)


def _note(play: Mapping[str, Any], names: Sequence[str], n: int, deck: str) -> Note:
    best = pgettext("between cards", " or ").join(faces.card_name(code, deck) for code in play["best"])
    text = gettext("Trick {trick}: {name}, {card}. Better: {best} ({lost})").format(
        trick=play["ply"] // n + 1,
        name=names[play["seat"]],
        card=faces.card_name(play["card"], deck),
        best=best,
        lost=points_lost(play["lost"]),
    )
    return Note(play["ply"] + 1, play["lost"], text)


def _luck(tenths: Sequence[int] | None, points: Sequence[int], names: Sequence[str]) -> tuple[str, str]:
    """Who was luckier and by how much; the difference of points without it."""
    if tenths is None:
        return "", ""
    lucky = 0 if tenths[0] >= 0 else 1
    net = 10 * (points[0] - points[1]) - tenths[0]
    ahead = 0 if net >= 0 else 1
    return (
        gettext("{name} +{points} points").format(name=names[lucky], points=_decimal(abs(tenths[0]))),
        gettext("{name} +{points} points").format(name=names[ahead], points=_decimal(abs(net))),
    )


def _decimal(tenths: int) -> str:
    return str(number_format(tenths / 10, decimal_pos=1))
