"""Rankings, bots, people, status: what stands there, who may see it, how many questions it takes."""

import csv
import io
import random
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from bots.models import BotVersion, VersionState
from games.models import Heartbeat, Match, Visibility
from league.models import HeadToHead, Membership, RatingCurrent, RatingEvent, RatingPeriod, RatingPool
from league.rating_chart import MOST_POINTS, chart, thinned
from league.selectors import rankings, status
from league.selectors.queue import ahead, records
from league.selectors.ratings import HistoryPoint, history
from league.services import memberships, tournaments
from tests.accounts.factories import make_user
from tests.factories import make_bot_match, make_guest, make_version
from tests.league.played import faulty_match, matches_of, played_match, played_tournament
from tests.league.playing import make_league, make_tournament, play

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]


def page(client, address, status=200):
    answer = client.get(address, headers={"Accept-Language": "en"})
    assert answer.status_code == status, address
    return answer.content.decode()


def queries(client, address):
    with CaptureQueriesContext(connection) as found:
        page(client, address)
    return len(found)


def rated(version, rating_m, n=20, pool="bot-1v1"):
    """Where a version stands, without matches."""
    pool, _ = RatingPool.objects.get_or_create(code=pool, defaults={"population": "bot"})
    return RatingCurrent.objects.create(pool=pool, subject=f"v:{version.pk}", version=version, rating_m=rating_m, n=n)


def read(client, query=""):
    text = client.get(f"/rankings/export.csv{query}").content.decode()
    return [(row["rank"], row["name"], row["elo"]) for row in csv.DictReader(io.StringIO(text))]


def test_established_bots_are_ranked_and_provisional_ones_follow(client):
    for name, rating_m, n in [("A", 1_500_000, 20), ("B", 1_600_499, 300), ("C", 1_700_000, 19), ("D", 1_480_000, 0)]:
        rated(make_version(name), rating_m, n)
    assert read(client) == [("1", "B", "1600"), ("2", "A", "1500"), ("", "C", "1700"), ("", "D", "1480")]
    text = page(client, "/rankings/")
    assert ">1700?<" in text
    assert ">1600<" in text
    assert "fewer than 20 rated matches" in text


def test_a_bot_stands_with_its_active_version_alone(client):
    version = make_version("A")
    rated(version, 1_500_000)
    second = BotVersion.objects.create(
        bot=version.bot, number=2, sha256="b" * 64, filename="bot.py", size=1, state=VersionState.QUALIFIED
    )
    rated(second, 1_550_000)
    assert read(client) == [("1", "A", "1500")]
    version.bot.active_version = second
    version.bot.save()
    assert read(client) == [("1", "A", "1550")]
    version.bot.active_version = None
    version.bot.save()
    assert read(client) == []


def test_a_league_narrows_the_ranking_to_its_members(client):
    league = make_league()
    member, other = make_version("A"), make_version("B")
    memberships.join(league=league, player=member.bot.player, actor=member.bot.owner)
    for version in (member, other):
        rated(version, 1_500_000)
    assert read(client, f"?league={league.slug}") == [("1", "A", "1500")]


def test_a_private_league_has_a_ranking_for_its_members_alone(client):
    league = make_league(visibility=Visibility.PRIVATE)
    version = make_version("A")
    Membership.objects.create(league=league, player=version.bot.player)
    rated(version, 1_612_000, pool=f"{league.slug}:bot-1v1")
    assert read(client, f"?league={league.slug}") == []
    client.force_login(version.bot.owner)
    assert read(client, f"?league={league.slug}") == [("1", "A", "1612")]


