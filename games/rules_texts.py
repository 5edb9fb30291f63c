"""The rules of a table in words: what a player reads before entering."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from games.engine import Rules, RulesError
from games.faces import card_name


@dataclass(frozen=True, slots=True)
class Fact:
    """A rule: what it is about and what holds."""

    label: str
    text: str


_REDRAW: dict[str, Promise] = {
    "none": _("The card turned up under the stock stays, whatever it is."),
    "A3": _("An ace or a three turned up under the stock is put back and the deck shuffled again."),
    "A3R": _("An ace, a three or a king turned up under the stock is put back and the deck shuffled again."),
}
_TIE: dict[str, Promise] = {
    "draw": _("60 points each: the deal counts for nobody."),
    "last_trick": _("60 points each: who takes the last trick wins the deal."),
}
_TIE_DEALER: dict[str, Promise] = {
    "same": _("After a drawn deal the same dealer deals again."),
    "next": _("After a drawn deal the other player deals."),
}
_STOP: dict[str, Promise] = {
    "no": _("Every deal is played to its last card."),
    "claim": _("Who believes to have 61 points may call and end the deal."),
    "auto": _("A deal ends as soon as a side has 61 points."),
}


_LEAD: dict[str, Promise] = {
    "after": _("The player after the dealer leads the first trick."),
    "before": _("The player before the dealer leads the first trick."),
}
_PARTNERS: dict[str, Promise] = {
    "never": _("Partners never see each other's hands."),
    "start": _("Partners show each other their first three cards."),
    "stock_empty": _("Partners show each other their hands when the stock is empty."),
    "always": _("Partners see each other's hands."),
}
_OPEN: dict[str, Promise] = {
    "hands": _("All hands lie open."),
    "all": _("All hands and the stock lie open."),
}
_SIGNALS: dict[str, Promise] = {
    "none": _("They give no signs."),
    "auto": _("Each learns which trump honours the other has, and how many aces and threes besides."),
}


def facts(code: str) -> list[Fact]:
    """The rules that a code names, one fact a line, in the order in which a deal meets them."""
    try:
        rules = Rules.parse(code)
    except RulesError:
        return [Fact(gettext("Rules"), code)]
    return [
        Fact(gettext("Table"), _table(rules)),
        Fact(gettext("Deck"), _deck(rules)),
        Fact(gettext("Match"), _match(rules)),
        Fact(gettext("Hands"), _hands(rules)),
        Fact(
            gettext("Upcard"),
            str(_REDRAW[rules.redraw]) if rules.trump == "upcard" else gettext("None: no suit is trump."),
        ),
        Fact(
            gettext("Draw"), f"{_TIE[rules.tie]} {_TIE_DEALER[rules.tie_dealer] if rules.tie == 'draw' else ''}".strip()
        ),
        Fact(gettext("End of a deal"), str(_STOP[rules.stop_at_61])),
        Fact(gettext("Dealer"), f"{_dealer(rules)} {_LEAD[rules.first_lead]}"),
        *(
            [Fact(gettext("Partners"), f"{_PARTNERS[rules.partners_see]} {_signals(rules)}".strip())]
            if rules.has_partners and rules.open == "none"
            else []
        ),
    ]


def summary(code: str) -> str:
    """The rules in one line."""
    try:
        rules = Rules.parse(code)
    except RulesError:
        return code
    parts = [_table(rules), _match(rules)]
    if rules.redraw != "none":
        parts.append(str(_REDRAW[rules.redraw]))
    if rules.tie != "draw":
        parts.append(str(_TIE[rules.tie]))
    return " ".join(parts)


def _table(rules: Rules) -> str:
    if rules.n == 2:
        return gettext("One against one.")
    return gettext("%(seats)d seats, %(sides)d sides.") % {"seats": rules.n, "sides": rules.side_count}


def _deck(rules: Rules) -> str:
    if not rules.removed:
        return gettext("40 cards.")
    names = ", ".join(card_name(card) for card in rules.removed)
    return gettext("%(count)d cards, without %(cards)s.") % {"count": len(rules.cards), "cards": names}


def _match(rules: Rules) -> str:
    match rules.kind:
        case "first_to":
            wins = ngettext("first to win %(count)d deal", "first to win %(count)d deals", rules.target)
            return gettext("Best of %(most)d: %(wins)s; at most %(cap)d deals.") % {
                "most": 2 * rules.target - 1, "wins": wins % {"count": rules.target}, "cap": rules.deal_cap,
            }  # fmt: skip
        case "race":
            return gettext("The first side to reach %(points)d points.") % {"points": rules.target}
        case "sum" | "difference":
            return gettext("The card points of %(count)d deals, added up.") % {"count": rules.target}
        case _:
            return ngettext("%(count)d deal.", "%(count)d deals.", rules.target) % {"count": rules.target}


def _hands(rules: Rules) -> str:
    cards = ngettext("%(count)d card each.", "%(count)d cards each.", rules.hand) % {"count": rules.hand}
    return cards if rules.open == "none" else f"{cards} {_OPEN[rules.open]}"


def _dealer(rules: Rules) -> str:
    match rules.first_dealer:
        case "random":
            return gettext("Drawn by lot for the first deal; then the next seat deals.")
        case "lowest":
            return gettext("Who draws the lowest card deals first; then the next seat deals.")
        case "highest":
            return gettext("Who draws the highest card deals first; then the next seat deals.")
        case _:
            return gettext("Always the same seat deals first; then the next one.")


def _signals(rules: Rules) -> str:
    if rules.signals == "signs":
        return gettext("From trick %(number)d on each may make one sign a trick, true or not.") % {
            "number": rules.signs_from
        }
    return str(_SIGNALS[rules.signals])
