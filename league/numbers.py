"""Points in words and signs: half-points as 4½, quarters as decimals of the active language, signed differences."""

from decimal import Decimal

from django.utils.formats import number_format
from django.utils.translation import ngettext


def halves(value: int) -> str:
    """Half-points as points: 0 -> `0`, 1 -> `½`, 9 -> `4½`."""
    whole, rest = divmod(abs(value), 2)
    sign = "−" if value < 0 else ""
    return sign + (f"{whole or ''}½" if rest else str(whole))


def quarters(value: int) -> str:
    """Quarter-points as points, with as many decimals as needed: 54 -> `13,5`."""
    return str(number_format((Decimal(value) / 4).normalize().__format__("f"), use_l10n=True))


def duration(seconds: int) -> str:
    """A pace in the largest unit that divides it: `20 seconds`, `5 minutes`, `1 hour`."""
    if seconds and seconds % 3600 == 0:
        return ngettext("%(count)d hour", "%(count)d hours", seconds // 3600) % {"count": seconds // 3600}
    if seconds and seconds % 60 == 0:
        return ngettext("%(count)d minute", "%(count)d minutes", seconds // 60) % {"count": seconds // 60}
    return ngettext("%(count)d second", "%(count)d seconds", seconds) % {"count": seconds}


def signed(value: int) -> str:
    """A difference with its sign: `+12`, `0`, `−3`."""
    return f"+{value}" if value > 0 else f"−{-value}" if value < 0 else "0"
