"""Matches and tournaments played without the arena: real deals, real services, random cards from a seed."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.utils import timezone

from accounts.foundation import DomainError
from accounts.models import User
from bots.models import BotVersion
from games.engine import Deal, Record, shuffled
from games.models import Deal as DealRow
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
    close: bool = True,
    **fields: object,
) -> tuple[Tournament, User]:
    """A tournament that is ready to start, with its organiser; each bot has an owner of its own.

    Without `close` its registration is still open.
    """
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
    if close:
        tournament = tournaments.close_registration(tournament=tournament, actor=organiser)
    return tournament, organiser


def play_all(
    tournament: Tournament, *, seed: int = 1, after_each: Callable[[Match], None] = lambda _match: None
) -> None:
    """Play every match that waits, until none does, counting results and ratings in between."""
    rng = random.Random(seed)
    while matches := waiting(tournament):
        for match in matches:
            after_each(play(match, rng))
        results.apply_pending()
        periods.sweep()


def give_result(match: Match, winner: int | None, *, points: list[tuple[int, int]] | None = None) -> Match:
    """End a match without playing its cards: the winning side, and card points by seat of each deal.

    Without `points` it has no deals, which is enough for whatever counts matches.
    """
    match.refresh_from_db()
    if match.state == MatchState.PLANNED:
        match_verbs.start(match=match)
    now = timezone.now()
    DealRow.objects.bulk_create(
        DealRow(
            match=match,
            number=number,
            dealer=number % 2,
            points=list(pair),
            unplayed=120 - sum(pair),
            winner_side=None if pair[0] == pair[1] else int(pair[1] > pair[0]),
            termination=DealEnd.NORMAL,
            finished_at=now,
        )
        for number, pair in enumerate(points or [], start=1)
    )
    match_verbs.finish(match=match, winner_side=winner)
    match.refresh_from_db()
    return match


def waiting(tournament: Tournament) -> list[Match]:
    """Its matches that wait to be played, in the order in which they were made."""
    mine = Match.objects.filter(pairing_match__pairing__stage__tournament=tournament, state=MatchState.PLANNED)
    return list(mine.order_by("pk"))


def finish_all(tournament: Tournament, *, seed: int = 1) -> None:
    """Give every match that waits a result drawn from the seed, and count results and ratings, until none waits."""
    rng = random.Random(seed)
    while matches := waiting(tournament):
        for match in matches:
            give_result(match, rng.choice([0, 0, 0, 1, 1, None]))
        results.apply_pending()
        periods.sweep()


def everything() -> dict[str, str]:
    """A digest of each table of leagues, ratings, the log, matches and deals: a refused act leaves it as it is."""
    models = [*apps.get_app_config("league").get_models(), *apps.get_app_config("games").get_models()]
    tables = [model._meta.db_table for model in models]
    digest = "SELECT '{0}', coalesce(md5(string_agg(row::text, chr(10) ORDER BY row.id)), '') FROM {0} row"
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(digest.format(table) for table in tables))
        return dict(cursor.fetchall())


@contextmanager
def undone() -> Iterator[None]:
    """Whatever the block writes is gone after it."""
    with transaction.atomic():
        mark = transaction.savepoint()
        try:
            yield
        finally:
            transaction.savepoint_rollback(mark)


@contextmanager
def refused(code: str, *, status: int | None = None) -> Iterator[None]:
    """The block is refused with this code, its sentence can be shown, and no row has changed."""
    before = everything()
    with pytest.raises(DomainError) as caught:
        yield
    assert caught.value.code == code
    assert "%(" not in str(caught.value)
    if status is not None:
        assert caught.value.status == status
    assert everything() == before


def code_of(act: Callable[[], object]) -> str:
    """`ok`, or the code of the refusal; then nothing has changed. What was written is undone."""
    before = everything()
    with undone():
        try:
            with transaction.atomic():
                act()
        except DomainError as error:
            assert everything() == before
            return error.code
    return "ok"
