"""The league of the demo: bots join it as they qualify, a tournament is always on, and the registration of the next
one is open meanwhile, so that a visitor's bot can enter it. All rows are made by public verbs.

`advance` does what is due and may be called again at any time: it decides by what it finds.
"""

from accounts.models import User
from bots.demo import DEMO
from bots.house import HOUSE
from bots.models import Bot
from bots.services.house import DEMO_AUTHORS, HOUSE_EMAIL
from league.models import (
    League,
    LeagueState,
    Membership,
    MembershipState,
    Tournament,
    TournamentState,
)
from league.services import entries, leagues, line_up, memberships, tournaments
from league.services.tournaments import RoundRobinSettings

LEAGUE = "Lega delle macchine"
ABOUT = (
    "Otto bot della casa e chi si iscrive, un girone all’italiana dopo l’altro: un turno ogni venti secondi, "
    "dieci partite per incontro, a coppie specchiate. Mentre uno si gioca sono aperte le iscrizioni al prossimo."
)
#: Of the house: those that answer at once.
HOUSE_BOTS = ("random", "greedy", "medio")
SECONDS_BETWEEN_ROUNDS = 20
MATCHES_PER_PAIRING = 10
_OVER = (TournamentState.FINISHED, TournamentState.CANCELLED)
_TO_COME = (TournamentState.DRAFT, TournamentState.REGISTRATION)


def bots_of_the_demo() -> list[Bot]:
    """The house bots and those of the demo's authors; what an author uploads besides enters like anybody's."""
    names = [*(HOUSE[name] for name in HOUSE_BOTS), *DEMO.values()]
    owners = [HOUSE_EMAIL, *(f"{name.replace('_', '-')}@demo.bella.invalid" for name in DEMO_AUTHORS)]
    found = Bot.objects.filter(owner__email__in=owners, player__name__in=names)
    return list(found.select_related("player", "owner").order_by("pk"))


def advance(*, organiser: User) -> str:
    """Take the next step of the season; returns its name, empty when there is nothing to do."""
    league = League.objects.filter(name=LEAGUE).first()
    if league is None:
        league = leagues.create(owner=organiser, name=LEAGUE, about=ABOUT, bots_per_owner=2)
        leagues.publish(league=league, actor=organiser)
        return "league"
    if league.state != LeagueState.OPEN:
        return ""
    bots = bots_of_the_demo()
    joined = _join(league, bots)
    if joined:
        return "joined"
    members = Membership.objects.filter(league=league, state=MembershipState.ACTIVE, player__bot__in=bots)
    if not bots or members.count() < len(bots):
        return ""
    return _next_step(league, organiser, bots)


def _join(league: League, bots: list[Bot]) -> int:
    joined = 0
    for bot in bots:
        if bot.active_version_id and not memberships.why_not(league=league, player=bot.player):
            memberships.join(league=league, player=bot.player, actor=bot.owner)
            joined += 1
    return joined


def _next_step(league: League, organiser: User, bots: list[Bot]) -> str:
    """Start a tournament when none is on; while one is, open the registration of the next."""
    not_over = Tournament.objects.filter(league=league).exclude(state__in=_OVER).order_by("pk")
    on = [tournament for tournament in not_over if tournament.state not in _TO_COME]
    coming = [tournament for tournament in not_over if tournament.state in _TO_COME]
    if not on or on[0].state == TournamentState.READY:
        return _start(on[0] if on else _opened(league, organiser, coming), organiser, bots)
    if coming and coming[0].state == TournamentState.REGISTRATION:
        return ""
    _enter(_opened(league, organiser, coming), bots)
    return "registration"


def _opened(league: League, organiser: User, coming: list[Tournament]) -> Tournament:
    """The next tournament, with its registration open."""
    if coming:
        tournament = coming[0]
    else:
        number = Tournament.objects.filter(league=league).count() + 1
        tournament = tournaments.create(
            league=league,
            actor=organiser,
            name=f"Girone n. {number}",
            about=ABOUT,
            settings=RoundRobinSettings(encounter=MATCHES_PER_PAIRING),
            release_every_s=SECONDS_BETWEEN_ROUNDS,
        )
    if tournament.state == TournamentState.DRAFT:
        tournament = tournaments.open_registration(tournament=tournament, actor=organiser)
    return tournament


def _enter(tournament: Tournament, bots: list[Bot]) -> None:
    """Enter the bots of the demo; one without a qualified version does not play this time."""
    for bot in bots:
        if not entries.why_not(tournament=tournament, player=bot.player):
            entries.enter(tournament=tournament, player=bot.player, actor=bot.owner)


def _start(tournament: Tournament, organiser: User, bots: list[Bot]) -> str:
    """Close the registration and start; not before enough have entered."""
    if tournament.state == TournamentState.REGISTRATION:
        _enter(tournament, bots)
        if len(line_up.read(tournament).playing) < tournament.min_entries:
            return ""
        tournament = tournaments.close_registration(tournament=tournament, actor=organiser)
    tournaments.start(tournament=tournament, actor=organiser)
    return "tournament"
