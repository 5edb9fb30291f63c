"""What is played, in a few words: length and pace of a match that somebody offers or has begun."""

from django import template
from django.utils.translation import gettext as _

from games.clocks import parse_clock
from games.engine import Rules
from games.errors import BadMatch

register = template.Library()


@register.filter
def match_length(code: str) -> str:
    """How long a match by these rules is: "best of 3", "one deal"; two against two is said before it."""
    rules = Rules.parse(code)
    match (rules.kind, rules.target):
        case ("first_to" | "deals", 1):
            found = _("one deal")
        case ("first_to", target):
            found = _("best of {n}").format(n=2 * target - 1)
        case ("race", target):
            found = _("to {n} points").format(n=target)
        case (_kind, target):
            found = _("{n} deals").format(n=target)
    return f"{_('two against two')} · {found}" if rules.has_partners else found


@register.filter
def match_clock(code: str) -> str:
    """The time of a seat: "3 min + 5 s", "no clock"."""
    try:
        found = parse_clock(code)
    except BadMatch:
        return code
    if found is None:
        return _("no clock")
    step = found.increment_ms // 1000
    if found.bank_ms % 60_000 == 0:
        return _("{bank} min + {step} s").format(bank=found.bank_ms // 60_000, step=step)
    return _("{bank} s + {step} s").format(bank=found.bank_ms // 1000, step=step)
