"""The history of matches and the page of one: what stands there, who may see it, how many questions it takes."""

import csv
import io
import random
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.models import MatchState, Visibility
from games.services import matches as verbs
from league.models import PairingMatch, RatingEvent
from league.selectors import keyset, matches, receipts
from league.selectors.ratings import receipt
from league.services import rulings, tournaments
from tests.accounts.factories import make_user
from tests.factories import make_bot_match, make_version
from tests.league.played import faulty_match, matches_of, play_deal, played_match, played_tournament
from tests.league.playing import make_tournament, play

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]


def page(client, address, status=200, **headers):
    answer = client.get(address, headers={"Accept-Language": "en"} | headers)
    assert answer.status_code == status, address
    return answer.content.decode()


def queries(client, address):
    with CaptureQueriesContext(
        connection,
    ) as found:
        page(client, address)
    return len(found)


def codes(text):
    return re.findall(r'href="/matches/([0-9A-Z]{8})/" aria-label', text)


def test_the_history_shows_public_results_newest_first(client):
    shown = [played_match(seed=seed) for seed in (1, 2)]
    played_match(visibility=Visibility.PRIVATE)
    played_match(visibility=Visibility.UNLISTED)
    played_match(mode="test")
    make_bot_match()
    assert codes(page(client, "/matches/")) == [match.code for match in reversed(shown)]


def test_filters_narrow_the_history(client):
    one, other = make_version("Alfa"), make_version("Beta")
    match = played_match(one, other)
    faulty = faulty_match(one, make_version("Gamma"))
    waiting = make_bot_match((one, other))
    void = verbs.void(match=make_bot_match((one, other)), reason="storm")
    winner, loser = ("Alfa", "Beta") if match.winner_side == 0 else ("Beta", "Alfa")
    expected = {
        "player=Beta": [match],
        "player=gamma": [faulty],
        f"player={winner}&result=won": [match, faulty] if winner == "Alfa" and faulty.winner_side == 0 else [match],
        f"player={loser.lower()}&result=lost": [match, faulty]
        if loser == "Alfa" and faulty.winner_side == 1
        else [match],
        "result=fault": [faulty],
        "result=drawn": [],
        "state=waiting": [waiting],
        "state=void": [void],
        "player=Nobody": [],
    }
    for query, wanted in expected.items():
        assert set(codes(page(client, f"/matches/?{query}"))) == {row.code for row in wanted}, query
    assert "Nobody here is called “Nobody”." in page(client, "/matches/?player=Nobody")


def test_a_tournament_and_its_league_are_filters(client):
    tournament = played_tournament(3)
    played_match()
    own = {match.code for match in matches_of(tournament)}
    assert set(codes(page(client, f"/matches/?tournament={tournament.code}"))) == own
    assert set(codes(page(client, f"/matches/?league={tournament.league.slug}"))) == own


def test_pages_go_on_where_the_one_before_ended_and_back(monkeypatch, client):
    monkeypatch.setattr(keyset, "ROWS_A_PAGE", 3)
    monkeypatch.setattr("league.selectors.keyset.page.__kwdefaults__", {"after": "", "before": "", "size": 3})
    made = [match.code for match in matches_of(played_tournament(3))]
    every = [row.code for row in matches.history(matches.MatchFilter()).order_by("-finished_at", "-pk")]
    assert set(every) == set(made)
    assert len(every) == 6
    first = page(client, "/matches/")
    following = re.search(r'href="(\?after=[^"]+)" rel="next"', first)[1]
    second = page(client, "/matches/" + following)
    assert codes(first) + codes(second) == every
    back = re.search(r'href="(\?before=[^"]+)" rel="prev"', second)[1]
    assert codes(page(client, "/matches/" + back)) == codes(first)
    assert 'rel="next"' not in second


def test_the_history_takes_the_same_questions_for_three_times_the_rows(client):
    versions = [make_version() for _ in range(4)]
    for seed in range(3):
        played_match(*versions[:2], seed=seed)
    few = queries(client, "/matches/")
    for seed in range(6):
        played_match(*versions[seed % 2 : seed % 2 + 2], seed=seed)
    assert len(codes(page(client, "/matches/"))) == 9
    assert queries(client, "/matches/") == few <= 6