def test_the_change_of_thirty_days_starts_before_the_first_period_in_them():
    played_tournament(3)
    pool = RatingPool.objects.get(code="bot-1v1")
    periods = list(RatingPeriod.objects.filter(pool=pool).order_by("seq"))
    today = timezone.now().date()
    RatingPeriod.objects.filter(pk=periods[0].pk).update(day=today - timedelta(days=31))
    for row in rankings.ranking(pool, today=today):
        events = RatingEvent.objects.filter(subject=row.subject).order_by("seq")
        old = [event for event in events if event.period_id == periods[0].pk]
        assert row.was_m == (old[-1].after if old else events[0].before)
    for row in rankings.ranking(pool, today=today + timedelta(days=90)):
        assert row.was_m == row.rating_m


def test_equal_ratings_and_pages_keep_their_places(client):
    for number in range(120):
        rated(make_version(f"Bot {number:03}"), 1_500_000 + number // 2)
    first = page(client, "/rankings/")
    assert first.count('class="rank ') + first.count('class="rank"') == 50
    following = first.split('rel="next"')[0].rsplit('href="', 1)[1].split('"')[0]
    second = page(client, "/rankings/" + following)
    assert '<span class="rank">51</span>' in second
    assert '<span class="rank">100</span>' in second


def test_people_have_an_empty_ranking_that_leads_on(client):
    assert "for now this is the place of bots" in page(client, "/rankings/?pool=human")


def test_lists_take_the_same_questions_for_three_times_the_rows(client):
    for number in range(4):
        rated(make_version(), 1_500_000 + number)
    few = {address: queries(client, address) for address in ("/rankings/", "/bots/")}
    for number in range(8):
        rated(make_version(), 1_400_000 + number)
    assert {address: queries(client, address) for address in few} == few
    assert few["/rankings/"] <= 6


def test_the_page_of_a_bot_shows_rating_opponents_matches_and_versions(client):
    tournament = played_tournament(3)
    version = tournament.entries.first().version
    text = page(client, version.bot.get_absolute_url())
    current = RatingCurrent.objects.get(version=version)
    assert f"{round(current.rating_m / 1000)}?" in text
    assert "provisional" in text
    assert text.count('class="history__score"') == 4
    assert "<polyline" in text
    for row in HeadToHead.objects.filter(a=version.bot.player) | HeadToHead.objects.filter(b=version.bot.player):
        other = row.b if row.a == version.bot.player else row.a
        assert other.get_absolute_url() in text
    assert version.get_absolute_url() in text
    assert tournament.league.name in text


def test_the_page_of_a_bot_takes_the_same_questions_whatever_it_has_played(client):
    one, other = make_version(), make_version()
    played_match(one, other)
    address = one.bot.get_absolute_url()
    few = queries(client, address)
    for seed in range(3):
        played_match(one, other, seed=seed)
    faulty_match(one, other)
    assert queries(client, address) == few <= 20


def test_only_the_owner_and_staff_are_led_to_the_management(client):
    version = make_version()
    for user, sees in {
        None: False,
        make_user(): False,
        version.bot.owner: True,
        make_user(is_staff=True): True,
    }.items():
        if user is not None:
            client.force_login(user)
        assert (f"/my/bots/{version.bot.player.slug}/" in page(client, version.bot.get_absolute_url())) is sees


def test_a_person_has_a_page_and_a_guest_has_none(client):
    version = make_version("Alfa", owner=make_user("Luna"))
    owner = version.bot.owner.player
    text = page(client, owner.get_absolute_url())
    assert "Luna" in text
    assert version.bot.get_absolute_url() in text
    assert client.get(f"/players/{version.bot.player.slug}/").url == version.bot.get_absolute_url()
    page(client, f"/players/{make_guest().slug}/", 404)
    page(client, "/players/nobody/", 404)
    page(client, f"/bots/{owner.slug}/", 404)


def test_a_private_league_is_not_told_on_the_pages_of_its_members(client):
    league = make_league(visibility=Visibility.PRIVATE)
    player = league.memberships.get(role="owner").player
    assert league.name not in page(client, player.get_absolute_url())
    client.force_login(player.user)
    assert league.name in page(client, player.get_absolute_url())


def test_the_chart_marks_versions_and_stays_within_its_picture():
    day = timezone.now().date()
    points = [
        HistoryPoint(
            seq=n, day=day + timedelta(days=n // 3), rating_m=1_500_000 + 977 * (n % 40), n=n, version=1 + n // 300
        )
        for n in range(600)
    ]
    drawn = chart(points, name="Alfa", labels={1: "v1", 2: "v2"})
    assert len(drawn["points"]) == MOST_POINTS == len(thinned(points))
    assert (thinned(points)[0], thinned(points)[-1]) == (points[0], points[-1])
    assert all(46 <= x <= 708 and 14 <= y <= 208 for x, y in drawn["points"])
    assert [label for _, label in drawn["marks"]] == ["v1", "v2"]
    assert len(drawn["rows"]) == 50
    assert 2 <= len(drawn["y_ticks"]) <= 6
    assert chart(points[:1], name="Alfa", labels={}) is None


def test_the_history_has_one_point_a_period():
    tournament = played_tournament(3)
    version = tournament.entries.first().version
    points = history("bot-1v1", [f"v:{version.pk}"])
    assert [point.n for point in points] == [2, 4]
    assert points[-1].rating_m == RatingCurrent.objects.get(version=version).rating_m


def test_the_status_tells_what_waits_what_lives_and_whether_the_ledger_holds(client):
    now = timezone.now()
    played_tournament(3)
    make_bot_match()
    for role in ("web", "worker", "registrar"):
        Heartbeat.objects.create(role=role, name="here", at=now)
    Heartbeat.objects.create(role="beat", name="here", at=now - timedelta(minutes=5))
    found = status.status(now=now)
    assert (found.queue.waiting, found.queue.playing) == (1, 0)
    assert [(process.role, process.is_alive) for process in found.processes] == [
        ("web", True), ("worker", True), ("registrar", True), ("beat", False),
    ]  # fmt: skip
    assert [(ledger.pool, ledger.rows, ledger.is_whole) for ledger in found.ledgers] == [("bot-1v1", 12, True)]
    RatingPool.objects.update(last_hash="f" * 64)
    assert not status.status(now=now).ledgers[0].is_whole
    assert "differs" in page(client, "/status/")
    assert queries(client, "/status/") <= 6


def test_the_nightly_recount_is_told_on_the_status_page(client):
    from league import tasks

    played_tournament(3)
    tasks.check_ratings()
    found = status.status(now=timezone.now()).ledgers[0]
    assert found.checked_at is not None
    assert not found.problem
    assert found.is_whole


def test_the_page_of_a_bot_shows_its_next_match_and_why_it_is_played(client):
    tournament, organiser = make_tournament(3)
    tournaments.start(tournament=tournament, actor=organiser)
    version = tournament.entries.first().version
    found = ahead(version.bot.player)
    own = [match for match in matches_of(tournament) if match.seats.filter(player=version.bot.player).exists()]
    assert (found.row.match, found.row.round_number) == (own[0], own[0].pairing_match.pairing.round.number)
    assert (found.waiting, found.is_playing, found.is_held) == (len(own), False, False)
    assert found.before == Match.objects.filter(pk__lt=own[0].pk).count()
    text = page(client, version.bot.get_absolute_url())
    assert f"It is paired in round {found.row.round_number} of" in text
    play(own[0], random.Random(1))
    assert ahead(version.bot.player).row.match == own[1]
    make_bot_match((version, make_version()), mode="test")
    assert ahead(version.bot.player).waiting == len(own) - 1


def test_results_are_told_by_version():
    one, other = make_version(), make_version()
    matches = [played_match(one, other, seed=seed) for seed in range(3)]
    played_match(one, other, seed=9, mode="test")
    (record,) = records((one,))
    assert record.played == 3
    assert record.won == sum(match.winner_side == 0 for match in matches)
    assert record.lost == sum(match.winner_side == 1 for match in matches)
    assert records((make_version(),)) == ()
