"""Limits, faults, checks and house bots in words. Every number is that of the arena, none is typed here."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext
from django.utils.translation import gettext_lazy as _

from bots.arena import JobLimits
from bots.arena.archive import MAX_ARCHIVE, MAX_FILE, MAX_FILES, MAX_UNPACKED
from bots.arena.conductor import MAX_TRIES
from bots.arena.qualify import BASELINE_PAIRS, COLD_REQUESTS, SELF_PAIRS
from bots.house import HOUSE
from bots.protocol import MAX_ANSWER, MAX_NOTE, MAX_REQUEST
from bots.sandbox.log import QUOTA, TAKE
from bots.services import faults as policy
from bots.services.activation import DAILY_ACTIVATIONS
from bots.services.uploads import DAILY_QUOTA
from bots.upload_texts import title

#: Rated matches until a rating is no longer provisional (league.rating; a test compares).
PROVISIONAL: Final = 20

#: Kind of fault -> what happened, what to look at.
FAULTS: Final[dict[str, tuple[Promise, Promise]]] = {
    "timeout": (
        _("Processor time, the clock on the wall or the bank ran out, at the start or at a move."),
        _("Stop your search by process_time(); do not sleep."),
    ),
    "crash": (
        _("The process ended: an exception, an exit, a signal, a library that is missing. Or it closed its answers."),
        _("The log ends with the traceback, and that with the line."),
    ),
    "illegal": (_("A proper card that you do not hold."), _("Return one of view.legal.")),
    "protocol": (
        _("An answer that cannot be read, or that nobody asked for; play returned something that is no card."),
        _("Return a text of two letters such as AD, and look for ways through play that return nothing."),
    ),
    "memory": (_("More memory than there is."), _("Keep less, make less at once.")),
    "output": (_("Too long an answer, or too much of a log."), _("Print one line a move at most.")),
}

#: House bot -> how it plays, and what its source is good for.
HOUSE_TEXTS: Final[dict[str, Promise]] = {
    "random": _("Any card. The smallest bot with a seed: the same game comes out twice."),
    "principiante": _("Knows what takes what, but plays one card in seven without looking. A class Bot with a start."),
    "greedy": _("Takes what it can take now, as cheaply as it can, and never thinks of the next trick. One function."),
    "medio": _(
        "Weighs the points on the table against what each card is worth in the hand. Four tables of ten numbers."
    ),
    "esperto": _(
        "Imagines hundreds of deals that fit what it has seen and plays each to its end; the last three tricks exactly."
    ),
}


@dataclass(frozen=True, slots=True)
class House:
    """A bot of the house: name of its file, screen name, what it does."""

    name: str
    shown: str
    text: Promise


def house() -> list[House]:
    """The house bots, weakest first."""
    return [House(name, shown, HOUSE_TEXTS[name]) for name, shown in HOUSE.items()]


def limits() -> list[tuple[str, str]]:
    """What a bot may use: label and figure."""
    of = JobLimits()
    return [
        (gettext("Loading and start"), _times(of.start_cpu_ms, of.start_wall_ms)),
        (gettext("A move, free"), gettext("%(cpu)s of processor time") % {"cpu": _ms(of.move_cpu_ms)}),
        (
            gettext("Bank for a deal, for what is above"),
            gettext("%(cpu)s of processor time") % {"cpu": _ms(of.bank_cpu_ms)},
        ),
        (gettext("A move at most, on the wall"), _ms(of.move_wall_ms)),
        (
            gettext("Bank for a deal, on the wall"),
            gettext("%(bank)s, for what is above %(free)s a move")
            % {"bank": _ms(of.bank_wall_ms), "free": _ms(of.free_wall_ms)},
        ),
        (gettext("Memory"), f"{of.memory_mb} MiB"),
        (gettext("An answer"), gettext("one line of at most %(bytes)s bytes") % {"bytes": MAX_ANSWER}),
        (
            gettext("The log"),
            gettext("%(deal)s a deal; the last %(move)s of each move are kept")
            % {"deal": _bytes(QUOTA), "move": _bytes(TAKE)},
        ),
        (gettext("Processes, threads, network, files to write"), pgettext("limit", "none")),
    ]


def consequences() -> list[tuple[str, str]]:
    """What happens, and what follows."""
    share = {"share": policy.SHARE, "deals": policy.LAST_DEALS, "least": policy.LEAST, "row": policy.MATCHES_IN_A_ROW}
    return [
        (
            gettext("A bot faults"),
            gettext("The deal is lost 120 to 0. Both bots begin the next deal in fresh processes."),
        ),
        (
            gettext("It faults in a second deal of the same match"),
            gettext("The match is lost; what is left of it is not played."),
        ),
        (
            gettext("Both fault in one deal"),
            gettext("The deal is played again. After %(tries)s times the match is void.") % {"tries": MAX_TRIES},
        ),
        (
            gettext("Our machine fails"),
            gettext("Nobody is blamed: the same deal is played again. After %(tries)s attempts the match is void.")
            % {"tries": MAX_TRIES},
        ),
        (
            gettext("A version faults for the first time"),
            gettext("You get a notice that leads to the fault; no second one within %(hours)s hours.")
            % {"hours": policy.TOLD_EVERY // timedelta(hours=1)},
        ),
        (
            gettext("It loses a match by faults"),
            gettext("It waits longer for its matches until it has played %(deals)s deals without a fault.")
            % {"deals": policy.CLEAN_DEALS},
        ),
        (
            gettext(
                "More than %(share)s per cent of its last %(deals)s deals are faults (%(least)s at least), or it loses "
                "%(row)s matches in a row by faults"
            )
            % share,
            gettext(
                "The version is suspended: no more matches, and you are told. Passing the checks again lifts that."
            ),
        ),
    ]


def upload_limits() -> list[tuple[str, str]]:
    """What may be uploaded."""
    return [
        (
            gettext("The file as sent, and unpacked"),
            f"{_bytes(MAX_ARCHIVE)}, {_bytes(MAX_UNPACKED)}",
        ),
        (
            gettext("Files in a zip"),
            gettext("%(files)s, of %(size)s each") % {"files": MAX_FILES, "size": _bytes(MAX_FILE)},
        ),
        (gettext("Versions in 24 hours"), str(DAILY_QUOTA)),
        (gettext("Changes of the active version in 24 hours"), str(DAILY_ACTIVATIONS)),
    ]


def checks() -> list[tuple[str, str]]:
    """The checks of a version in their order: title, and when it is passed."""
    baselines = {"pairs": BASELINE_PAIRS}
    return [
        (title("unpack"), gettext("it is one .py file, or a zip with bot.py at its top, within the limits")),
        (title("syntax"), gettext("every .py can be read")),
        (title("form"), gettext("there is exactly one of play, Bot and main")),
        (title("start"), gettext("it is loaded and started in time")),
        (title("self_play"), gettext("%(pairs)s mirrored pairs of deals without a fault") % {"pairs": SELF_PAIRS}),
        (title("against_random"), gettext("%(pairs)s mirrored pairs; you need not win") % baselines),
        (title("against_greedy"), gettext("%(pairs)s mirrored pairs; you need not win") % baselines),
        (title("cold"), gettext("%(requests)s questions, each to a fresh process") % {"requests": COLD_REQUESTS}),
        (title("reproducible"), gettext("only a remark")),
    ]


def clock_example() -> dict[str, Any]:
    """A long move in figures: what it takes from the bank, and how many of them a deal can have."""
    of = JobLimits()
    move = of.move_cpu_ms * 4
    taken = move - of.move_cpu_ms
    return {
        "move": _ms(move),
        "free": _ms(of.move_cpu_ms),
        "taken": _ms(taken),
        "bank": _ms(of.bank_cpu_ms),
        "times": of.bank_cpu_ms // taken,
        "left": _ms(of.bank_cpu_ms - taken),
    }


def protocol_limits() -> dict[str, Any]:
    """Lengths of lines and notes."""
    return {"request": _bytes(MAX_REQUEST), "answer": MAX_ANSWER, "note": MAX_NOTE}


def _times(cpu: int, wall: int) -> str:
    return gettext("%(cpu)s of processor time, %(wall)s on the wall") % {"cpu": _ms(cpu), "wall": _ms(wall)}


def _ms(value: int) -> str:
    """Milliseconds as a reader likes them: `100 ms`, `2 s`."""
    return f"{value // 1000} s" if value % 1000 == 0 else f"{value} ms"


def _bytes(value: int) -> str:
    return f"{value >> 20} MiB" if value % (1 << 20) == 0 else f"{value >> 10} KiB"
