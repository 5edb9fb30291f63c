"""The public log in the reader's language: a sentence for each act, names for what it changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from games.models import MatchState, Visibility
from games.rules_texts import summary
from league.models import (
    Audience,
    AuditEntry,
    EncounterScoring,
    EntryState,
    Joining,
    LeagueState,
    MembershipState,
    Role,
    Tournament,
    TournamentState,
)
from league.reasons import in_words

#: Action -> sentence with `who` and `target`.
SENTENCES: dict[str, Promise] = {
    "league.create": _("%(who)s founded the league “%(target)s”"),
    "league.update": _("%(who)s changed the settings of the league"),
    "league.open": _("%(who)s opened the league"),
    "league.pause": _("%(who)s paused the league"),
    "league.archive": _("%(who)s archived the league"),
    "league.appoint": _("%(who)s gave %(target)s another role"),
    "member.ask": _("%(who)s asked to join with %(target)s"),
    "member.join": _("%(who)s joined with %(target)s"),
    "member.leave": _("%(who)s left with %(target)s"),
    "member.accept": _("%(who)s accepted %(target)s into the league"),
    "member.refuse": _("%(who)s refused the request of %(target)s"),
    "member.suspend": _("%(who)s suspended %(target)s"),
    "member.reinstate": _("%(who)s reinstated %(target)s"),
    "member.ban": _("%(who)s excluded %(target)s from the league"),
    "tournament.create": _("%(who)s prepared the tournament “%(target)s”"),
    "tournament.update": _("%(who)s changed the settings of the tournament"),
    "tournament.open": _("%(who)s opened the registration: rules and format are fixed, both commitments are published"),
    "tournament.close": _(
        "%(who)s closed the registration: entries and versions are fixed, starting numbers are drawn"
    ),
    "tournament.start": _("%(who)s started the tournament"),
    "tournament.pause": _("%(who)s paused the tournament"),
    "tournament.resume": _("%(who)s resumed the tournament"),
    "tournament.cancel": _("%(who)s cancelled the tournament"),
    "tournament.finish": _("%(who)s ended the tournament: the standings are final, both seeds are public"),
    "round.release": _("%(who)s released round %(target)s"),
    "entry.enter": _("%(who)s entered %(target)s"),
    "entry.withdraw": _("%(who)s withdrew %(target)s"),
    "entry.refuse": _("%(who)s took %(target)s out of the tournament"),
    "entry.move_up": _("%(who)s gave %(target)s a free place from the waiting list"),
    "entry.drop": _("%(target)s cannot play any more and was left out"),
    "match.void": _("The match %(target)s ended without a result: an arbiter can have it played again"),
    "league.invitation": _("%(who)s renewed the invitation: the link before no longer works"),
    "match.rerun": _("%(who)s had the match %(target)s declared void and played again"),
}
_WAITING = _("%(who)s entered %(target)s on the waiting list")
#: Acts whose sentence leaves something to say: what they changed is listed.
_DETAILED = frozenset(
    {
        "league.update", "league.appoint", "tournament.create", "tournament.update", "tournament.open",
        "tournament.close", "tournament.finish", "match.rerun",
    }
)  # fmt: skip
#: Acts that stop or undo something: marked in the list.
GRAVE = frozenset(
    {
        "league.pause", "league.archive", "member.refuse", "member.suspend", "member.ban", "tournament.pause",
        "tournament.cancel", "entry.refuse", "match.rerun",
    }
)  # fmt: skip
_FIELDS: dict[str, Promise] = {
    "state": _("State"),
    "role": _("Role"),
    "about": _("About"),
    "audience": _("Who plays"),
    "joining": _("Joining"),
    "visibility": _("Visibility"),
    "rules": _("Rules"),
    "rated": _("Counts for Elo"),
    "bots_per_owner": _("Bots per owner"),
    "name": _("Name"),
    "control": _("Rounds are released"),
    "release_every_s": _("Seconds between rounds"),
    "capacity": _("Places"),
    "min_entries": _("Least entries"),
    "double": _("Double round robin"),
    "encounter": _("Matches per pairing"),
    "mirrored": _("Mirrored"),
    "best_of": _("Deals per match"),
    "encounter_scoring": _("Points"),
    "seed": _("Draws"),
    "deal_seed": _("Decks"),
    "numbers": _("Starting numbers"),
    "matches": _("Matches"),
}
_CHOICES: dict[str, Mapping[str, Any]] = {
    "role": dict(Role.choices),
    "audience": dict(Audience.choices),
    "joining": dict(Joining.choices),
    "visibility": dict(Visibility.choices),
    "control": dict(Tournament.Control.choices),
    "encounter_scoring": dict(EncounterScoring.choices),
}
_STATES: dict[str, Mapping[str, Any]] = {
    "league": dict(LeagueState.choices),
    "member": dict(MembershipState.choices),
    "tournament": dict(TournamentState.choices),
    "entry": dict(EntryState.choices),
    "match": dict(MatchState.choices),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What an act changed: `before` and `after` as text, either empty where there was none."""

    label: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """A line of the log in words; `where` and `where_url` name the tournament on the log of a league."""

    key: int
    at: datetime
    sentence: str
    reason: str
    is_grave: bool
    changes: tuple[Change, ...]
    where: str
    where_url: str


def act(entry: AuditEntry) -> Act:
    """A line of the log; the actor's player and the tournament are loaded."""
    names = {**entry.before, **entry.after} if entry.action in _DETAILED else {}
    tournament = entry.tournament
    return Act(
        key=entry.pk,
        at=entry.at,
        sentence=str(_sentence(entry)) % {"who": who(entry), "target": entry.target},
        reason=entry.reason if entry.actor_id else in_words(entry.reason),
        is_grave=entry.action in GRAVE,
        changes=tuple(
            Change(
                label=str(_FIELDS.get(name, name)),
                before=_text(entry.action, name, entry.before.get(name)),
                after=_text(entry.action, name, entry.after.get(name)),
            )
            for name in names
        ),
        where=tournament.name if tournament else "",
        where_url=tournament.get_absolute_url() if tournament else "",
    )


def _sentence(entry: AuditEntry) -> Promise | str:
    if entry.action == "entry.enter" and entry.after.get("state") == EntryState.WAITING_LIST:
        return _WAITING
    return SENTENCES.get(entry.action, entry.action.replace("%", "%%"))


def who(entry: AuditEntry) -> str:
    """The name of who acted, never an address; the site for what happened by itself."""
    if entry.actor is None:
        return gettext("The site")
    player = getattr(entry.actor, "player", None)
    return entry.actor.name or (player.name if player else gettext("The staff"))


def _text(action: str, name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if name == "state":
        return str(_STATES.get(action.partition(".")[0], {}).get(value, value))
    if name == "rules":
        return summary(str(value))
    if isinstance(value, dict):
        return ", ".join(f"{number}. {player}" for number, player in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(_CHOICES.get(name, {}).get(str(value), value))
