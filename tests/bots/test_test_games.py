"""Test games: whom one may meet, how many at a time, what becomes of them."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from bots.errors import BotsError
from bots.models import Bot, BotMate, TestGame, VersionState
from bots.selectors import test_games as selectors
from bots.services import dispatch, test_games
from games.models import Match, MatchMode, MatchState
from league.models import RatedMatch
from tests.accounts.factories import make_user
from tests.bots.honest_worker import send
from tests.bots.runs_fixtures import worker_of
from tests.factories import make_version

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_valkey")]


@pytest.fixture
def mine():
    return make_version("VelaBot")


@pytest.fixture
def other():
    return make_version("Maestrale")


def start(mine, other, **fields) -> TestGame:
    wanted = {"version": mine, "opponent": other, "pairs": 1, "actor": mine.bot.owner}
    return test_games.start(**wanted | fields)


def refused(mine, other, **fields) -> str:
    before = TestGame.objects.count(), Match.objects.count()
    with pytest.raises(BotsError) as caught:
        start(mine, other, **fields)
    assert (TestGame.objects.count(), Match.objects.count()) == before
    return caught.value.code


def test_a_pair_has_the_same_decks_and_the_seats_exchanged(mine, other):
    game = start(mine, other, pairs=2)
    matches = list(Match.objects.filter(group=game.group).order_by("pk"))
    assert [match.mode for match in matches] == [MatchMode.TEST] * 4
    assert {match.visibility for match in matches} == {"unlisted"}
    assert matches[0].seed == matches[1].seed != matches[2].seed == matches[3].seed
    seats = [[seat.bot_seat.version for seat in match.seats.order_by("index")] for match in matches]
    assert seats == [[mine, other], [other, mine]] * 2
    assert not RatedMatch.objects.exists()


def test_a_test_game_is_played_and_counted_for_the_tested_version(mine, other):
    game = start(mine, other)
    dispatch.fill()
    for match in Match.objects.filter(group=game.group).order_by("pk"):
        worker = worker_of(match)
        for report in worker.play():
            assert send(report).is_accepted
    (page,) = selectors.pages([game])
    assert (page.total, page.over, page.is_over) == (2, 2, True)
    assert page.won + page.drawn + page.lost == 2
    for line in page.lines:
        line.match.refresh_from_db()
        side = line.match.seats.get(bot_seat__version=mine).side
        assert line.is_won is (line.match.winner_side == side)
        assert line.score[0] == line.match.score[side]


def test_a_version_may_meet_an_older_one_and_itself(mine):
    for opponent in (mine,):
        game = start(mine, opponent)
        assert selectors.pages([game])[0].total == 2


def test_whom_one_may_not_meet(mine, other):
    Bot.objects.filter(pk=other.bot_id).update(allows_tests=False)
    other.bot.refresh_from_db()
    assert refused(mine, other) == "test.not_allowed"
    BotMate.objects.create(bot=other.bot, user=mine.bot.owner, accepted_at=timezone.now())
    assert start(mine, other)


def test_only_the_active_version_of_a_stranger_is_met(mine, other):
    Bot.objects.filter(pk=other.bot_id).update(active_version=None)
    other.bot.refresh_from_db()
    assert refused(mine, other) == "test.not_allowed"
    assert selectors.opponents(mine.bot, mine.bot.owner) == [mine]


def test_only_qualified_versions_play(mine, other):
    mine.state = VersionState.SUSPENDED
    mine.save()
    assert refused(mine, other) == "version.not_qualified"


@pytest.mark.parametrize("pairs", [0, 11, -1])
def test_one_to_ten_pairs(mine, other, pairs):
    assert refused(mine, other, pairs=pairs) == "test.pairs"


def test_a_stranger_cannot_test_somebody_elses_bot(mine, other):
    assert refused(mine, other, actor=make_user()) == "bot.not_yours"


def test_two_at_a_time(mine, other):
    first, _second = start(mine, other), start(mine, other)
    assert refused(mine, other) == "test.open"
    test_games.cancel(game=first, actor=mine.bot.owner)
    assert start(mine, other)


def test_thirty_a_day(mine, other):
    for _ in range(30):
        TestGame.objects.create(version=mine, opponent=other, by=mine.bot.owner, pairs=1)
    with pytest.raises(BotsError) as caught:
        start(mine, other)
    assert (caught.value.code, caught.value.status) == ("test.quota", 429)
    oldest = TestGame.objects.order_by("pk").first()
    TestGame.objects.filter(pk=oldest.pk).update(created_at=timezone.now() - timedelta(days=1, seconds=1))
    assert start(mine, other)


def test_cancelling_keeps_what_is_over_and_ends_the_rest(mine, other):
    game = start(mine, other, pairs=2)
    dispatch.fill()
    first, *rest = Match.objects.filter(group=game.group).order_by("pk")
    worker = worker_of(first)
    for report in worker.play():
        send(report)
    test_games.cancel(game=game, actor=mine.bot.owner)
    states = list(Match.objects.filter(group=game.group).order_by("pk").values_list("state", flat=True))
    assert states == [MatchState.FINISHED, *[MatchState.VOID] * 3]
    for match in rest:
        assert not match.runs.filter(state__in=("queued", "playing")).exists()
    with pytest.raises(BotsError) as caught:
        test_games.cancel(game=game, actor=mine.bot.owner)
    assert caught.value.code == "test.over"
    with pytest.raises(BotsError) as caught:
        test_games.cancel(game=start(mine, other), actor=make_user())
    assert caught.value.code == "bot.not_yours"


def test_the_pages_start_watch_and_cancel(client, mine, other):
    client.force_login(mine.bot.owner)
    address = f"/my/bots/{mine.bot.player.slug}/tests/"
    assert client.get(address).status_code == 200
    answer = client.post(address, {"version": mine.pk, "opponent": other.pk, "pairs": 11})
    assert answer.status_code == 422
    answer = client.post(address, {"version": mine.pk, "opponent": other.pk, "pairs": 1})
    game = TestGame.objects.get()
    assert (answer.status_code, answer.url) == (302, f"{address}{game.pk}/")
    html = client.get(answer.url).content.decode()
    seen = re.search(r"\?seen=([^\"]+)\"", html)[1]
    assert client.get(f"{answer.url}?seen={seen}", headers={"hx-request": "true"}).status_code == 204
    assert client.post(f"{answer.url}cancel/").status_code == 302
    part = client.get(f"{answer.url}?seen={seen}", headers={"hx-request": "true"})
    assert part.status_code == 200
    assert b"hx-get" not in part.content
    client.force_login(other.bot.owner)
    assert client.get(answer.url).status_code == 404
    assert client.post(address, {"version": mine.pk, "opponent": other.pk, "pairs": 1}).status_code == 404
    assert TestGame.objects.count() == 1
    # The match of a test game has a page for who has its address, and stands in no list.
    match = Match.objects.first()
    assert client.get(match.get_absolute_url()).status_code == 200
    assert match.code not in client.get("/matches/?state=void").content.decode()


def test_the_list_takes_as_many_queries_for_many_test_games(client, django_assert_num_queries, mine, other):
    client.force_login(mine.bot.owner)
    address = f"/my/bots/{mine.bot.player.slug}/tests/"
    start(mine, other)
    client.get(address)
    with django_assert_num_queries(10):
        client.get(address)
    start(mine, other, pairs=3)
    with django_assert_num_queries(10):
        client.get(address)