@pytest.mark.parametrize("name", ["=cmd()", "+1", "-1", "@x"])
def test_files_hold_the_same_rows_and_no_formula(client, name):
    match = played_match(make_version(name), make_version("Beta"))
    answer = client.get("/matches/export.csv")
    (row,) = csv.DictReader(io.StringIO(answer.content.decode()))
    assert (row["code"], row["side_0"], row["side_1"]) == (match.code, f"'{name}", "Beta")
    assert [int(row["deals_0"]), int(row["deals_1"])] == match.score
    assert answer.headers["Content-Disposition"] == 'attachment; filename="matches.csv"'
    data = client.get("/matches/export.json").json()
    assert [(one["code"], one["side_0"]) for one in data["matches"]] == [(match.code, name)]
    assert data["next"] is None


def test_a_match_shows_deals_result_and_how_to_check_it(client):
    match = played_match()
    text = page(client, f"/matches/{match.code}/")
    assert match.commitment in text
    assert bytes(match.seed).hex() in text
    assert f"python -m games.engine verify {match.code}.json" in text
    assert f"/matches/{match.code}/record.bella" in text
    for deal in match.deals.all():
        assert f"/matches/{match.code}/replay/?d={deal.number}" in text
    assert match.commitment in page(client, f"/matches/{match.code.lower()}/")


def test_an_unfinished_match_hides_its_seed_and_follows_by_itself(client):
    match = make_bot_match()
    verbs.start(match=match)
    play_deal(match)
    match.refresh_from_db()
    text = page(client, f"/matches/{match.code}/")
    assert bytes(match.seed).hex() not in text
    assert match.commitment in text
    seen = re.search(r'hx-get="([^"]+)"', text)[1]
    htmx = {"HX-Request": "true"}
    assert client.get(seen, headers=htmx).status_code == 204
    play_deal(match)
    part = page(client, seen, **htmx)
    assert part.lstrip().startswith('<div id="match"')
    assert "<html" not in part


def test_a_mirrored_match_shows_its_cards_when_its_twin_is_over(client):
    tournament, organiser = make_tournament(3)
    tournaments.start(tournament=tournament, actor=organiser)
    first, twin = matches_of(tournament)[:2]
    first = play(first, random.Random(1))
    text = page(client, f"/matches/{first.code}/")
    assert bytes(first.seed).hex() not in text
    assert "cards hidden" in text
    assert f"/matches/{twin.code}/" in text
    assert f"/matches/{first.code}/replay/?d=1" not in text
    hidden = page(client, f"/matches/{first.code}/replay/")
    assert first.deals.first().deck not in hidden
    assert first.deals.first().plays not in hidden
    play(twin, random.Random(2))
    assert bytes(first.seed).hex() in page(client, f"/matches/{first.code}/")
    assert first.deals.first().deck in page(client, f"/matches/{first.code}/replay/")


def test_the_receipt_adds_up(client):
    tournament = played_tournament(3)
    match = matches_of(tournament)[0]
    text = page(client, f"/matches/{match.code}/")
    events = RatingEvent.objects.filter(match=match.code)
    assert events.count() == 2
    for event in events:
        before, change, after = (f"{number / 1000:.3f}" for number in (event.before, abs(event.delta), event.after))
        assert before in text
        assert change in text
        assert after in text
        assert event.hash[:8] in text
    for slip in receipts.slips(receipt(match)):
        row = slip.row
        assert row.base + slip.earlier + row.delta + row.floor == row.after
        assert slip.factor.effective == row.k
    assert "32 after 0 rated matches" in text


def test_a_match_that_does_not_count_says_why(client):
    tournament = played_tournament(3, rated=False)
    assert "Not rated: friendly match." in page(client, f"/matches/{matches_of(tournament)[0].code}/")


def test_a_match_played_again_is_told_on_both_pages(client):
    tournament = played_tournament(3)
    organiser = tournament.league.memberships.get(role="owner").player.user
    old = matches_of(tournament)[0]
    made = rulings.void_and_rerun(match=old, actor=organiser, reason="The wrong version played this one.")
    text = page(client, f"/matches/{old.code}/")
    again = PairingMatch.objects.get(pairing=old.pairing_match.pairing, number=1, replaced=False).match
    assert again in made
    assert f"/matches/{again.code}/" in text
    assert "The wrong version played this one." in text
    assert f"/matches/{old.code}/" in page(client, f"/matches/{again.code}/")


