"""Leagues: the list, founding one, joining and leaving, the public log."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from league.audit_texts import GRAVE, SENTENCES
from league.models import AuditEntry, League, Membership
from league.services import leagues, memberships
from tests.accounts.factories import make_user
from tests.conftest import PROJECT
from tests.factories import make_version
from tests.league.playing import make_league
from tests.league.test_pages_tournaments import counted, page, words

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]

SETTINGS = {
    "about": "", "audience": "bots", "joining": "open", "visibility": "public", "bots_per_owner": "2",
    "redraw": "none", "tie": "draw",
}  # fmt: skip


@pytest.fixture
def me(client):
    user = make_user("Ada Bianchi", language="en")
    client.force_login(user)
    return user


def test_the_home_page_says_what_to_do_when_there_is_nothing_yet(client):
    text = words(page(client, "/"))
    for sentence in (
        "No tournament is being played at the moment.", "No match has been played yet.", "No registration is open.",
        "Nobody is rated yet",
    ):  # fmt: skip
        assert sentence in text
    assert "There is no league yet" in page(client, "/leagues/")
    assert "There is no tournament yet" in page(client, "/tournaments/")


def test_the_home_page_has_my_bots_and_tournaments(client, me):
    version = make_version("VelaBot", owner=me)
    text = page(client, "/")
    assert 'href="/my/bots/velabot/"' in text
    assert version.label in text
    assert "None of your bots is in a tournament that is on." in text


def test_a_league_is_founded_as_a_draft_and_then_opened(client, me):
    answer = client.post("/leagues/new/", SETTINGS | {"name": "Lega di prova", "redraw": "A3R", "tie": "last_trick"})
    assert answer.url == "/organise/lega-di-prova/"
    league = League.objects.get()
    assert (league.state, league.rules) == ("draft", "n=2 redraw=A3R tie=last_trick")
    client.logout()
    page(client, "/leagues/lega-di-prova/", status=404)
    client.force_login(me)
    assert client.post("/organise/lega-di-prova/league/open/").url == "/organise/lega-di-prova/"
    client.logout()
    assert "who takes the last trick wins the deal" in page(client, "/leagues/lega-di-prova/")


@pytest.mark.parametrize(
    ("fields", "status", "field", "sentence"),
    [
        ({"name": ""}, 422, "name", "required"),
        ({"name": "***"}, 422, "name", "letters or digits"),
        ({"name": "New"}, 409, "name", "an address of the site"),
        ({"name": "Presa"}, 409, "name", "already"),
        ({"name": "x" * 61}, 422, "name", "60"),
        ({"name": "Buona", "bots_per_owner": "9"}, 422, "bots_per_owner", "5"),
        ({"name": "Buona", "audience": "cats"}, 422, "audience", "cats"),
        ({"name": "Buona", "about": "a\x00b"}, 422, "about", "Null"),
    ],
)
def test_a_refused_league_says_why_beside_its_field_and_keeps_the_form(client, me, fields, status, field, sentence):
    leagues.create(owner=me, name="Presa")
    answer = client.post("/leagues/new/", SETTINGS | {"about": "Kept"} | fields)
    assert answer.status_code == status
    assert list(answer.context["form"].errors) == [field]
    assert sentence in " ".join(answer.context["form"].errors[field])
    assert b"Kept" in answer.content or "about" in fields
    assert League.objects.count() == 1


def test_an_unconfirmed_person_is_told_and_founds_nothing(client):
    client.force_login(make_user(is_confirmed=False, language="en"))
    assert "Confirm your e-mail address first" in page(client, "/leagues/new/")
    answer = client.post("/leagues/new/", SETTINGS | {"name": "Lega"})
    assert (answer.status_code, League.objects.count()) == (403, 0)


def test_joining_and_leaving_with_a_bot(client, me):
    league, version = make_league(), make_version("VelaBot", owner=me)
    address = f"/leagues/{league.slug}/"
    assert client.post(f"{address}join/", {"player": "velabot"}).url == address
    assert Membership.objects.get(player=version.bot.player).state == "active"
    again = client.post(f"{address}join/", {"player": "velabot"})
    assert (again.status_code, b"Already a member" in again.content) == (409, True)
    assert client.post(f"{address}leave/", {"player": "velabot"}).url == address
    assert Membership.objects.get(player=version.bot.player).state == "left"
    log = words(page(client, f"{address}log/"))
    assert "Ada Bianchi joined with VelaBot" in log
    assert "Ada Bianchi left with VelaBot" in log


def test_only_my_own_players_can_be_named(client, me):
    league, version = make_league(), make_version("Altrui")
    for player in ("altrui", "nobody", "", "x" * 5000, version.bot.owner.player.slug):
        assert client.post(f"/leagues/{league.slug}/join/", {"player": player}).status_code == 404
    assert Membership.objects.filter(league=league).count() == 1


def test_every_reason_why_not_is_shown(client, me):
    league = make_league(joining="invitation", bots_per_owner=1)
    first, second = make_version("Primo", owner=me), make_version("Secondo", owner=me)
    memberships.join(league=league, player=first.bot.player, actor=me, code=league.invitation_code)
    second.bot.active_version = None
    second.bot.save()
    text = words(page(client, f"/leagues/{league.slug}/join/"))
    reasons = memberships.why_not(league=league, player=second.bot.player)
    assert {one.code for one in reasons} == {"invitation_needed", "no_qualified_version", "too_many_bots"}
    assert all(str(one) in text for one in reasons)


def test_an_invitation_is_shown_by_a_get_and_taken_by_a_post(client, me):
    league = make_league(joining="invitation", visibility="private")
    version = make_version("VelaBot", owner=me)
    address = f"/leagues/{league.slug}/join/"
    page(client, address, status=404)
    page(client, f"{address}?code=wrong", status=404)
    page(client, f"{address}?code=%00%ff", status=404)
    text = page(client, f"{address}?code={league.invitation_code}")
    assert league.name in text
    assert not Membership.objects.filter(player=version.bot.player).exists()
    assert client.post(address, {"player": "velabot", "code": "wrong"}).status_code == 404
    answer = client.post(address, {"player": "velabot", "code": league.invitation_code})
    assert answer.url == f"/leagues/{league.slug}/"
    assert Membership.objects.get(player=version.bot.player).state == "active"


def test_a_new_invitation_closes_the_one_before(client, me):
    league = make_league(me, joining="invitation", visibility="private")
    before = league.invitation_code
    address = f"/organise/{league.slug}/"
    assert before in page(client, address)
    assert client.post(f"{address}invitation/").url == address
    league.refresh_from_db()
    assert league.invitation_code != before
    assert league.invitation_code in page(client, address)
    log = page(client, f"/leagues/{league.slug}/log/")
    assert "Ada Bianchi renewed the invitation" in words(log)
    assert league.invitation_code not in log
    client.force_login(make_user())
    assert client.get(f"/leagues/{league.slug}/join/?code={before}").status_code == 404


def test_asking_to_join_and_the_answer(client, me):
    league = make_league(joining="request")
    owner = league.memberships.get(role="owner").player.user
    version = make_version("VelaBot", owner=me)
    client.post(f"/leagues/{league.slug}/join/", {"player": "velabot"})
    assert Membership.objects.get(player=version.bot.player).state == "requested"
    client.force_login(owner)
    assert "1 request to join" in words(page(client, f"/organise/{league.slug}/"))
    members = f"/organise/{league.slug}/members/"
    assert "VelaBot" in page(client, members)
    assert client.post(f"{members}velabot/accept/").url == members
    assert Membership.objects.get(player=version.bot.player).state == "active"
    assert client.post(f"{members}velabot/accept/").status_code == 409
    assert AuditEntry.objects.get(action="member.accept").target == "VelaBot"


def test_every_act_that_a_service_records_has_its_sentence():
    sources = "".join(path.read_text() for path in (PROJECT / "league" / "services").rglob("*.py"))
    recorded = set(re.findall(r'"((?:league|member|tournament|round|entry|match)\.[a-z_]+)"', sources))
    assert len(recorded) >= 28
    assert recorded <= set(SENTENCES)
    assert set(SENTENCES) >= GRAVE


def test_the_list_is_narrowed_and_comes_in_pages(client, me):
    for number in range(52):
        leagues.publish(league=leagues.create(owner=me, name=f"Lega {number:02}"), actor=me)
    people = leagues.publish(league=leagues.create(owner=me, name="Persone", audience="humans"), actor=me)
    found = [
        re.findall(r'href="/leagues/([^/"]+)/"', page(client, f"/leagues/?{query}"))
        for query in ("audience=humans", "q=pers")
    ]
    assert [set(names) - {"new"} for names in found] == [{people.slug}] * 2
    first = page(client, "/leagues/")
    (older,) = re.findall(r'href="(\?before=\d+)" rel="next"', first)
    second = page(client, f"/leagues/{older}")
    names = [set(re.findall(r'href="/leagues/([^/"]+)/"', text)) - {"new"} for text in (first, second)]
    assert [len(one) for one in names] == [50, 3]
    assert names[0] & names[1] == set()
    (newer,) = re.findall(r'href="(\?after=\d+)" rel="prev"', second)
    assert set(re.findall(r'href="/leagues/([^/"]+)/"', page(client, f"/leagues/{newer}"))) - {"new"} == names[0]


def test_pages_of_a_league_take_as_many_queries_for_two_members_as_for_six(client, me):
    league = make_league(bots_per_owner=5)
    counts = []
    for size in (2, 6):
        while Membership.objects.filter(league=league).count() < size + 1:
            version = make_version()
            memberships.join(league=league, player=version.bot.player, actor=version.bot.owner)
            make_version(owner=me)
        addresses = [f"/leagues/{league.slug}/{tab}" for tab in ("", "members/", "tournaments/", "log/", "join/")]
        counts.append([counted(client, address) for address in addresses])
    assert counts[0] == counts[1]
    assert max(counts[0]) <= 15


def test_the_organisers_pages_take_as_many_queries_for_two_members_as_for_six(client):
    league = make_league()
    client.force_login(league.memberships.get(role="owner").player.user)
    counts = []
    for size in (2, 6):
        while Membership.objects.filter(league=league).count() < size + 1:
            version = make_version()
            memberships.join(league=league, player=version.bot.player, actor=version.bot.owner)
        found = []
        for address in ("/organise/", f"/organise/{league.slug}/", f"/organise/{league.slug}/members/"):
            with CaptureQueriesContext(connection) as captured:
                page(client, address)
            found.append(len(captured))
        counts.append(found)
    assert counts[0] == counts[1]
    assert max(counts[0]) <= 25
