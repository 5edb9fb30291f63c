"""Pages of a tournament: standings with their arithmetic, rounds, matches, entries, rules, log."""

import csv
import io
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.models import Match
from league.models import Entry, PairingMatch, Round, Standing, Tournament
from league.selectors import standings
from league.selectors import tournaments as selectors
from league.services import entries, memberships, rulings, tournaments
from league.services.tournaments import RoundRobinSettings
from tests.accounts.factories import make_user
from tests.factories import make_version
from tests.league.played import played_tournament
from tests.league.playing import make_tournament, play_all
from tests.league.world import REASON, make_world

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]


def page(client, address, status=200, **headers):
    answer = client.get(address, headers={"Accept-Language": "en"} | headers)
    assert answer.status_code == status, address
    return answer.content.decode()


def words(text):
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


def test_the_standings_are_those_that_were_stored_and_can_be_seen_after_each_round(client):
    tournament = played_tournament(4)
    for after in (1, 2, 3):
        stored = list(Standing.objects.filter(after_round=after).order_by("rank").values_list("entry__name", flat=True))
        shown = re.findall(
            r'class="who__name">([^<]*)<', page(client, f"/tournaments/{tournament.code}/?after={after}")
        )
        assert shown == stored
    assert page(client, f"/tournaments/{tournament.code}/").count("<option") == 3
    # a round that does not exist yet shows the latest, one before the first shows the first
    assert standings.table(tournament.stages.get(), after=99).after == 3
    assert standings.table(tournament.stages.get(), after=0).after == 1


def test_the_arithmetic_of_a_row_adds_up_in_both_languages(client):
    tournament = played_tournament(5)
    stage = tournament.stages.get()
    for row in Standing.objects.filter(stage=stage, after_round=5):
        found = standings.explained(stage, entry=row.entry_id)
        assert [value.code for value in found.values][:3] == ["points", "direct_encounter", "sonneborn_berger"]
        berger = next(value for value in row.tie_breaks if value["code"] == "sonneborn_berger")
        assert sum(part["base"] * part["weight"] for part in berger["parts"]) == berger["value"]
        address = f"/tournaments/{tournament.code}/standings/{row.entry_id}/"
        assert "Deal difference" in page(client, address)
        italian = page(client, address, **{"Accept-Language": "it"})
        assert f"{row.entry.name}" in italian
        assert "Sonneborn-Berger" in italian
    page(
        client, f"/tournaments/{tournament.code}/standings/{Entry.objects.order_by('-pk').first().pk + 1}/", status=404
    )


def test_decided_by_names_the_criterion_that_parted_two_rows():
    tournament = played_tournament(5)
    for row in standings.table(tournament.stages.get()).rows:
        values = Standing.objects.get(after_round=5, entry=row.entry).tie_breaks
        decided = [value["code"] for value in values if value.get("decided")]
        assert (row.decided_by == "") == (decided in ([], ["points"]))


def test_rank_changes_are_counted_from_the_round_before():
    tournament = played_tournament(5)
    stage = tournament.stages.get()
    before = {row.entry.pk: row.rank for row in standings.table(stage, after=4).rows}
    assert all(row.change == before[row.entry.pk] - row.rank for row in standings.table(stage, after=5).rows)
    assert {row.change for row in standings.table(stage, after=1).rows} == {None}


def test_the_csv_has_the_rows_and_no_formula(client):
    names = ("=1+1", "+39 02", "-Meno", "@here")
    tournament = played_tournament(versions=[make_version(name) for name in names])
    text = page(client, f"/tournaments/{tournament.code}/standings.csv")
    rows = list(csv.reader(io.StringIO(text)))
    assert (len(rows), {row[1] for row in rows[1:]}) == (5, {f"'{name}" for name in names})
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]
    assert sum(int(row[4]) for row in rows[1:]) == sum(int(row[6]) for row in rows[1:])


def test_before_the_first_result_the_entries_stand_there(client):
    tournament, _organiser = make_tournament(3)
    text = page(client, f"/tournaments/{tournament.code}/")
    assert "No pairing is over yet" in text
    assert all(entry.name in text for entry in tournament.entries.all())


def test_a_round_shows_pairings_points_byes_and_links_to_its_matches(client):
    tournament = played_tournament(3)
    text = page(client, f"/tournaments/{tournament.code}/rounds/?round=2")
    assert "rests" in text
    codes = set(Match.objects.filter(pairing_match__pairing__round__number=2).values_list("code", flat=True))
    assert set(re.findall(r'href="/matches/([0-9A-Z]{8})/"', text)) == codes
    assert len(codes) == 2
    # the address without a round opens at the last one that was released
    assert "Round 3" in words(page(client, f"/tournaments/{tournament.code}/rounds/"))


