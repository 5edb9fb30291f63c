"""Reasons that the site gives by itself are stored as codes; here they are sentences in the reader's language."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

NOT_STARTED: Final = "not_started"
#: Why a match is void (`Match.void_reason`).
VOID: dict[str, Promise] = {
    "infrastructure": _("Our machines failed three times at the same deal; the players are not to blame."),
    "faults": _("Both bots failed in the same deal, every time that it was played."),
    "absent": _("Everybody had left the table for five minutes."),
    NOT_STARTED: _("Nobody began it within a quarter of an hour."),
    "twin": _("The other match of its mirrored set is void, and the two count only together."),
}
#: Why an entry was left out when the registration closed (`Entry.reason`).
LEFT_OUT: dict[str, Promise] = {
    "not_member": _("It was no longer a member of the league when the registration closed."),
    "suspended": _("It was suspended from the league when the registration closed."),
    "banned": _("It was excluded from the league before the registration closed."),
    "no_qualified_version": _("Its bot had no qualified version when the registration closed."),
}
#: Why a run of a match ended (`MatchRun.reason`): the code comes first, what an arena adds follows it.
RUN: dict[str, Promise] = {
    "lease_lost": _("the arena went silent"),
    "infrastructure": _("our machines failed"),
    "faults": _("both bots failed"),
    "hold": _("paused"),
    "void": _("match void"),
    "time": _("the rest goes on in another run"),
    "drain": _("the arena was being stopped"),
    "stop": _("paused"),
    "no_tier": _("the arena cannot confine a bot"),
    "bad_job": _("the arena did not understand its order"),
    "no_files": _("the file of a bot was missing"),
    "wrong_files": _("the file of a bot was not the uploaded one"),
}


def in_words(reason: str) -> str:
    """A stored reason as a sentence; what a person wrote comes back as it is."""
    found = VOID.get(reason) or LEFT_OUT.get(reason)
    return reason if found is None else str(found)


def of_run(reason: str, *, with_detail: bool) -> str:
    """Why a run ended, empty where that says nothing; what an arena wrote besides is for staff (`with_detail`)."""
    code = reason.partition(":")[0].partition(" ")[0]
    words = str(RUN.get(code, ""))
    detail = reason.removeprefix(code).strip(" :") if words else reason
    if not with_detail or not detail:
        return words
    return f"{words} ({detail})" if words else detail
