"""Template tags of leagues: state chips, scores, seats, points."""

from collections.abc import Sequence
from typing import Any

from django import template

from games.models import Match, MatchState, Seat
from league import reasons
from league.models import Role
from league.numbers import duration, halves
from league.selectors.ratings import whole

register = template.Library()

#: State of anything of ours -> look of its chip (docs/design-system.md).
_TONES = {
    "registration": "open",
    "open": "open",
    "ready": "ready",
    "accepted": "ready",
    "checked_in": "ready",
    "active": "active",
    "running": "playing",
    "live": "playing",
    "playing": "playing",
    "suspended": "paused",
    "paused": "paused",
    "draft": "draft",
    "planned": "planned",
    "confirmed": "planned",
    "released": "queued",
    "queued": "queued",
    "requested": "queued",
    "invited": "queued",
    "pending": "queued",
    "waiting_list": "queued",
    "finished": "finished",
    "final": "finished",
    "archived": "finished",
    "forfeit": "warning",
    "double_forfeit": "warning",
    "withdrawn": "plain",
    "bye": "plain",
    "void": "void",
    "cancelled": "void",
    "refused": "rejected",
    "disqualified": "rejected",
    "banned": "rejected",
}


@register.filter
def tone(state: str) -> str:
    """How the chip of a state looks."""
    return _TONES.get(state, "plain")


@register.inclusion_tag("_chip.html")
def state_chip(row: Any) -> dict[str, str]:
    """The state of a row as a chip: word and shape."""
    return {"state": tone(row.state), "label": row.get_state_display()}


@register.filter
def half(value: int | None) -> str:
    """Half-points as points: 9 -> `4½`."""
    return "" if value is None else halves(value)


@register.filter
def pace(seconds: int) -> str:
    """Seconds between two rounds in words."""
    return duration(seconds)


@register.filter
def seated(match: Match) -> Sequence[Seat]:
    """The seats of a match in playing order."""
    return sorted(match.seats.all(), key=lambda seat: seat.index)


@register.filter
def deals(match: Match) -> str:
    """Deals won by side: `2–1`; empty before the match is played."""
    has_begun = match.state not in (MatchState.PLANNED, MatchState.QUEUED)
    return "–".join(map(str, match.score)) if match.score and has_begun else ""


@register.filter
def reason(stored: str) -> str:
    """A stored reason as a sentence (league.reasons)."""
    return reasons.in_words(stored)


@register.filter
def lookup(table: dict[Any, Any], key: Any) -> Any:
    """A value of a table by its key."""
    return table.get(key, "")


@register.filter
def elo(rating_m: int) -> int:
    """Milli-Elo as the whole number that is shown."""
    return whole(rating_m)


@register.simple_tag
def role_label(role: str) -> str:
    """The name of a role."""
    return str(Role(role).label)
