"""The ten common mistakes: wrong code, what becomes of it in the checks, right code. The tests make every check."""

from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from bots.learn.files import Snippet, snippet
from bots.upload_texts import title


@dataclass(frozen=True, slots=True)
class Mistake:
    """`name` is that of the files; `check` and `code` are where and how the wrong one ends."""

    name: str
    title: Promise
    text: Promise
    check: str
    code: str

    @property
    def wrong(self) -> Snippet:
        """How it is done."""
        return snippet(f"mistakes/{self.name}_wrong.py")

    @property
    def right(self) -> Snippet:
        """How it should be done."""
        return snippet(f"mistakes/{self.name}_right.py")

    @property
    def verdict(self) -> str:
        """The kind of the fault, or the code of what is refused."""
        return self.code.removeprefix("fault.")

    @property
    def is_fault(self) -> bool:
        """Whether the version is rejected; else it is a remark."""
        return self.code != "check.not_reproducible"

    @property
    def found_in(self) -> str:
        """The check that finds it, as the page of a version calls it."""
        return title(self.check)


MISTAKES: Final = (
    Mistake(
        "lead",
        _("Forgetting that you may lead"),
        _("Every second trick or so view.table is empty: you play first, and there is no card to answer."),
        "self_play",
        "fault.crash",
    ),
    Mistake(
        "no_card",
        _("A way through the function that returns nothing"),
        _("Three trumps in the hand, the loop ends, and Python returns None, which is no card."),
        "self_play",
        "fault.protocol",
    ),
    Mistake(
        "foreign_card",
        _("Returning a card that is not yours"),
        _("The strongest card of the trick may be the opponent's. Choose among view.legal and nothing else."),
        "self_play",
        "fault.illegal",
    ),
    Mistake(
        "memory_of_moves",
        _("Counting along from move to move"),
        _("A move may be asked of a fresh process, which has seen nothing. Every request holds the whole history."),
        "cold",
        "fault.crash",
    ),
    Mistake(
        "clock",
        _("Searching without looking at the clock"),
        _("A number of rounds that is fine at home is too much on a slower machine. Stop by process_time()."),
        "self_play",
        "fault.timeout",
    ),
    Mistake(
        "all_orders",
        _("Making a list of everything"),
        _("The orders of the unseen cards do not fit into any memory. Take some of them, one by one."),
        "self_play",
        "fault.memory",
    ),
    Mistake(
        "talks",
        _("Printing inside the search"),
        _("What you print goes to the log, and the log of a deal is limited. One line a move tells enough."),
        "self_play",
        "fault.output",
    ),
    Mistake(
        "library",
        _("Importing what is not there"),
        _("There is Python's standard library, games.engine and what lies in your zip, and nothing beside them."),
        "start",
        "fault.crash",
    ),
    Mistake(
        "two_forms",
        _("A main of your own beside play"),
        _("play, Bot and main are the three forms, and a file has exactly one. Call the rest something else."),
        "form",
        "upload.no_form",
    ),
    Mistake(
        "chance",
        _("Chance that comes from elsewhere"),
        _("It qualifies, with a remark: no game of yours can be repeated, neither here nor on your machine."),
        "reproducible",
        "check.not_reproducible",
    ),
)
