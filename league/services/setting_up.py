"""Setting a tournament up: what it is made of, and what may be changed until when."""

import hashlib
import secrets
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.foundation import lock_one
from accounts.models import User
from accounts.services.users import require_confirmed
from games.engine import Rules
from league.errors import LeagueError
from league.models import (
    LIVE_ENTRIES,
    EncounterScoring,
    Entry,
    League,
    Stage,
    StageFormat,
    Tournament,
    TournamentState,
)
from league.permissions import Act, require
from league.services import entries
from league.services.checks import (
    FEWEST,
    MOST,
    checked_about,
    checked_choice,
    checked_name,
    checked_number,
    new_in_league,
)
from league.services.leagues import checked_rules
from league.services.tournament_rows import locked, log_act

LONGEST_NAME = 80
LONGEST_ENCOUNTER = 200
BEST_OF = (1, 3, 5, 7)
#: Seconds between two releases: a week.
LONGEST_PAUSE_S = 7 * 24 * 3600
#: What the opening of the registration fixes: rules, format and whether it counts; all else waits for its end.
FIXED_AT_REGISTRATION = frozenset({"rules", "rated", "double", "encounter", "mirrored", "best_of", "encounter_scoring"})
#: States in which something can be changed.
OPEN_STATES = (TournamentState.DRAFT, TournamentState.REGISTRATION)
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRobinSettings:
    """What a round robin asks for: both cycles or one, matches a pairing, mirrored or not, deals a match, scoring."""

    double: bool = False
    encounter: int = 2
    mirrored: bool = True
    best_of: int = 3
    encounter_scoring: str = EncounterScoring.OUTCOME


def create(
    *,
    league: League,
    actor: User,
    name: str,
    settings: RoundRobinSettings,
    about: str = "",
    rules: str = "",
    rated: bool = True,
    control: str = Tournament.Control.AUTOMATIC,
    release_every_s: int = 0,
    capacity: int | None = None,
    min_entries: int = FEWEST,
) -> Tournament:
    """Make a tournament, in draft, with its one stage; `rules` empty = the league's.

    Raises `league_not_open`, `bad_name`, `about_too_long`, `bad_choice`, `bad_number`, `bad_rules`, `two_sides_only`,
    `two_players_only`, `bad_encounter`, `odd_encounter`, `bad_best_of`, `size_limit`.
    """
    require(actor, Act.MANAGE_TOURNAMENTS, league)
    require_confirmed(actor)
    fields = _checked(
        name=name,
        about=about,
        rules=_played_rules(checked_rules(rules or league.rules), settings).code,
        rated=rated,
        control=control,
        release_every_s=release_every_s,
        capacity=MOST if capacity is None else capacity,
        min_entries=min_entries,
    )
    seed, deal_seed = secrets.token_bytes(32), secrets.token_bytes(32)
    with transaction.atomic():
        league = lock_one(League.objects.filter(pk=league.pk))
        if (refusal := new_in_league(league)) is not None:
            raise refusal
        tournament = Tournament.objects.create(
            league=league,
            code="".join(secrets.choice(_ALPHABET) for _position in range(8)),
            seed=seed,
            seed_commitment=hashlib.sha256(seed).hexdigest(),
            deal_seed=deal_seed,
            deal_seed_commitment=hashlib.sha256(deal_seed).hexdigest(),
            created_by=actor,
            **fields,
        )
        Stage.objects.create(tournament=tournament, format=StageFormat.ROUND_ROBIN, **_columns(settings))
        log_act(tournament, actor, "tournament.create", after={"rules": fields["rules"], "rated": rated})
    return tournament


def update(
    *,
    tournament: Tournament,
    actor: User,
    name: str,
    settings: RoundRobinSettings,
    about: str,
    rules: str,
    rated: bool,
    control: str,
    release_every_s: int,
    capacity: int | None,
    min_entries: int,
) -> Tournament:
    """Change a tournament that is set up: everything in draft, all but `FIXED_AT_REGISTRATION` until its entries are
    fixed. More places are given to the waiting list. What is the same leaves no line.

    Raises `settings_fixed`, `places_taken`, and as `create`.
    """
    require(actor, Act.MANAGE_TOURNAMENTS, tournament.league)
    fields = _checked(
        name=name,
        about=about,
        rules=_played_rules(checked_rules(rules or tournament.league.rules), settings).code,
        rated=rated,
        control=control,
        release_every_s=release_every_s,
        capacity=MOST if capacity is None else capacity,
        min_entries=min_entries,
    )
    with transaction.atomic():
        tournament = locked(tournament)
        stage = lock_one(Stage.objects.filter(tournament=tournament))
        before = {column: getattr(tournament, column) for column in fields} | _settings_of(stage)
        wanted = fields | _by_name(settings)
        changed = {column: value for column, value in wanted.items() if value != before[column]}
        _require_open(tournament, set(changed))
        if not changed:
            return tournament
        _require_places(tournament, fields["capacity"])
        for column, value in fields.items():
            setattr(tournament, column, value)
        tournament.save(update_fields=list(fields))
        for column, value in _columns(settings).items():
            setattr(stage, column, value)
        stage.save(update_fields=list(_columns(settings)))
        log_act(
            tournament, actor, "tournament.update", before={column: before[column] for column in changed}, after=changed
        )
        if "capacity" in changed:
            entries.fill_places(tournament)
    return tournament