def test_many_matches_of_a_pairing_are_a_link_to_their_list(client):
    tournament, organiser = make_tournament(3, settings=RoundRobinSettings(encounter=22))
    tournaments.start(tournament=tournament, actor=organiser)
    text = page(client, f"/tournaments/{tournament.code}/rounds/?round=1")
    assert "22 matches" in words(text)
    assert re.findall(r'href="/matches/\w', text) == []
    (address,) = re.findall(r'href="(/tournaments/\w+/matches/\?round=1&amp;board=\d+)"', text)
    listed = page(client, address.replace("&amp;", "&"))
    assert len(re.findall(r'<a href="/matches/\w', listed)) == 22


def test_matches_come_in_pages_without_gaps_or_repetitions(client):
    tournament, organiser = make_tournament(4, settings=RoundRobinSettings(encounter=20))
    tournaments.start(tournament=tournament, actor=organiser)
    address, seen = f"/tournaments/{tournament.code}/matches/", []
    path = address
    while path:
        text = page(client, path)
        seen += re.findall(r'<a href="/matches/([0-9A-Z]{8})/"', text)
        older = re.search(r'href="([^"]*)" rel="next"', text)
        path = address + older[1].replace("&amp;", "&") if older else ""
    assert seen == list(PairingMatch.objects.order_by("-pk").values_list("match__code", flat=True))
    assert len(seen) == 120


def test_the_seeds_are_shown_when_it_is_finished_and_not_before(client):
    tournament, organiser = make_tournament(3)
    tournaments.start(tournament=tournament, actor=organiser)
    secrets = [bytes(tournament.seed).hex(), bytes(tournament.deal_seed).hex()]
    addresses = [
        f"/tournaments/{tournament.code}/{tab}" for tab in ("", "rounds/", "matches/", "entries/", "rules/", "log/")
    ]
    for address in (*addresses, f"/leagues/{tournament.league.slug}/log/"):
        assert not [secret for secret in secrets if secret in page(client, address)], address
    rules = page(client, f"/tournaments/{tournament.code}/rules/")
    assert tournament.seed_commitment in rules
    assert tournament.deal_seed_commitment in rules
    play_all(tournament)
    rules = page(client, f"/tournaments/{tournament.code}/rules/")
    assert all(secret in rules for secret in secrets)


def test_who_reads_the_rules_of_a_league_or_tournament_finds_those_of_other_tables(client):
    tournament, _ = make_tournament(3)
    for address in (f"/tournaments/{tournament.code}/rules/", f"/leagues/{tournament.league.slug}/"):
        assert '<a href="/learn/presets/">' in page(client, address)


def test_the_log_says_who_did_what_and_why_and_gives_no_address(client):
    world = make_world()
    organiser = world.people["organiser"]
    rulings.void_and_rerun(match=world.match, actor=organiser, reason=REASON)
    for address in (f"/tournaments/{world.tournament.code}/log/", f"/leagues/{world.league.slug}/log/"):
        text = page(client, address)
        assert f"{organiser.name} had the match {world.match.code} declared void and played again" in words(text)
        assert REASON in text
        assert "The site ended the tournament" in text
        assert "@example.org" not in text
    italian = words(page(client, f"/tournaments/{world.tournament.code}/log/", **{"Accept-Language": "it"}))
    assert world.match.code in italian


def test_a_page_that_waits_asks_for_the_part_that_changes_and_gets_nothing_while_nothing_does(client):
    tournament, organiser = make_tournament(3)
    tournaments.start(tournament=tournament, actor=organiser)
    for tab in ("", "rounds/", "matches/"):
        address = f"/tournaments/{tournament.code}/{tab}"
        (poll,) = re.findall(r'hx-get="(\?[^"]*seen[^"]*)"', page(client, address))
        assert client.get(address + poll, headers={"HX-Request": "true"}).status_code == 204
        part = page(client, address, **{"HX-Request": "true"})
        assert ("<html" in part, 'id="now"' in part, 'id="status"' in part) == (False, True, True)
        play_all(tournament) if tab == "matches/" else None
    assert "hx-get" not in page(client, f"/tournaments/{tournament.code}/rounds/", **{"HX-Request": "true"})
    assert (
        client.get(f"/tournaments/{tournament.code}/matches/{poll}", headers={"HX-Request": "true"}).status_code == 200
    )