def test_the_reason_of_a_void_match_is_shown(client):
    match = verbs.void(match=make_bot_match(), reason="Storm over the arena")
    assert match.state == MatchState.VOID
    assert "Storm over the arena" in page(client, f"/matches/{match.code}/")


SECRETS = ("SECRET-DETAIL", "SECRET-REQUEST", "SECRET-ANSWER", "SECRET-LOG")


def test_a_fault_is_told_to_all_and_its_details_to_the_owner_and_staff(client):
    one, other = make_version("Alfa"), make_version("Beta")
    match = faulty_match(one, other)
    guilty = match.faults.get().version.bot
    rival = other.bot.owner if guilty == one.bot else one.bot.owner
    people = {None: False, rival: False, make_user(): False, guilty.owner: True, make_user(is_staff=True): True}
    for user, sees in people.items():
        if user is not None:
            client.force_login(user)
        text = page(client, f"/matches/{match.code}/")
        assert "Crash" in text
        assert "replay/?d=1&amp;c=13" in text
        assert [secret in text for secret in SECRETS] == [sees] * 4, user


def test_the_log_of_a_fault_waits_for_the_end_of_the_match(client):
    match = make_bot_match()
    verbs.start(match=match)
    play_deal(match, most=13)
    client.force_login(match.faults.get().version.bot.owner)
    text = page(client, f"/matches/{match.code}/")
    assert "Crash" in text
    assert not any(secret in text for secret in SECRETS)


def test_a_private_match_exists_for_its_people_alone(client):
    one, other = make_version(), make_version()
    match = played_match(one, other, visibility=Visibility.PRIVATE)
    addresses = [f"/matches/{match.code}/{tail}" for tail in ("", "replay/", "record.json", "record.bella")]
    expected = {None: 404, make_user(): 404, one.bot.owner: 200, make_user(is_staff=True): 200}
    for user, status in expected.items():
        if user is not None:
            client.force_login(user)
        assert [client.get(address).status_code for address in addresses] == [status] * 4, user


def test_times_of_thinking_are_the_owners(client):
    one, other = make_version(), make_version()
    match = faulty_match(one, other)
    deal = match.deals.get(number=2)
    address = f"/matches/{match.code}/replay/?d=2&c=1"
    assert '"think_ms": []' in page(client, address)
    client.force_login(one.bot.owner)
    found = re.findall(r'"think_ms": \[([^\]]*)\]', page(client, address))[1].split(", ")
    assert len(found) == len(deal.think_ms)
    assert found.count("null") == 20
    assert [int(text) for text in found if text != "null"] == [
        ms for ms, text in zip(deal.think_ms, found, strict=True) if text != "null"
    ]
    client.force_login(make_user(is_staff=True))
    assert f'"think_ms": {list(deal.think_ms)}' in page(client, address)


@pytest.mark.parametrize("query", ["", "?d=2&c=7", "?d=99&c=999", "?d=-1&c=-1", "?d=x&c=", "?c=" + "9" * 40, "?d=%00"])
def test_the_replay_opens_at_any_address(client, query):
    match = played_match()
    text = page(client, f"/matches/{match.code}/replay/{query}")
    assert 'id="replay-data"' in text
    policy = client.get(f"/matches/{match.code}/replay/").headers["Content-Security-Policy"]
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("name", ["matches/", "matches/export.csv", "matches/export.json", "rankings/", "bots/"])
@pytest.mark.parametrize(
    "value",
    ["", "x", "\x00", "-1", "9" * 40, "%27%3B--", "é", "1.2", f"{9**19}.1", "1.x", "a.b", "5.1.2", "1.1.2", "."],
)
def test_no_query_breaks_a_list(client, name, value):
    played_match()
    asked = dict.fromkeys(("after", "before", "player", "league", "tournament", "state", "result", "q", "pool"), value)
    assert client.get(f"/{name}", asked).status_code == 200
    for key in asked:
        assert client.get(f"/{name}", {key: value}).status_code == 200, key


def test_the_page_of_a_match_takes_the_same_questions_for_any_number_of_deals(client):
    made = [faulty_match(), *(played_match(seed=seed) for seed in range(4))]
    long = max(made, key=lambda match: match.deals.count())
    short = min(made, key=lambda match: match.deals.count())
    assert long.deals.count() > short.deals.count()
    for match in (long, short):
        assert queries(client, f"/matches/{match.code}/") <= 16
    assert queries(client, f"/matches/{long.code}/") == queries(client, f"/matches/{short.code}/")
