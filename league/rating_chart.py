"""The history of a rating as a picture: places of points, grid and marks in units of an SVG's viewBox."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from accounts.dates import written
from league.selectors.ratings import HistoryPoint, whole

WIDTH, HEIGHT = 720, 240
LEFT, RIGHT, TOP, BOTTOM = 46, 708, 14, 208
#: Points drawn at most, and rows of the table beside them.
MOST_POINTS: Final = 240
MOST_ROWS: Final = 50
#: Distances of the grid, milli-Elo; the smallest that gives at most six lines is taken.
_STEPS: Final = tuple(step * 1000 for step in (5, 10, 20, 25, 50, 100, 200, 250, 500, 1000))
#: A mark nearer to the one before would be written over it.
_MARK_GAP: Final = 34


@dataclass(frozen=True, slots=True)
class _Scale:
    """From milli-Elo and the number of a point to places."""

    low: int
    high: int
    last: int

    def x(self, index: float) -> float:
        """Across, evenly: a period a step."""
        return round(LEFT + (RIGHT - LEFT) * index / max(1, self.last), 1)

    def y(self, rating_m: int) -> float:
        """Up."""
        return round(BOTTOM - (BOTTOM - TOP) * (rating_m - self.low) / (self.high - self.low), 1)


def chart(points: Sequence[HistoryPoint], *, name: str, labels: dict[int, str]) -> dict[str, Any] | None:
    """What `_chart_rating.html` draws, from points in their order; None for fewer than two.

    `labels` are the names of versions by primary key: each version is marked where it begins.
    """
    if len(points) < 2:
        return None
    shown = thinned(points)
    step, low, high = _grid([point.rating_m for point in shown])
    scale = _Scale(low, high, len(shown) - 1)
    first, last = whole(shown[0].rating_m), whole(shown[-1].rating_m)
    best = max(point.rating_m for point in points)
    return {
        "id": "rating",
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "right": RIGHT,
        "top": TOP,
        "bottom": BOTTOM,
        "title": _("Elo of %(name)s") % {"name": name},
        "desc": _("From %(first)d to %(last)d in %(count)d rating periods, highest %(best)d.")
        % {"first": first, "last": last, "count": len(points), "best": whole(best)},
        "points": [(scale.x(index), scale.y(point.rating_m)) for index, point in enumerate(shown)],
        "band": (),
        "y_ticks": [(scale.y(value), str(whole(value))) for value in range(low, high + 1, step)],
        "x_ticks": _dates(shown, scale),
        "marks": _marks(shown, scale, labels),
        "headers": (_("Day"), _("Version"), "Elo", _("Rated matches")),
        "rows": [
            (
                written(point.day, "j M Y"),
                labels.get(point.version or 0, ""),
                whole(point.rating_m),
                point.n,
            )
            for point in reversed(points[-MOST_ROWS:])
        ],
    }


def thinned(points: Sequence[HistoryPoint]) -> list[HistoryPoint]:
    """At most MOST_POINTS of them, evenly chosen, the first and the last always."""
    if len(points) <= MOST_POINTS:
        return list(points)
    return [points[index * (len(points) - 1) // (MOST_POINTS - 1)] for index in range(MOST_POINTS)]


def _grid(values: Sequence[int]) -> tuple[int, int, int]:
    """Step, lowest and highest line of a grid that holds all values."""
    low, high = min(values), max(values)
    for step in _STEPS:
        bottom, top = low // step * step, -(-high // step) * step
        top = max(top, bottom + step)
        if (top - bottom) // step <= 5:
            break
    return step, bottom, top


def _dates(points: Sequence[HistoryPoint], scale: _Scale) -> list[tuple[float, str]]:
    """Up to five days under the picture: the first, the last and some between; one when all is of one day."""
    places = sorted({index * scale.last // 4 for index in range(5)})
    found: list[tuple[float, str]] = []
    known = set()
    for place in places:
        day = points[place].day
        if day not in known:
            known.add(day)
            found.append((min(max(scale.x(place), LEFT + 16), RIGHT - 20), written(day, "j M")))
    return found


def _marks(points: Sequence[HistoryPoint], scale: _Scale, labels: dict[int, str]) -> list[tuple[float, str]]:
    """Where each version begins, leaving out those too near to the one before."""
    marks: list[tuple[float, str]] = []
    before = None
    for index, point in enumerate(points):
        if point.version != before and point.version in labels:
            place = scale.x(index)
            if not marks or place - marks[-1][0] >= _MARK_GAP:
                marks.append((place, labels[point.version]))
        before = point.version
    return marks
