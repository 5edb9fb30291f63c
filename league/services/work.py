"""The matches of a tournament or of a league that are not over: held, released, stopped."""

from collections.abc import Sequence

from django.db.models import QuerySet

from accounts.foundation import lock
from games.models import Match, MatchState
from games.services import matches as match_verbs
from games.services.results import Progress
from league.models import League, LeagueState, Tournament, TournamentState

_WAITING = (MatchState.PLANNED, MatchState.QUEUED)
#: Finished ones too: a match of theirs may be played again.
_AT_PLAY = (TournamentState.RUNNING, TournamentState.FINISHED)
_OPEN = (MatchState.PLANNED, MatchState.QUEUED, MatchState.PLAYING)


def open_matches(tournament: Tournament) -> list[Match]:
    """Its matches that are not over, by primary key."""
    return list(Match.objects.filter(group=work_group(tournament), state__in=_OPEN).order_by("pk"))


def work_group(tournament: Tournament) -> str:
    """The name under which the dispatcher knows a tournament's matches."""
    return f"t:{tournament.pk}"


def hold_matches(*, tournament: Tournament) -> None:
    """Nothing of it is sent to the arena any more; what is there already is given back at the next deal."""
    match_verbs.hold(matches=open_matches(tournament))


def release_matches(*, tournament: Tournament) -> None:
    """The dispatcher may take its matches again."""
    match_verbs.release_hold(matches=open_matches(tournament))


def hold_league(*, league: League) -> None:
    """What no arena has begun stays where it is; matches in play end."""
    match_verbs.hold(matches=_of_league(league).filter(state__in=_WAITING))


def release_league(*, league: League) -> None:
    """The dispatcher may take what `hold_league` kept, but for tournaments that are paused themselves."""
    running = _of_league(league).filter(pairing_match__pairing__stage__tournament__state__in=_AT_PLAY)
    match_verbs.release_hold(matches=running.filter(state__in=_OPEN))


def _of_league(league: League) -> QuerySet[Match]:
    return Match.objects.filter(pairing_match__pairing__stage__tournament__league=league)


def is_held(tournament: Tournament) -> bool:
    """Whether new matches of the tournament, whose lock the caller holds, have to wait: it is paused, or its league.

    The league is asked again: it may have been paused while the lock was waited for.
    """
    is_open = League.objects.filter(pk=tournament.league_id, state=LeagueState.OPEN).exists()
    return tournament.state == TournamentState.SUSPENDED or not is_open


def stop_matches(*, tournament: Tournament, reason: str) -> None:
    """Declare every match void that is not over; called in a transaction."""
    waiting = Match.objects.filter(group=work_group(tournament), state__in=_OPEN)
    void_locked(matches=lock(waiting), reason=reason)


def void_locked(*, matches: Sequence[Match], reason: str) -> None:
    """Declare matches void whose locks the caller holds."""
    progress = Progress()
    for match in matches:
        progress.void(match, reason)
    progress.save()
