"""Example positions in the reader's language and deck: cards, question, and the answer that the engine gives."""

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext, npgettext
from django.utils.translation import gettext_lazy as _

from games import faces
from games.learn.ideas import moment
from games.learn.moments import Moment

#: Tricks that are over: who takes, or what it brings. In all others a card is to be chosen.
FINISHED: Final = frozenset({"same_suit", "trump", "other_suit", "count", "marks"})

_QUESTIONS: Final[dict[str, Promise]] = {
    "same_suit": _("Who takes, and how many points?"),
    "trump": _("Who takes, and how many points?"),
    "other_suit": _("Who takes, and how many points?"),
    "count": _("How many points does this trick bring?"),
    "marks": _("What do the marks say?"),
    "told": _("Your partner signals this: what is in that hand?"),
}
_CHOOSE: Final[Promise] = _("Your turn: which card?")
_REASONS: Final[dict[str, Promise]] = {
    "same_suit": _("One suit and no trump: the higher card takes."),
    "trump": _("Any trump takes any card of another suit, a load too."),
    "other_suit": _("A card of another suit that is no trump takes nothing, whatever it is worth."),
    "count": _("Whoever takes banks the points of both cards."),
    "marks": _("The 1 stands on the card that was led, the crown on the card that takes."),
    "plain": _("Nothing lies there: give a card without points, keep the trump for a better trick."),
    "load_home": _("You play last, nobody can take it from you: bring the load home while its suit is led."),
    "trump_for_load": _("A load is worth a trump, and the smallest trump is enough."),
    "lead": _("Who leads gives the other one the choice: lead what costs nothing."),
    "upcard": _("The last draw: who loses this trick draws the upcard, and it is worth more than what lies there."),
    "last_three": _("No card is left to draw: who counted knows both hands, and one card alone wins."),
    "give_partner": _("The trick is your partner's and nobody plays after you: a load comes home safely."),
    "save_trick": _("The other side holds a load: a small trump turns the trick."),
    "told": _("Every trump honour is named; the loads of the other suits are counted, not named."),
}


@dataclass(frozen=True, slots=True)
class Laid:
    """A card of the picture. `who` stands below it; `leads` and `wins` are marked."""

    code: str
    who: str = ""
    leads: bool = False
    wins: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """What a card of the hand does, in a sentence."""

    card: str
    text: str
    is_right: bool


@dataclass(frozen=True, slots=True)
class Example:
    """A drawn position and its answer.

    `theirs`, `score`: the opponent's hand and the points, where the deal is near its end; `signal` = trump honours,
    each with whether it is held, and the number of loads in words; `shown` = cards that the answer uncovers.
    """

    name: str
    question: str
    trump: str
    upcard: str
    stock: str
    table: tuple[Laid, ...]
    hand: tuple[str, ...]
    theirs: tuple[str, ...]
    score: str
    signal: tuple[tuple[tuple[str, bool], ...], str] | None
    answer: str
    reason: str
    choices: tuple[Choice, ...]
    shown: tuple[str, ...]


def examples(*names: str, deck: str) -> dict[str, Example]:
    """The examples of a page, by name."""
    return {name: _example(name, deck) for name in names}


def of_moment(found: Moment, *, name: str, question: str, reason: str, deck: str) -> Example:
    """A position where a card is to be chosen."""
    return Example(
        name=name,
        question=question,
        trump=found.trump,
        upcard=found.upcard,
        stock=_stock(found.stock),
        table=_table(found),
        hand=found.hand,
        theirs=found.theirs,
        score=_score(found) if found.ends else "",
        signal=None,
        answer=faces.card_name(found.right, deck) + ".",
        reason=reason,
        choices=choices(found),
        shown=(),
    )


def choices(found: Moment) -> tuple[Choice, ...]:
    """Each card of the hand with what it does: how the deal ends where that is known, else who takes."""
    told = {end.card: _ends(end.own, end.other) for end in found.ends} or {
        one.card: _takes(found, one.winner, one.points) for one in found.outcomes
    }
    return tuple(Choice(card, told[card], card == found.right) for card in found.hand if card in told)


