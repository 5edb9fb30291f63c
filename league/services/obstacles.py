"""What stands in the way of organisers' acts right now: pages offer what would work, and say why the rest would not.

Each answer maps the name of an act to the refusal that it would get; an act that is not in it can be done.
"""

from collections.abc import Sequence

from league.errors import LeagueError
from league.models import League, LeagueState, Membership, MembershipState, Tournament, TournamentState
from league.services import leagues, line_up, memberships, rounds
from league.services.checks import FEWEST, nothing_starts, too_few

#: Acts that need an open league.
_STARTING = ("open", "start", "resume", "release")


def of_tournament(tournament: Tournament) -> dict[str, LeagueError]:
    """Acts on a tournament: `open close start resume release preview`; its league is loaded."""
    found: dict[str, LeagueError] = {}
    if (closed := nothing_starts(tournament.league)) is not None:
        found |= dict.fromkeys(_STARTING, closed)
    if tournament.state == TournamentState.REGISTRATION:
        playing = len(line_up.read(tournament).playing)
        if (few := too_few(tournament, playing)) is not None:
            found["close"] = few
        if playing < FEWEST:
            found["preview"] = rounds.wrong_size(playing)
    return found


def of_league(league: League) -> dict[str, LeagueError]:
    """Acts on a league: `archive`."""
    still = leagues.still_running(league) if league.state == LeagueState.PAUSED else None
    return {} if still is None else {"archive": still}


def of_requests(league: League, rows: Sequence[Membership]) -> dict[int, LeagueError]:
    """Why requests to join cannot be accepted, by primary key of the player."""
    players = [row.player for row in rows if row.state == MembershipState.REQUESTED]
    refusals = memberships.why_not_accept_each(league=league, players=players)
    return {player: reasons[0] for player, reasons in refusals.items() if reasons}
