"""A tournament for the reliability tests, and what must hold when it is over. Runs in a process of the site."""

from typing import Any

from django.db.models import Count

from bots.models import BotVersion
from games.models import Match
from league.models import Pairing, PairingMatch, RatedMatch, RatingEvent, Standing, Tournament
from league.services import entries, leagues, memberships, results, standings, tournaments
from league.services.ratings import rebuild
from league.services.tournaments import RoundRobinSettings
from tests.accounts.factories import make_user
from tests.factories import make_version
from tests.reliability.work import SLEEPER

CRASHES = b"def play(view):\n    raise RuntimeError('always')\n"
SLEEPS = b"import time\n\n\ndef play(view):\n    time.sleep(3600)\n"


def start_tournament(bots: int, encounter: int) -> dict[str, Any]:
    """A mirrored round robin of slow bots, all rounds released."""
    versions = [make_version(content=SLEEPER + f"# {number}\n".encode()) for number in range(bots)]
    return _start(versions, RoundRobinSettings(encounter=encounter))


def start_with_useless_bots() -> dict[str, Any]:
    """A tournament with a bot that crashes at every card and one that answers none."""
    versions = [make_version(content=code) for code in (SLEEPER, CRASHES, SLEEPS)]
    return _start(versions, RoundRobinSettings(encounter=1, mirrored=False))


def _start(versions: list[BotVersion], settings: RoundRobinSettings) -> dict[str, Any]:
    organiser = make_user("Ugo Tallone")
    league = leagues.create(owner=organiser, name="Lega")
    leagues.publish(league=league, actor=organiser)
    tournament = tournaments.create(league=league, actor=organiser, name="Coppa", settings=settings)
    tournaments.open_registration(tournament=tournament, actor=organiser)
    for version in versions:
        memberships.join(league=league, player=version.bot.player, actor=version.bot.owner)
        entries.enter(tournament=tournament, player=version.bot.player, actor=version.bot.owner)
    tournaments.close_registration(tournament=tournament, actor=organiser)
    tournaments.start(tournament=tournament, actor=organiser)
    return {"matches": Match.objects.count()}


def problems() -> list[str]:
    """What does not hold although the tournament is over and its ratings are applied."""
    found: list[str] = []

    def must(what: str, *, be: object, wanted: object) -> None:
        if be != wanted:
            found.append(f"{what}: {be!r} instead of {wanted!r}")

    tournament = Tournament.objects.get()
    stage = tournament.stages.select_related("tournament").get()
    matches = Match.objects.count()
    must("state", be=tournament.state, wanted="finished")
    must("open pairings", be=Pairing.objects.exclude(state__in=("final", "bye")).count(), wanted=0)
    must("not counted", be=PairingMatch.objects.filter(applied_at=None).count(), wanted=0)
    stored = [(row.entry_id, row.rank, row.points_h) for row in _last(stage)]
    computed = standings.compute(stage=stage, until=stage.rounds.count())
    wanted = sorted(((row.entry, row.rank, row.points) for row in computed), key=lambda row: (row[1], row[0]))
    must("standings", be=stored, wanted=wanted)
    must("rated", be=RatedMatch.objects.filter(state="rated").count(), wanted=matches)
    must("rows of the ledger", be=RatingEvent.objects.count(), wanted=2 * matches)
    twice = RatingEvent.objects.values("match", "subject").annotate(rows=Count("pk")).filter(rows__gt=1)
    must("rated twice", be=list(twice), wanted=[])
    must("ledger", be=[check.problem for check in rebuild.check_all()], wanted=[""])
    PairingMatch.objects.update(applied_at=None)
    must("counted again", be=results.apply_pending(), wanted=matches)
    must("standings after it", be=[(row.entry_id, row.rank, row.points_h) for row in _last(stage)], wanted=stored)
    return found


def _last(stage: Any) -> list[Standing]:
    rows = Standing.objects.filter(stage=stage, after_round=stage.rounds.count())
    return list(rows.order_by("rank", "entry_id"))


def points_by_entry() -> dict[str, int]:
    """The last standings: number of the entry in the order of entering -> half-points."""
    entered = {entry.pk: number for number, entry in enumerate(Tournament.objects.get().entries.order_by("pk"))}
    stage = Tournament.objects.get().stages.get()
    return {str(entered[row.entry_id]): row.points_h for row in _last(stage)}