def seat_name(found: Moment, seat: int) -> str:
    """How a seat is called by the one on turn."""
    if seat == found.seat:
        return gettext("You")
    return gettext("Partner") if found.seats == 4 and (seat - found.seat) % 2 == 0 else gettext("Opponent")


def _example(name: str, deck: str) -> Example:
    found = moment(name)
    chosen = of_moment(
        found, name=name, question=str(_QUESTIONS.get(name, _CHOOSE)), reason=str(_REASONS[name]), deck=deck
    )
    if name == "told":
        return _signal_example(chosen, found, deck)
    if name not in FINISHED:
        return chosen
    outcome = found.outcome
    answer = _takes(found, outcome.winner, outcome.points)
    if name == "count":
        worths = [faces.POINTS.get(card[0], 0) for card in (*(card for _seat, card in found.table), found.right)]
        answer = f"{' + '.join(map(str, worths))} = {sum(worths)}. {answer}"
    return Example(
        name=name,
        question=chosen.question,
        trump=found.trump,
        upcard="",
        stock="",
        table=_finished(found, is_marked=name == "marks"),
        hand=(),
        theirs=(),
        score="",
        signal=None,
        answer=answer,
        reason=chosen.reason,
        choices=(),
        shown=(),
    )


def _signal_example(chosen: Example, found: Moment, deck: str) -> Example:
    honours, loads = found.signal
    letters = faces.rank_letters(deck)
    told = tuple((letters[rank], rank in honours) for rank in "A3RCF")
    return Example(
        name=chosen.name,
        question=chosen.question,
        trump=found.trump,
        upcard=found.upcard,
        stock=chosen.stock,
        table=(),
        hand=(),
        theirs=(),
        score="",
        signal=(told, ngettext("%(count)d load besides", "%(count)d loads besides", loads) % {"count": loads}),
        answer=", ".join(faces.card_name(card, deck) for card in found.partner) + ".",
        reason=chosen.reason,
        choices=(),
        shown=found.partner,
    )


def _table(found: Moment) -> tuple[Laid, ...]:
    return tuple(Laid(card, seat_name(found, seat), leads=at == 0) for at, (seat, card) in enumerate(found.table))


def _finished(found: Moment, *, is_marked: bool) -> tuple[Laid, ...]:
    """The trick with the right card on it; marked, it also says who takes."""
    lying = (*found.table, (found.seat, found.right))
    return tuple(
        Laid(card, seat_name(found, seat), leads=at == 0, wins=is_marked and seat == found.outcome.winner)
        for at, (seat, card) in enumerate(lying)
    )


def _score(found: Moment) -> str:
    return gettext("You have %(own)d points, the opponent %(other)d.") % {
        "own": found.points[0],
        "other": found.points[1],
    }


def _stock(left: int) -> str:
    if not left:
        return gettext("the stock is empty")
    return ngettext("%(count)d card to draw", "%(count)d cards to draw", left) % {"count": left}


def _takes(found: Moment, winner: int, points: int) -> str:
    if winner == found.seat:
        text = npgettext("trick", "You take, %(points)d point.", "You take, %(points)d points.", points)
    elif found.seats == 4 and (winner - found.seat) % 2 == 0:
        text = npgettext(
            "trick", "Your partner takes, %(points)d point.", "Your partner takes, %(points)d points.", points
        )
    else:
        text = npgettext(
            "trick", "The opponent takes, %(points)d point.", "The opponent takes, %(points)d points.", points
        )
    return text % {"points": points}


def _ends(own: int, other: int) -> str:
    if own == other:
        return gettext("The deal ends 60 to 60, drawn.")
    text = (
        gettext("You win the deal, %(own)d to %(other)d.")
        if own > other
        else gettext("You lose the deal, %(own)d to %(other)d.")
    )
    return text % {"own": own, "other": other}
