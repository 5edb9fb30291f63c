"""Lists: cursors that stay true while rows arrive, filters, the same number of queries at N and 3N."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bots.models import QualifyGame
from games.models import Match
from league.models import Membership, RatingCurrent, RatingPool
from tests.accounts.factories import make_user
from tests.api.world import SHORT, Api, all_rows, join, make_world, played, token_of
from tests.bots import uploading
from tests.factories import make_bot_match, make_version
from tests.league.playing import make_league, make_tournament

pytestmark = pytest.mark.django_db


def test_pages_show_every_row_once_while_rows_arrive():
    for _ in range(5):
        make_bot_match(visibility="public")
    old = [match.code for match in Match.objects.order_by("-pk")]
    api, page, seen = Api(), Api().get("matches/", limit=2), []
    while True:
        seen += [row["code"] for row in page["results"]]
        make_bot_match(visibility="public")
        if page["next"] is None:
            break
        page = api.client.get(page["next"]).json()
    assert seen == old


def test_a_page_leads_back_to_what_came_before_it():
    codes = [make_bot_match(visibility="public").code for _ in range(5)][::-1]
    api = Api()
    first = api.get("matches/", limit=2)
    second = api.client.get(first["next"]).json()
    third = api.client.get(second["next"]).json()
    assert [[row["code"] for row in page["results"]] for page in (first, second, third)] == [
        codes[:2], codes[2:4], codes[4:],
    ]  # fmt: skip
    assert (first["previous"], third["next"]) == (None, None)
    back = api.client.get(third["previous"]).json()
    assert back["results"] == second["results"]
    assert api.client.get(back["previous"]).json()["results"] == first["results"]
    assert api.client.get(back["previous"]).json()["previous"] is None


def test_a_ranking_keeps_its_order_and_ranks_over_pages():
    pool = RatingPool.objects.create(code="bot-1v1", population="bot")
    for place, (rating, n) in enumerate([(1600, 30), (1600, 20), (1500, 25), (1700, 3), (1400, 40)]):
        version = make_version(f"Bot {place}")
        RatingCurrent.objects.create(
            pool=pool, subject=f"v:{version.pk}", version=version, rating_m=rating * 1000, n=n, last_seq=1
        )
    rows = all_rows(Api(), "rankings/bot-1v1/", limit=2)
    assert [(row["rank"], row["player"]["name"], row["rating_m"]) for row in rows] == [
        (1, "Bot 0", 1_600_000), (2, "Bot 1", 1_600_000), (3, "Bot 2", 1_500_000), (4, "Bot 4", 1_400_000),
        (None, "Bot 3", 1_700_000),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"), ("limit=201", "limit"), ("limit=x", "limit"), ("limit=²", "limit"), ("limit=", "limit"),
        ("cursor=x", "cursor"), ("cursor=a1.2", "cursor"), ("cursor=a", "cursor"), (f"cursor=a{'9' * 19}", "cursor"),
        ("state=nowhere", "state"), ("player=nobody", "player"), ("player=%00", "player"), ("league=none", "league"),
        ("tournament=none", "tournament"), ("round=0", "round"), (f"round={'9' * 30}", "round"), ("board=-1", "board"),
    ],
)  # fmt: skip
def test_a_query_that_means_nothing_is_refused(query, field):
    response = Api()("GET", f"matches/?{query}")
    assert (response.status_code, response.json()["code"], list(response.json()["fields"])) == (400, "invalid", [field])


def test_matches_are_narrowed_by_player_league_tournament_round_and_state():
    world = make_world()
    api = Api()
    inside = set(
        Match.objects.filter(pairing_match__pairing__stage__tournament=world.finished).values_list("code", flat=True)
    )
    mine = {code for code in inside if Match.objects.get(code=code).seats.filter(player=world.version.bot.player)}

    def codes(**query: str) -> set[str]:
        return {row["code"] for row in all_rows(api, "matches/", limit=2, **query)}

    assert codes(tournament=world.finished.code) == codes(league=world.league.slug) == inside
    assert codes(player=world.slug) == mine
    assert len(mine) == 4
    assert codes(tournament=world.finished.code, state="playing") == set()
    first = codes(tournament=world.finished.code, round="1", board="1")
    assert len(first) == 2
    assert first < inside
    assert world.private_match.code not in codes()
    member = Api(token_of(world.member))
    assert world.private_match.code in {row["code"] for row in all_rows(member, "matches/")}


def test_practice_and_tests_and_unlisted_matches_are_on_no_list():
    make_bot_match(mode="test", visibility="public")
    make_bot_match(mode="casual", visibility="unlisted")
    assert Api().get("matches/")["results"] == []


def _more_bots() -> None:
    for _ in range(2):
        make_version(owner=make_user())


def _more_matches() -> None:
    make_bot_match(visibility="public")
    make_bot_match(visibility="public")


def _queries(api: Api, path: str) -> int:
    api.get(path)  # what is kept for later requests is made by the first
    with CaptureQueriesContext(
        connection,
    ) as found:
        api.get(path)
    return len(found)


def _more_leagues() -> None:
    make_league()
    make_league()


def _more_tournaments() -> None:
    make_tournament(3)
    make_tournament(3)


def _more_pools() -> None:
    count = RatingPool.objects.count()
    RatingPool.objects.bulk_create(RatingPool(code=f"x{count + n}-1v1", population="bot") for n in range(2))


#: List -> how it grows, the queries that it may take beside those that say who asks.
LISTS: dict[str, tuple[Callable[[], None], int]] = {
    "bots/": (_more_bots, 2),
    "players/": (_more_bots, 2),
    "matches/": (_more_matches, 2),
    "leagues/": (_more_leagues, 1),
    "tournaments/": (_more_tournaments, 6),
    "rankings/": (_more_pools, 1),
}


@pytest.mark.parametrize("path", LISTS)
def test_a_list_asks_as_often_for_three_times_the_rows(path):
    make, most = LISTS[path]
    api = Api(token_of(make_user()))
    make()
    first, count = _queries(api, path), len(all_rows(api, path))
    make()
    make()
    make()
    assert len(all_rows(api, path)) >= count + 3
    assert _queries(api, path) == first
    assert first - _queries(api, "") <= most


def test_lists_of_a_league_and_a_tournament_ask_as_often_for_three_times_the_rows():
    owner = make_user()
    api, counts = Api(token_of(owner)), []
    for size in (3, 9):
        league = make_league(visibility="private")
        versions = [make_version() for _ in range(size - 1)] + [make_version(owner=owner)]
        tournament, organiser = make_tournament(league=league, versions=versions, settings=SHORT)
        played(tournament, organiser)
        paths = (f"leagues/{league.slug}/members/", f"tournaments/{tournament.code}/entries/",
                 f"tournaments/{tournament.code}/standings/", f"tournaments/{tournament.code}/rounds/",
                 f"tournaments/{tournament.code}/rounds/1/", f"matches/?tournament={tournament.code}",
                 f"rankings/{league.slug}:bot-1v1/")  # fmt: skip
        counts.append([_queries(api, path) for path in paths])
        assert len(all_rows(api, paths[0])) == size + 1
        assert len(api.get(paths[2])["rows"]) == size
    assert counts[0] == counts[1]
    assert max(counts[0]) <= 13


def test_versions_and_games_ask_as_often_for_three_times_the_rows():
    owner = make_user()
    api, counts = Api(token_of(owner)), []
    for size in (2, 6):
        bots = [uploading.upload(owner, f"Vela {size}", filename="bot.py") for _ in range(size)]
        version = bots[-1]
        for one in bots:
            one.checks.update(state="done")
        run = version.checks.first() or _run_of(version)
        for number in range(1, size + 1):
            QualifyGame.objects.create(
                run=run, step="self_play", number=number, opponent="self", dealer=0, deck="", termination="normal"
            )
        type(version).objects.filter(pk=version.pk).update(state="qualified")
        path = f"bots/{version.bot.player.slug}/versions/"
        counts.append([_queries(api, path), _queries(api, f"{path}{version.number}/games/")])
        assert (len(all_rows(api, path)), len(all_rows(api, f"{path}{version.number}/games/"))) == (size, size)
    assert counts[0] == counts[1]


def _run_of(version):
    from bots.models import QualifyRun

    return QualifyRun.objects.create(version=version, seed=b"x" * 32, state="done")


def test_members_who_have_left_are_not_listed():
    league, version = make_league(), make_version()
    join(league, version)
    assert [row["player"]["slug"] for row in Api().get(f"leagues/{league.slug}/members/")["results"]][1:] == [
        version.bot.player.slug
    ]
    Membership.objects.filter(player=version.bot.player).update(state="left")
    assert len(Api().get(f"leagues/{league.slug}/members/")["results"]) == 1


def test_codes_are_taken_in_any_case():
    tournament, _organiser = make_tournament(3)
    match = make_bot_match(visibility="public")
    api = Api()
    for code in (match.code, match.code.lower()):
        assert api.get(f"matches/{code}/")["code"] == match.code
        api.get(f"matches/{code}/record/")
    for code in (tournament.code, tournament.code.upper()):
        assert api.get(f"tournaments/{code}/")["code"] == tournament.code
        assert api.get("matches/", tournament=code)["results"] == []
