"""Tournaments: set up, open registration, freeze, start, pause, resume, cancel, finish."""

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.foundation import advance, lock_one
from accounts.models import User
from accounts.services.users import require_confirmed
from games.engine import Rules
from league.errors import LeagueError
from league.models import (
    TOURNAMENT_TRANSITIONS,
    EncounterScoring,
    Entry,
    EntryState,
    League,
    LeagueState,
    RoundState,
    Stage,
    StageFormat,
    StageState,
    Tournament,
    TournamentState,
)
from league.pairing import RoundRobinRound
from league.permissions import Act, require
from league.services import audit, line_up, rounds
from league.services.checks import checked_about, checked_choice, checked_name, checked_number
from league.services.leagues import checked_rules
from league.services.work import hold_matches, release_matches, stop_matches

LONGEST_NAME = 80
LONGEST_ENCOUNTER = 200
BEST_OF = (1, 3, 5, 7)
#: Seconds between two releases: a week.
LONGEST_PAUSE_S = 7 * 24 * 3600
#: Entries of a round robin (tournaments: formats).
FEWEST, MOST = 3, 64
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRobinSettings:
    """What a round robin asks for: both cycles or one, matches a pairing, mirrored or not, deals a match, scoring."""

    double: bool = False
    encounter: int = 2
    mirrored: bool = True
    best_of: int = 3
    encounter_scoring: str = EncounterScoring.OUTCOME


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a tournament would look like if it started now; nothing is written. Numbers are starting numbers."""

    entries: tuple[Entry, ...]
    rounds: tuple[RoundRobinRound, ...]
    matches: int


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
    name, about = checked_name(name, longest=LONGEST_NAME), checked_about(about)
    control = checked_choice(control, Tournament.Control)
    release_every_s = checked_number(release_every_s, least=0, most=LONGEST_PAUSE_S)
    capacity = MOST if capacity is None else capacity
    if not FEWEST <= min_entries <= capacity <= MOST:
        raise LeagueError(
            "size_limit",
            _("A round robin takes %(fewest)s to %(most)s entries; the least number cannot exceed the places."),
            status=422,
            fewest=FEWEST,
            most=MOST,
        )
    played = _played_rules(checked_rules(rules or league.rules), settings)
    seed, deal_seed = secrets.token_bytes(32), secrets.token_bytes(32)
    with transaction.atomic():
        league = lock_one(League.objects.filter(pk=league.pk))
        if league.state not in (LeagueState.OPEN, LeagueState.DRAFT):
            raise LeagueError("league_not_open", _("The league is paused or archived: nothing new can start in it."))
        tournament = Tournament.objects.create(
            league=league,
            code="".join(secrets.choice(_ALPHABET) for _position in range(8)),
            name=name,
            about=about,
            rules=played.code,
            rated=rated,
            control=control,
            release_every_s=release_every_s,
            capacity=capacity,
            min_entries=min_entries,
            seed=seed,
            seed_commitment=hashlib.sha256(seed).hexdigest(),
            deal_seed=deal_seed,
            deal_seed_commitment=hashlib.sha256(deal_seed).hexdigest(),
            created_by=actor,
        )
        Stage.objects.create(
            tournament=tournament,
            format=StageFormat.ROUND_ROBIN,
            params={"double": settings.double},
            best_of=settings.best_of,
            encounter=settings.encounter,
            mirrored=settings.mirrored,
            encounter_scoring=settings.encounter_scoring,
        )
        _log(tournament, actor, "tournament.create", after={"rules": played.code, "rated": rated})
    return tournament


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


def open_registration(*, tournament: Tournament, actor: User | None) -> Tournament:
    """Publish rules, format and both commitments; from now on they are fixed. Raises `league_not_open`."""
    require(actor, Act.RUN_ROUNDS, tournament.league)
    with transaction.atomic():
        tournament = _locked_in_open_league(tournament)
        _advance(tournament, TournamentState.REGISTRATION)
        after = {"seed": tournament.seed_commitment, "deal_seed": tournament.deal_seed_commitment}
        _log(tournament, actor, "tournament.open", after=after)
    return tournament


def close_registration(*, tournament: Tournament, actor: User | None) -> Tournament:
    """Freeze entries and bot versions and draw the starting numbers; who cannot play any more is left out.

    Raises `too_few_entries`.
    """
    require(actor, Act.RUN_ROUNDS, tournament.league)
    with transaction.atomic():
        tournament = _locked(tournament)
        found = line_up.read(tournament)
        _advance(tournament, TournamentState.READY)
        if len(found.playing) < tournament.min_entries:
            raise LeagueError(
                "too_few_entries",
                _("There are %(now)s entries; at least %(least)s are needed."),
                now=len(found.playing),
                least=tournament.min_entries,
            )
        line_up.fix(found)
        numbers = {str(entry.number): entry.name for entry in found.playing}
        _log(tournament, actor, "tournament.close", after={"numbers": numbers})
    return tournament


def preview(*, tournament: Tournament) -> Preview:
    """The schedule as it would be now, or as it was fixed: the same inputs give the same schedule.

    Raises `size_limit` when the format does not take so many entries.
    """
    playing = line_up.read(tournament).playing
    stage = tournament.stages.get()
    planned = rounds.planned(stage=stage, count=len(playing))
    matches = stage.encounter * sum(len(round_.boards) for round_ in planned)
    return Preview(entries=playing, rounds=planned, matches=matches)


def start(*, tournament: Tournament, actor: User | None) -> Tournament:
    """Draw every round, confirm them and, under automatic control, release what is due. Raises `league_not_open`."""
    require(actor, Act.RUN_ROUNDS, tournament.league)
    now = timezone.now()
    with transaction.atomic():
        tournament = _locked_in_open_league(tournament)
        if tournament.state == TournamentState.SUSPENDED:  # running can follow, but by `resume`
            raise LeagueError("bad_state", _("The tournament has started already and is paused: resume it."))
        _advance(tournament, TournamentState.RUNNING, started_at=now)
        Entry.objects.filter(tournament=tournament, state__in=(EntryState.ACCEPTED, EntryState.CHECKED_IN)).update(
            state=EntryState.PLAYING
        )
        stage = tournament.stages.get()
        stage.state = StageState.RUNNING
        stage.save(update_fields=["state"])
        rounds.draw(stage=stage)
        _log(tournament, actor, "tournament.start")
        if tournament.control == Tournament.Control.AUTOMATIC:
            rounds.release_due(tournament=tournament, now=now)
    return tournament


def pause(*, tournament: Tournament, actor: User | None, reason: str) -> Tournament:
    """Stop it: matches that wait are held, those in play end with their deal and wait."""
    require(actor, Act.RUN_ROUNDS, tournament.league)
    reason = audit.checked_reason(reason)
    with transaction.atomic():
        tournament = _locked(tournament)
        _advance(tournament, TournamentState.SUSPENDED)
        hold_matches(tournament=tournament)
        _log(tournament, actor, "tournament.pause", reason=reason)
    return tournament


def resume(*, tournament: Tournament, actor: User | None) -> Tournament:
    """Go on after a pause; broken deals are played again from their own seed. Raises `league_not_open`."""
    require(actor, Act.RUN_ROUNDS, tournament.league)
    with transaction.atomic():
        tournament = _locked_in_open_league(tournament)
        if tournament.state == TournamentState.READY:  # running can follow, but by `start`
            raise LeagueError("bad_state", _("The tournament has not started yet: start it."))
        _advance(tournament, TournamentState.RUNNING)
        release_matches(tournament=tournament)
        _log(tournament, actor, "tournament.resume")
        # What was in play may have ended during the pause.
        finish_if_over(tournament=tournament, now=timezone.now())
    return tournament


def cancel(*, tournament: Tournament, actor: User | None, reason: str) -> Tournament:
    """End it without a result; matches that are not over become void."""
    require(actor, Act.MANAGE_TOURNAMENTS, tournament.league)
    reason = audit.checked_reason(reason)
    with transaction.atomic():
        tournament = _locked(tournament)
        _advance(tournament, TournamentState.CANCELLED, finished_at=timezone.now(), reason=reason)
        stop_matches(tournament=tournament, reason=reason)
        _log(tournament, actor, "tournament.cancel", reason=reason)
    return tournament


def finish_if_over(*, tournament: Tournament, now: datetime) -> bool:
    """End the tournament when its last round is over; called in the transaction that holds the tournament's lock."""
    stage = tournament.stages.get()
    if stage.rounds.exclude(state__in=(RoundState.FINISHED, RoundState.DISCARDED)).exists():
        return False
    if tournament.state != TournamentState.RUNNING:
        return False
    stage.state = StageState.FINISHED
    stage.save(update_fields=["state"])
    Entry.objects.filter(tournament=tournament, state=EntryState.PLAYING).update(state=EntryState.FINISHED)
    _advance(tournament, TournamentState.FINISHED, finished_at=now)
    after = {"seed": bytes(tournament.seed).hex(), "deal_seed": bytes(tournament.deal_seed).hex()}
    _log(tournament, None, "tournament.finish", after=after)
    return True


