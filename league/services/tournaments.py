"""Tournaments: set up (`setting_up`), open registration, freeze, start, pause, resume, cancel, finish."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.foundation import advance
from accounts.models import User
from league.errors import LeagueError
from league.models import (
    TOURNAMENT_TRANSITIONS,
    Entry,
    EntryState,
    RoundState,
    StageState,
    Tournament,
    TournamentState,
)
from league.pairing import RoundRobinRound
from league.permissions import Act, require
from league.services import audit, line_up, rounds
from league.services.checks import too_few
from league.services.setting_up import RoundRobinSettings, create, update
from league.services.tournament_rows import locked, locked_in_open_league, log_act
from league.services.work import hold_matches, release_matches, stop_matches


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a tournament would look like if it started now; nothing is written. Numbers are starting numbers."""

    entries: tuple[Entry, ...]
    rounds: tuple[RoundRobinRound, ...]
    matches: int


def open_registration(*, tournament: Tournament, actor: User | None) -> Tournament:
    """Publish rules, format and both commitments; from now on they are fixed. Raises `league_not_open`."""
    require(actor, Act.RUN_ROUNDS, tournament.league)
    with transaction.atomic():
        tournament = locked_in_open_league(tournament)
        _advance(tournament, TournamentState.REGISTRATION)
        after = {"seed": tournament.seed_commitment, "deal_seed": tournament.deal_seed_commitment}
        log_act(tournament, actor, "tournament.open", after=after)
    return tournament


def close_registration(*, tournament: Tournament, actor: User | None) -> Tournament:
    """Freeze entries and bot versions and draw the starting numbers; who cannot play any more is left out.

    Raises `too_few_entries`.
    """
    require(actor, Act.RUN_ROUNDS, tournament.league)
    with transaction.atomic():
        tournament = locked(tournament)
        found = line_up.read(tournament)
        _advance(tournament, TournamentState.READY)
        if (refusal := too_few(tournament, len(found.playing))) is not None:
            raise refusal
        line_up.fix(found)
        numbers = {str(entry.number): entry.name for entry in found.playing}
        log_act(tournament, actor, "tournament.close", after={"numbers": numbers})
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
        tournament = locked_in_open_league(tournament)
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
        log_act(tournament, actor, "tournament.start")
        if tournament.control == Tournament.Control.AUTOMATIC:
            rounds.release_due(tournament=tournament, now=now)
    return tournament


def pause(*, tournament: Tournament, actor: User | None, reason: str) -> Tournament:
    """Stop it: matches that wait are held, those in play end with their deal and wait."""
    require(actor, Act.RUN_ROUNDS, tournament.league)
    reason = audit.checked_reason(reason)
    with transaction.atomic():
        tournament = locked(tournament)
        _advance(tournament, TournamentState.SUSPENDED)
        hold_matches(tournament=tournament)
        log_act(tournament, actor, "tournament.pause", reason=reason)
    return tournament


def resume(*, tournament: Tournament, actor: User | None) -> Tournament:
    """Go on after a pause; broken deals are played again from their own seed. Raises `league_not_open`."""
    require(actor, Act.RUN_ROUNDS, tournament.league)
    with transaction.atomic():
        tournament = locked_in_open_league(tournament)
        if tournament.state == TournamentState.READY:  # running can follow, but by `start`
            raise LeagueError("bad_state", _("The tournament has not started yet: start it."))
        _advance(tournament, TournamentState.RUNNING)
        release_matches(tournament=tournament)
        log_act(tournament, actor, "tournament.resume")
        # What was in play may have ended during the pause.
        finish_if_over(tournament=tournament, now=timezone.now())
    return tournament


def cancel(*, tournament: Tournament, actor: User | None, reason: str) -> Tournament:
    """End it without a result; matches that are not over become void."""
    require(actor, Act.MANAGE_TOURNAMENTS, tournament.league)
    reason = audit.checked_reason(reason)
    with transaction.atomic():
        tournament = locked(tournament)
        _advance(tournament, TournamentState.CANCELLED, finished_at=timezone.now(), reason=reason)
        stop_matches(tournament=tournament, reason=reason)
        log_act(tournament, actor, "tournament.cancel", reason=reason)
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
    log_act(tournament, None, "tournament.finish", after=after)
    return True


def _advance(tournament: Tournament, to: TournamentState, **fields: object) -> None:
    advance(tournament, to, table=TOURNAMENT_TRANSITIONS)
    for name, value in fields.items():
        setattr(tournament, name, value)
    tournament.save(update_fields=["state", *fields])


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
    "update",
]
