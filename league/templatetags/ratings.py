"""Template filters of ratings: milli-Elo and parts per million as people read them."""

from decimal import Decimal

from django import template
from django.utils.formats import number_format

from league.rating import div_round
from league.selectors.ratings import ESTABLISHED, whole

register = template.Library()
MINUS = "−"


@register.filter
def whole_elo(rating_m: int | None) -> str:
    """Milli-Elo as the whole number that is shown: 1512345 -> `1512`."""
    return "" if rating_m is None else str(whole(rating_m))


@register.filter
def elo_with_doubt(rating_m: int | None, n: int | None) -> str:
    """The whole number, with a question mark while there are too few rated matches: `1512?`."""
    return "" if rating_m is None else f"{whole(rating_m)}{'' if (n or 0) >= ESTABLISHED else '?'}"


@register.filter
def exact_elo(rating_m: int) -> str:
    """Milli-Elo with all its decimals: 1512345 -> `1512,345`."""
    return number_format(Decimal(rating_m) / 1000, decimal_pos=3, use_l10n=True, force_grouping=False)


@register.filter
def exact_change(delta_m: int) -> str:
    """A change with its sign and all its decimals: 7412 -> `+7,412`."""
    return _signed(delta_m, number_format(abs(Decimal(delta_m)) / 1000, decimal_pos=3, use_l10n=True))


@register.filter
def elo_change(delta_m: int) -> str:
    """A change with its sign and one decimal: 7412 -> `+7,4`."""
    tenths = div_round(delta_m, 100)
    return _signed(tenths, number_format(abs(Decimal(tenths)) / 10, decimal_pos=1, use_l10n=True))


@register.filter
def parts(ppm: int, decimals: int = 3) -> str:
    """Parts per million as a share of one: 640065 -> `0,640`."""
    unit = 10 ** (6 - decimals)
    return number_format(Decimal(div_round(ppm, unit)) / 10**decimals, decimal_pos=decimals, use_l10n=True)


@register.filter
def percent_of(ppm: int) -> str:
    """Parts per million in per cent with one decimal: 640065 -> `64,0`."""
    return number_format(Decimal(div_round(ppm, 1000)) / 10, decimal_pos=1, use_l10n=True)


def _signed(sign: int, text: str) -> str:
    return f"+{text}" if sign > 0 else f"{MINUS}{text}" if sign < 0 else f"±{text}"