def test_entering_and_withdrawing_from_the_page(client):
    tournament, _organiser = make_tournament(3)
    Tournament.objects.filter(pk=tournament.pk).update(state="registration")
    owner = make_user(language="en")
    version = make_version("Nuovo", owner=owner)
    client.force_login(owner)
    address = f"/tournaments/{tournament.code}/entries/"
    refused = client.post(f"/tournaments/{tournament.code}/enter/", {"player": version.bot.player.slug})
    assert (refused.status_code, b"Join the league first" in refused.content) == (409, True)
    assert Entry.objects.filter(name="Nuovo").count() == 0
    memberships.join(league=tournament.league, player=version.bot.player, actor=owner)
    assert client.post(f"/tournaments/{tournament.code}/enter/", {"player": version.bot.player.slug}).url == address
    entry = Entry.objects.get(name="Nuovo")
    assert client.post(f"{address}{entry.pk}/withdraw/").url == address
    entry.refresh_from_db()
    assert entry.state == "withdrawn"
    other = tournament.entries.first()
    assert client.post(f"{address}{other.pk}/withdraw/").status_code == 403
    other.refresh_from_db()
    assert other.state == "accepted"


def test_every_reason_why_a_bot_cannot_enter_is_shown(client):
    tournament, _organiser = make_tournament(3)  # the registration is closed
    owner = make_user(language="en")
    version = make_version("Nuovo", owner=owner)
    version.bot.active_version = None
    version.bot.save()
    client.force_login(owner)
    text = words(page(client, f"/tournaments/{tournament.code}/entries/"))
    for reason in entries.why_not(tournament=tournament, player=version.bot.player):
        assert str(reason) in text
    assert [one.code for one in entries.why_not(tournament=tournament, player=version.bot.player)] == [
        "entry_closed", "not_member", "no_qualified_version",
    ]  # fmt: skip


def counted(client, address):
    with CaptureQueriesContext(connection) as found:
        page(client, address)
    return len(found)


def test_pages_of_a_tournament_take_as_many_queries_for_four_entries_as_for_twelve(client):
    counts = []
    for size in (4, 12):
        tournament, organiser = make_tournament(size, settings=RoundRobinSettings(encounter=1, mirrored=False))
        tournaments.start(tournament=tournament, actor=organiser)
        play_all(tournament)
        entry = tournament.entries.order_by("pk").first()
        tabs = ("", "rounds/", "matches/", "entries/", "rules/", "log/", f"standings/{entry.pk}/", "standings.csv")
        counts.append(
            {re.sub(r"\d+", "n", tab): counted(client, f"/tournaments/{tournament.code}/{tab}") for tab in tabs}
        )
    assert counts[0] == counts[1]
    assert max(counts[0].values()) <= 16


def test_the_list_takes_as_many_queries_for_three_tournaments_as_for_nine(client):
    counts = []
    for size in (3, 9):
        while Tournament.objects.count() < size:
            played_tournament(3, settings=RoundRobinSettings(encounter=1, mirrored=False))
        counts.append([counted(client, address) for address in ("/tournaments/", "/", "/leagues/", "/now/")])
    assert counts[0] == counts[1]
    assert max(counts[0]) <= 20


def test_the_list_is_narrowed_by_state_and_name(client):
    finished = played_tournament(3, settings=RoundRobinSettings(encounter=1, mirrored=False))
    running, organiser = make_tournament(3)
    tournaments.start(tournament=running, actor=organiser)
    Tournament.objects.filter(pk=running.pk).update(name="Girone di ferro")
    found = {
        query: set(re.findall(r'href="/tournaments/(\w{8})/"', page(client, f"/tournaments/?{query}")))
        for query in ("state=over", "state=live", "state=open", "q=ferro", "q=%00", "state=x")
    }
    both = {finished.code, running.code}
    assert found == {
        "state=over": {finished.code}, "state=live": {running.code}, "state=open": set(), "q=ferro": {running.code},
        "q=%00": both, "state=x": both,
    }  # fmt: skip


def test_progress_counts_what_is_over_of_all_that_will_be_played():
    tournament, organiser = make_tournament(4, release_every_s=3600)
    tournaments.start(tournament=tournament, actor=organiser)
    play_all(tournament)
    found = selectors.progress([tournament])[tournament.pk]
    assert (found.entries, found.matches, found.matches_over, found.rounds, found.rounds_over) == (4, 12, 4, 3, 1)
    assert found.percent == 33
    assert Round.objects.filter(state="finished").count() == 1
