"""Tournaments: set up, open registration, freeze, start, pause, resume, cancel, finish."""

import hashlib
import secrets
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
    Stage,
    StageFormat,
    StageState,
    Tournament,
    TournamentState,
)
from league.pairing import RoundRobinRound, drawn_order, schedule
from league.permissions import Act, require
from league.services import audit, rounds
from league.services.leagues import checked_rules
from league.services.work import hold_matches, release_matches, stop_matches

LONGEST_ENCOUNTER = 200
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

    Raises `league_not_open`, `bad_rules`, `two_sides_only`, `odd_encounter`, `size_limit`.
    """
    require(actor, Act.MANAGE_TOURNAMENTS, league)
    require_confirmed(actor)
    if league.state not in (LeagueState.OPEN, LeagueState.DRAFT):
        raise LeagueError("league_not_open", _("The league is paused or archived: nothing new can start in it."))
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
        tournament = Tournament.objects.create(
            league=league,
            code="".join(secrets.choice(_ALPHABET) for _position in range(8)),
            name=" ".join(name.split()),
            about=about.strip(),
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
    if not 1 <= settings.encounter <= LONGEST_ENCOUNTER or (settings.mirrored and settings.encounter % 2):
        raise LeagueError(
            "odd_encounter",
            _("Mirrored matches come in pairs: choose an even number of matches per pairing, at most %(most)s."),
            status=422,
            most=LONGEST_ENCOUNTER,
        )
    rules = replace(rules, format=f"first_to:{settings.best_of // 2 + 1}")
    return replace(rules, tie_dealer="next") if settings.mirrored else rules


def open_registration(*, tournament: Tournament, actor: User | None) -> Tournament:
    """Publish rules, format and both commitments; from now on they are fixed."""
    league = tournament.league
    require(actor, Act.RUN_ROUNDS, league)
    if league.state != LeagueState.OPEN:
        raise LeagueError("league_not_open", _("The league is not open. Open it, then open the registration."))
    with transaction.atomic():
        tournament = _locked(tournament)
        _advance(tournament, TournamentState.REGISTRATION)
        after = {"seed": tournament.seed_commitment, "deal_seed": tournament.deal_seed_commitment}
        _log(tournament, actor, "tournament.open", after=after)
    return tournament


def close_registration(*, tournament: Tournament, actor: User | None) -> Tournament:
    """Freeze entries and bot versions and draw the starting numbers. Raises `too_few_entries`."""
    require(actor, Act.RUN_ROUNDS, tournament.league)
    with transaction.atomic():
        tournament = _locked(tournament)
        entries = _accepted(tournament)
        if len(entries) < tournament.min_entries:
            raise LeagueError(
                "too_few_entries",
                _("There are %(now)s entries; at least %(least)s are needed."),
                now=len(entries),
                least=tournament.min_entries,
            )
        _advance(tournament, TournamentState.READY)
        for entry in entries:
            player = entry.members.all()[0].player
            entry.version = player.bot.active_version if player.kind == "bot" else None
        for number, entry in enumerate(_in_drawn_order(tournament, entries), start=1):
            entry.number = number
        Entry.objects.bulk_update(entries, ["number", "version"])
        numbers = {str(entry.number): entry.name for entry in sorted(entries, key=lambda entry: entry.number or 0)}
        _log(tournament, actor, "tournament.close", after={"numbers": numbers})
    return tournament


def preview(*, tournament: Tournament) -> Preview:
    """The schedule as it would be now; the same inputs give the same schedule. Raises PairingError as LeagueError."""
    entries = _in_drawn_order(tournament, _accepted(tournament))
    stage = tournament.stages.get()
    planned = rounds.planned(stage=stage, count=len(entries))
    matches = stage.encounter * sum(len(round_.boards) for round_ in planned)
    return Preview(entries=tuple(entries), rounds=planned, matches=matches)


def start(*, tournament: Tournament, actor: User | None) -> Tournament:
    """Draw every round, confirm them and, under automatic control, release what is due."""
    require(actor, Act.RUN_ROUNDS, tournament.league)
    now = timezone.now()
    with transaction.atomic():
        tournament = _locked(tournament)
        if tournament.league.state != LeagueState.OPEN:
            raise LeagueError("league_not_open", _("The league is paused: nothing new starts. Open it first."))
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
    """Go on after a pause; broken deals are played again from their own seed."""
    require(actor, Act.RUN_ROUNDS, tournament.league)
    with transaction.atomic():
        tournament = _locked(tournament)
        _advance(tournament, TournamentState.RUNNING)
        release_matches(tournament=tournament)
        _log(tournament, actor, "tournament.resume")
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
    if stage.rounds.exclude(state__in=("finished", "discarded")).exists():
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


def _accepted(tournament: Tournament) -> list[Entry]:
    states = (EntryState.ACCEPTED, EntryState.CHECKED_IN)
    return list(
        Entry.objects.filter(tournament=tournament, state__in=states)
        .prefetch_related("members__player__bot__active_version")
        .order_by("pk")
    )


def _in_drawn_order(tournament: Tournament, entries: list[Entry]) -> list[Entry]:
    by_pk = {entry.pk: entry for entry in entries}
    return [by_pk[pk] for pk in drawn_order(by_pk, seed=bytes(tournament.seed), label="numbers")]


def _locked(tournament: Tournament) -> Tournament:
    return lock_one(Tournament.objects.filter(pk=tournament.pk).select_related("league"))


def _advance(tournament: Tournament, to: TournamentState, **fields: object) -> None:
    advance(tournament, to, table=TOURNAMENT_TRANSITIONS)
    for name, value in fields.items():
        setattr(tournament, name, value)
    tournament.save(update_fields=["state", *fields])


def _log(
    tournament: Tournament, actor: User | None, action: str, *, after: dict[str, object] | None = None, reason: str = ""
) -> None:
    audit.record(
        action=action,
        league=tournament.league,
        tournament=tournament,
        actor=actor,
        target=tournament.name,
        after=after,
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
    "schedule",
    "start",
]