def _locked(tournament: Tournament) -> Tournament:
    return lock_one(Tournament.objects.filter(pk=tournament.pk).select_related("league"))


def _locked_in_open_league(tournament: Tournament) -> Tournament:
    """The tournament, and its league so that nobody pauses or archives it meanwhile; raises `league_not_open`."""
    if lock_one(League.objects.filter(pk=tournament.league_id)).state != LeagueState.OPEN:
        raise LeagueError("league_not_open", _("The league is not open: nothing starts in it. Open it first."))
    return _locked(tournament)


def _advance(tournament: Tournament, to: TournamentState, **fields: object) -> None:
    advance(tournament, to, table=TOURNAMENT_TRANSITIONS)
    for name, value in fields.items():
        setattr(tournament, name, value)
    tournament.save(update_fields=["state", *fields])


def _log(
    tournament: Tournament,
    actor: User | None,
    action: str,
    *,
    after: Mapping[str, object] | None = None,
    reason: str = "",
) -> None:
    audit.record(
        action=action,
        league=tournament.league,
        tournament=tournament,
        actor=actor,
        target=tournament.name,
        after=dict(after or {}),
        reason=reason,
    )


__all__ = [
    "Preview",
    "RoundRobinSettings",
    "cancel",
    "close_registration",
    "create",
    "finish_if_over",
    "open_registration",
    "pause",
    "preview",
    "resume",
    "start",
]