def no_change(tournament: Tournament) -> LeagueError | None:
    """Why nothing of the tournament can be changed any more; None while something can."""
    if tournament.state in OPEN_STATES:
        return None
    return LeagueError("settings_fixed", _("The registration is closed: nothing can be changed any more."))


def _require_open(tournament: Tournament, changed: set[str]) -> None:
    """Refuse (`settings_fixed`) what may no longer be changed."""
    if (refusal := no_change(tournament)) is not None:
        raise refusal
    if tournament.state != TournamentState.DRAFT and changed & FIXED_AT_REGISTRATION:
        raise LeagueError(
            "settings_fixed",
            _(
                "Rules and format are fixed since the registration opened. To change them, cancel this tournament and "
                "prepare another one."
            ),
        )


def _require_places(tournament: Tournament, capacity: int) -> None:
    taken = Entry.objects.filter(tournament=tournament, state__in=LIVE_ENTRIES).count()
    if capacity < taken:
        raise LeagueError(
            "places_taken",
            _("%(taken)s places are taken already: choose at least as many."),
            status=422,
            taken=taken,
        )


def _checked(**fields: Any) -> dict[str, Any]:
    """The columns of a tournament as they are stored."""
    if not FEWEST <= fields["min_entries"] <= fields["capacity"] <= MOST:
        raise LeagueError(
            "size_limit",
            _("A round robin takes %(fewest)s to %(most)s entries; the least number cannot exceed the places."),
            status=422,
            fewest=FEWEST,
            most=MOST,
        )
    return fields | {
        "name": checked_name(fields["name"], longest=LONGEST_NAME),
        "about": checked_about(fields["about"]),
        "control": checked_choice(fields["control"], Tournament.Control),
        "release_every_s": checked_number(fields["release_every_s"], least=0, most=LONGEST_PAUSE_S),
    }


def _columns(settings: RoundRobinSettings) -> dict[str, Any]:
    """The columns of the stage."""
    columns = _by_name(settings)
    return columns | {"params": {"double": columns.pop("double")}}


def _by_name(settings: RoundRobinSettings) -> dict[str, Any]:
    return {
        "double": settings.double,
        "encounter": settings.encounter,
        "mirrored": settings.mirrored,
        "best_of": settings.best_of,
        "encounter_scoring": str(settings.encounter_scoring),
    }


def settings_of(stage: Stage) -> RoundRobinSettings:
    """What a stage was set up with."""
    return RoundRobinSettings(**_settings_of(stage))


def _settings_of(stage: Stage) -> dict[str, Any]:
    own = {name: getattr(stage, name) for name in ("encounter", "mirrored", "best_of", "encounter_scoring")}
    return {"double": bool(stage.params.get("double")), **own}


def _played_rules(rules: Rules, settings: RoundRobinSettings) -> Rules:
    """The rules of the matches: best of n, and for mirrored matches the same dealers in both."""
    if rules.side_count != 2:
        raise LeagueError("two_sides_only", _("Tournaments are played between two sides."), status=422)
    if rules.n != 2:
        raise LeagueError(
            "two_players_only",
            _("Entries are single players at the moment: choose rules for two players, not for %(n)s."),
            status=422,
            n=rules.n,
        )
    if not 1 <= settings.encounter <= LONGEST_ENCOUNTER:
        raise LeagueError(
            "bad_encounter",
            _("Choose 1 to %(most)s matches per pairing."),
            status=422,
            most=LONGEST_ENCOUNTER,
        )
    if settings.mirrored and settings.encounter % 2:
        raise LeagueError(
            "odd_encounter",
            _("Mirrored matches come in pairs: choose an even number of matches per pairing, at most %(most)s."),
            status=422,
            most=LONGEST_ENCOUNTER,
        )
    if settings.best_of not in BEST_OF:
        raise LeagueError("bad_best_of", _("A match is best of 1, 3, 5 or 7 deals."), status=422)
    checked_choice(settings.encounter_scoring, EncounterScoring)
    rules = replace(rules, format=f"first_to:{settings.best_of // 2 + 1}")
    return replace(rules, tie_dealer="next") if settings.mirrored else rules
