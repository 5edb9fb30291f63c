"""Matches and tournaments played without the arena: real deals, real services, random cards from a seed."""

import random
from collections.abc import Callable

from accounts.models import User
from bots.models import BotVersion
from games.engine import Deal, Record, shuffled
from games.models import DealEnd, Match, MatchState
from games.services import matches as match_verbs
from games.services.results import score_of
from league.models import League, Tournament
from league.services import entries, leagues, memberships, results, tournaments
from league.services.ratings import periods
from league.services.tournaments import RoundRobinSettings
from tests.accounts.factories import make_user
from tests.factories import make_version


def play(match: Match, rng: random.Random) -> Match:
    """Play a match to its end with random cards."""
    match.refresh_from_db()
    match_verbs.start(match=match)
    rules, seed = match.parsed_rules, bytes(match.seed)
    score = score_of(match)
    while not score.is_over:
        number = score.deals + 1
        deck = shuffled(rules, seed, match.salt, number)
        deal = Deal(rules, deck.deck, score.next_dealer(match.first_dealer), deck.turned)
        while not deal.over:
            deal.play(rng.choice(deal.legal()))
        record = Record(rules, deck.deck, tuple(deal.plays), deal.dealer, deck.turned)
        match_verbs.record_deal(match=match, number=number, record=record, termination=DealEnd.NORMAL)
        score = score.add(record.result())
    match_verbs.finish(match=match, winner_side=score.winner_side)
    match.refresh_from_db()
    return match


def make_league(owner: User | None = None, **fields: object) -> League:
    """An open league of bots."""
    owner = owner or make_user()
    league = leagues.create(owner=owner, name=f"Lega {owner.pk} {League.objects.count()}", **fields)  # type: ignore[arg-type]
    return leagues.publish(league=league, actor=owner)


def make_tournament(
    count: int = 4,
    *,
    league: League | None = None,
    versions: list[BotVersion] | None = None,
    settings: RoundRobinSettings | None = None,
    **fields: object,
) -> tuple[Tournament, User]:
    """A tournament that is ready to start, with its organiser; each bot has an owner of its own."""
    organiser = league.memberships.get(role="owner").player.user if league else make_user()
    league = league or make_league(organiser)
    tournament = tournaments.create(
        league=league,
        actor=organiser,
        name="Coppa",
        settings=settings or RoundRobinSettings(),
        **fields,  # type: ignore[arg-type]
    )
    tournaments.open_registration(tournament=tournament, actor=organiser)
    for version in versions or [make_version() for _number in range(count)]:
        owner = version.bot.owner
        memberships.join(league=league, player=version.bot.player, actor=owner)
        entries.enter(tournament=tournament, player=version.bot.player, actor=owner)
    tournament = tournaments.close_registration(tournament=tournament, actor=organiser)
    return tournament, organiser


def play_all(
    tournament: Tournament, *, seed: int = 1, after_each: Callable[[Match], None] = lambda _match: None
) -> None:
    """Play every match that waits, until none does, counting results and ratings in between."""
    rng = random.Random(seed)
    while waiting := list(
        Match.objects.filter(pairing_match__pairing__stage__tournament=tournament, state=MatchState.PLANNED).order_by(
            "pk"
        )
    ):
        for match in waiting:
            after_each(play(match, rng))
        results.apply_pending()
        periods.sweep()
