"""Presets: the rules of five sources to the letter, two variants, and the choices that each leaves open.

Where a source is silent the preset takes the default. `fantacarte` is also the site's default, so it may be had with
every number of seats that is offered (2, 3, 4, 6); its source speaks of 2 and 4.
"""

from collections.abc import Mapping
from typing import Any, Final

from .errors import RulesError, shown

PRESETS: Final[dict[str, tuple[int, ...]]] = {
    "fantacarte": (2, 3, 4, 6),
    "guida": (2, 3, 4, 5, 6, 8),
    "chiara": (2, 3, 4, 6),
    "classica": (2, 3, 4),
    "luciano": (2, 4),
    "scoperta": (2, 3, 4, 6),
    "briscolone": (2,),
}
"""Numbers of seats by preset."""

CHOICES: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "chiara": {"redraw": ("A3", "none"), "format": ("first_to:2", "first_to:3", "race:120")},
    "classica": {"redraw": ("A3R", "none"), "format": ("first_to:2", "sum", "difference"), "direction": ("ccw", "cw")},
    "scoperta": {"open": ("hands", "all")},
}
"""What a preset leaves open: option -> values, the usual one first."""


def preset_fields(name: str, n: int, options: Mapping[str, str]) -> dict[str, Any]:
    """Fields of `Rules` for a preset. Raises RulesError `rules.preset`."""
    if not isinstance(name, str) or name not in PRESETS:
        raise RulesError("rules.preset", f"{shown(name)} is not a preset; take {', '.join(PRESETS)}.", preset=name)
    if n not in PRESETS[name]:
        seats = ", ".join(map(str, PRESETS[name]))
        raise RulesError("rules.preset", f"The preset {name} is for {seats} seats, not {shown(n)}.", preset=name, n=n)
    choices = CHOICES.get(name, {})
    for option, value in options.items():
        allowed = choices.get(option, ())
        # "sum" allows sum:1, sum:2 ...; Rules itself checks the number
        if not isinstance(value, str) or (value not in allowed and value.partition(":")[0] not in allowed):
            open_to = " or ".join(allowed) or "no choice"
            raise RulesError(
                "rules.preset", f"The preset {name} leaves {open_to} for {shown(option)}.", preset=name, field=option
            )
    return {"n": n, **_fixed(name, n), **options}


def _fixed(name: str, n: int) -> dict[str, Any]:
    pairs = n in (4, 6)
    match name:
        case "fantacarte":
            return {"direction": "cw" if n == 4 else "ccw"}
        case "guida":
            return {
                "format": "deals:1",
                "first_dealer": "lowest",
                "first_lead": "before",
                "partners_see": "start" if pairs else "never",
                "stop_at_61": "claim" if n == 2 else "no",
            }
        case "chiara":
            return {"redraw": "A3", "signals": "signs" if pairs else "none"}
        case "classica":
            return {"redraw": "A3R", "first_dealer": "lowest"}
        case "scoperta":
            return {"open": "hands"}
        case "briscolone":
            return {"hand": 5, "trump": "none", "format": "race:121"}
        case _:
            return {"format": "deals:1", "signals": "auto" if pairs else "none"}
