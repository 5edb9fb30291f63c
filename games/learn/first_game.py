"""The guided first game: one deal from a seed, five tricks of it with one idea each, the rest told in a line.

The deal is a real one: the engine shuffles and replays it, and says what every other card would have done.
"""

from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from games import faces
from games.engine import Deal, Rules, format_cards, parse_cards, shuffled
from games.learn.examples import Example, of_moment
from games.learn.moments import Moment, moment_of

SEED: Final = sha256(b"Bella: the first game").digest()
NUMBER: Final = 774139
#: The learner sits at seat 0 and deals, so the opponent leads.
DEALER: Final = 0
PLAYS: Final = "FCRC2C3C2B4CCB6D4B3B6B7S4D7CFBAB5B6S7B6CFD3D5DCDCCAC5CCS4SASRB7D5S2SFS3SRD2DADRS"


@dataclass(frozen=True, slots=True)
class _Idea:
    """An idea and its trick: `ply` = cards played before the learner's."""

    name: str
    ply: int
    title: Promise
    text: Promise
    done: Promise
    hint: Promise


_IDEAS: Final = (
    _Idea(
        "strength",
        1,
        _("Strength"),
        _("In a suit the order is {order}. The opponent leads the {led}. You may play any card: which one takes it?"),
        _("In one suit the higher card takes."),
        _("Look for a higher card of the suit that was led."),
    ),
    _Idea(
        "trump",
        7,
        _("Trump"),
        _(
            "The card under the stock names the trump: {trump}. Any trump takes any card of another suit."
            " Take the {led}."
        ),
        _("The smallest trump is enough against every other suit."),
        _("Look for a card of the trump suit: {trump}."),
    ),
    _Idea(
        "loads",
        29,
        _("Loads"),
        _(
            "Ace and three are the loads: 11 and 10 points, and 61 win the deal."
            " You play last, so a load is safe if it takes. Bring one home."
        ),
        _("A load home, and no trump spent."),
        _("Look for an ace or a three of the suit that was led."),
    ),
    _Idea(
        "draw",
        33,
        _("The draw"),
        _(
            "Who takes draws first. Two cards are left, and the second one is the upcard, the {upcard}:"
            " this time it pays to lose. Give away as little as you can."
        ),
        _("The opponent draws first, and the {upcard} is yours."),
        _("Look for a card that loses the trick and has no points."),
    ),
    _Idea(
        "last",
        35,
        _("The last three"),
        _(
            "Nothing is left to draw. Who counted the cards knows what the opponent still holds: {held}."
            " One of your cards wins the deal."
        ),
        _("After this your two trumps are the highest cards: both tricks are yours."),
        _("Look for the card that takes and leaves you the best two."),
    ),
)


@dataclass(frozen=True, slots=True)
class Step:
    """A trick of the guided game: its idea, the position with its answer, what is said when it is done."""

    name: str
    ply: int
    title: str
    text: str
    done: str
    hint: str
    later: str
    example: Example


@cache
def _deck() -> tuple[int, ...]:
    return shuffled(Rules(), SEED, "", NUMBER).deck


def deal_before(ply: int) -> Deal:
    """The deal after `ply` cards. What the guided game says is read from it."""
    deal = Deal(Rules(), _deck(), DEALER)
    for card in parse_cards(PLAYS)[:ply]:
        deal.play(card)
    return deal


@cache
def _moment(ply: int) -> Moment:
    """The moment of a step; how the deal ends is told in the last one alone."""
    found = moment_of(deal_before(ply), parse_cards(PLAYS)[ply])
    return replace(found, ends=()) if found.stock else found


def steps(deck: str) -> list[Step]:
    """The five tricks in the reader's language and deck."""
    found, before = [], 0
    for idea in _IDEAS:
        now = deal_before(idea.ply)
        tricks = idea.ply // 2
        values = _values(now, deck)
        done = str(idea.done).format(**values)
        question = str(idea.text).format(**values)
        found.append(
            Step(
                name=idea.name,
                ply=idea.ply,
                title=str(idea.title),
                text=question,
                done=done,
                hint=str(idea.hint).format(**values),
                later=_later(tricks - before, now.side_points),
                example=of_moment(_moment(idea.ply), name=idea.name, question="", reason=done, deck=deck),
            )
        )
        before = tricks + 1
    return found


def final_points() -> tuple[int, ...]:
    """How the deal ends: points of the learner and of the opponent."""
    return deal_before(len(parse_cards(PLAYS))).side_points


def script(deck: str) -> dict[str, Any]:
    """What `static/js/learn/first_game.js` plays: the whole deal, and what is said at each step for each card."""
    own, other = final_points()
    return {
        "deck": format_cards(_deck()),
        "plays": PLAYS,
        "dealer": DEALER,
        "steps": [
            {
                "ply": step.ply,
                "title": step.title,
                "text": step.text,
                "done": step.done,
                "hint": step.hint,
                "later": step.later,
                "said": {choice.card: choice.text for choice in step.example.choices},
            }
            for step in steps(deck)
        ],
        "words": {
            "step": gettext("Step {number} of {count}"),
            "card": gettext("{card}. {said}"),
            "stock_one": gettext("{count} card to draw"),
            "stock": gettext("{count} cards to draw"),
            "empty": gettext("the stock is empty"),
            "next": gettext("Next trick"),
            "finish": gettext("Play it out"),
            "over": gettext("You win your first deal, {own} to {other}.").format(own=own, other=other),
        },
    }


def _values(deal: Deal, deck: str) -> dict[str, str]:
    names = faces.rank_letters(deck)
    seen = deal.observe(deal.turn)
    held = deal.observe(1 - deal.turn).hand
    return {
        "order": " ".join(names[rank] for rank in faces.STRENGTH),
        "led": faces.card_name(seen.table[0][1], deck),
        "trump": faces.suit_names(deck)[seen.trump],
        "upcard": faces.card_name(seen.upcard, deck),
        "held": ", ".join(faces.card_name(card, deck) for card in held),
    }


def _later(tricks: int, points: tuple[int, ...]) -> str:
    """What happened since the last step; empty when nothing did."""
    if tricks < 1:
        return ""
    text = ngettext(
        "%(count)d trick later: you have %(own)d points, the opponent %(other)d.",
        "%(count)d tricks later: you have %(own)d points, the opponent %(other)d.",
        tricks,
    )
    return text % {"count": tricks, "own": points[0], "other": points[1]}
