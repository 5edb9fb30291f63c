"""Pages of organisers: set up, run, rule; every refusal stands beside its form."""

import re

import pytest

from games.models import Match, MatchState
from games.services import matches as match_verbs
from league.models import AuditEntry, League, Membership, PairingMatch, Round, Tournament
from league.services import results, tournaments
from league.services.tournaments import RoundRobinSettings
from tests.accounts.factories import make_user
from tests.factories import make_version
from tests.league.playing import make_league, make_tournament, play_all
from tests.league.test_pages_leagues import SETTINGS
from tests.league.test_pages_tournaments import page, words
from tests.league.world import REASON, give_role, make_world

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]

TOURNAMENT = {
    "name": "Girone", "about": "", "double": "no", "encounter": "2", "mirrored": "on", "best_of": "3",
    "encounter_scoring": "outcome", "rated": "on", "control": "automatic", "release_every_s": "0", "capacity": "",
    "min_entries": "3", "redraw": "none", "tie": "draw",
}  # fmt: skip


@pytest.fixture
def owner(client):
    user = make_user("Ugo Tallone", language="en")
    client.force_login(user)
    return user


def test_a_tournament_from_the_form_to_its_start(client, owner):
    league = make_league(owner)
    made = client.post(
        f"/organise/{league.slug}/tournaments/new/",
        TOURNAMENT | {"double": "yes", "encounter": "4", "best_of": "5", "redraw": "A3", "release_every_s": "60"},
    )
    tournament = Tournament.objects.get()
    run = f"/organise/{league.slug}/tournaments/{tournament.code}/"
    assert made.url == run
    stage = tournament.stages.get()
    assert (stage.params, stage.encounter, stage.mirrored, stage.best_of) == ({"double": True}, 4, True, 5)
    assert (tournament.rules, tournament.release_every_s) == ("n=2 redraw=A3 tie_dealer=next format=first_to:3", 60)
    assert client.post(f"{run}open/").url == run
    refused = client.post(f"{run}close/")
    assert (
        refused.status_code,
        b"There are 0 entries that can play; at least 3 are needed. Wait for more" in refused.content,
    ) == (409, True)
    for _number in range(3):
        version = make_version(owner=make_user())
        author = client.__class__(headers={"Accept-Language": "en"})
        author.force_login(version.bot.owner)
        author.post(f"/leagues/{league.slug}/join/", {"player": version.bot.player.slug})
        author.post(f"/tournaments/{tournament.code}/enter/", {"player": version.bot.player.slug})
    before = AuditEntry.objects.count()
    preview = words(page(client, f"{run}preview/"))
    assert ("6 rounds" in preview, "24 matches" in preview) == (True, True)
    assert AuditEntry.objects.count() == before
    assert client.post(f"{run}close/").url == run
    assert client.post(f"{run}start/").url == run
    tournament.refresh_from_db()
    assert (tournament.state, Round.objects.count(), Match.objects.count()) == ("running", 6, 4)
    assert client.post(f"{run}pause/", {"reason": REASON}).url == run
    assert client.post(f"{run}resume/").url == run
    log = words(page(client, f"/tournaments/{tournament.code}/log/"))
    for sentence in (
        "prepared the tournament",
        "opened the registration",
        "closed the registration",
        "started",
        "resumed",
    ):
        assert f"Ugo Tallone {sentence}" in log
    assert REASON in log


@pytest.mark.parametrize(
    ("fields", "field", "sentence"),
    [
        ({"name": ""}, "name", "required"),
        ({"encounter": "3"}, "encounter", "even number"),
        ({"encounter": "0"}, "encounter", "1"),
        ({"encounter": "9" * 30}, "encounter", "200"),
        ({"capacity": "3", "min_entries": "5"}, "min_entries", "cannot exceed"),
        ({"capacity": "65"}, "capacity", "64"),
        ({"best_of": "2"}, "best_of", "2"),
        ({"release_every_s": "-1"}, "release_every_s", "0"),
        ({"control": "magic"}, "control", "magic"),
    ],
)
def test_a_refused_tournament_says_why_beside_its_field_and_makes_nothing(client, owner, fields, field, sentence):
    league = make_league(owner)
    answer = client.post(f"/organise/{league.slug}/tournaments/new/", TOURNAMENT | {"about": "Kept"} | fields)
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [field]
    assert sentence in " ".join(answer.context["form"].errors[field])
    assert b"Kept" in answer.content
    assert Tournament.objects.count() == 0


def test_a_preview_of_too_few_entries_says_so(client, owner):
    league = make_league(owner)
    made = tournaments.create(league=league, actor=owner, name="Vuoto", settings=RoundRobinSettings())
    answer = client.get(f"/organise/{league.slug}/tournaments/{made.code}/preview/")
    assert (answer.status_code, b"3 to 64 entries" in answer.content) == (409, True)


def test_a_short_reason_is_refused_beside_its_field_and_kept(client, owner):
    tournament, _organiser = make_tournament(3, league=make_league(owner))
    tournaments.start(tournament=tournament, actor=owner)
    answer = client.post(f"/organise/{tournament.league.slug}/tournaments/{tournament.code}/pause/", {"reason": "rain"})
    assert answer.status_code == 422
    assert "10 to 500 characters" in " ".join(answer.context["form"].errors["reason"])
    assert b">\nrain</textarea>" in answer.content
    tournament.refresh_from_db()
    assert tournament.state == "running"


def test_cancelling_needs_the_name_typed(client, owner):
    tournament, _organiser = make_tournament(3, league=make_league(owner))
    tournaments.start(tournament=tournament, actor=owner)
    address = f"/organise/{tournament.league.slug}/tournaments/{tournament.code}/cancel/"
    wrong = client.post(address, {"reason": REASON, "typed": "Another"})
    assert (wrong.status_code, list(wrong.context["form"].errors)) == (422, ["typed"])
    assert client.post(address, {"reason": REASON, "typed": f" {tournament.name} "}).status_code == 302
    tournament.refresh_from_db()
    assert (tournament.state, tournament.reason) == ("cancelled", REASON)
    assert set(Match.objects.values_list("state", flat=True)) == {MatchState.VOID}
    assert REASON in page(client, f"/tournaments/{tournament.code}/")


def test_a_deed_that_is_not_possible_now_names_the_states_in_words(client, owner):
    tournament, _organiser = make_tournament(3, league=make_league(owner))
    answer = client.post(f"/organise/{tournament.league.slug}/tournaments/{tournament.code}/resume/")
    assert answer.status_code == 409
    (sentence,) = answer.context["form"].non_field_errors()
    assert sentence.startswith(
        ("This is not possible now: the state is “Ready to start”", "The tournament has not started")
    )


def test_rounds_are_released_by_hand(client, owner):
    tournament, _organiser = make_tournament(4, league=make_league(owner), control="hand")
    tournaments.start(tournament=tournament, actor=owner)
    run = f"/organise/{tournament.league.slug}/tournaments/{tournament.code}/"
    assert "the next round waits for you" in page(client, f"/organise/{tournament.league.slug}/")
    assert Match.objects.count() == 0
    assert client.post(f"{run}rounds/1/release/").url == run
    assert Match.objects.count() == 4
    assert client.post(f"{run}rounds/1/release/").status_code == 409
    assert client.post(f"{run}rounds/9/release/").status_code == 404
    assert Match.objects.count() == 4
    assert "Ugo Tallone released round 1" in words(page(client, f"/tournaments/{tournament.code}/log/"))


def test_a_match_is_voided_and_played_again_with_what_it_does_shown_first(client):
    world = make_world()
    arbiter = world.client("arbiter")
    address = f"/organise/matches/{world.match.code}/rerun/"
    text = words(arbiter.get(address).content.decode())
    twin = Match.objects.exclude(pk=world.match.pk).get(mirror_set=world.match.mirror_set)
    assert (world.match.code in text, twin.code in text, "mirrored set" in text) == (True, True, True)
    assert "no longer counts for standings and Elo" in text
    assert arbiter.post(address, {"reason": "short"}).status_code == 422
    assert PairingMatch.objects.filter(replaced=True).count() == 0
    assert arbiter.post(address, {"reason": REASON}).status_code == 302
    assert set(PairingMatch.objects.filter(replaced=True).values_list("match", flat=True)) == {world.match.pk, twin.pk}
    again = arbiter.post(address, {"reason": REASON})
    assert (again.status_code, b"replaced by another one already" in again.content) == (409, True)
    assert "Played again" in page(client, f"/tournaments/{world.tournament.code}/matches/")


def test_an_arbiter_does_not_rule_on_a_match_of_his_own_bot(client):
    world = make_world()
    author = world.match.seats.first().player.bot.owner
    give_role(world.league, world.people["owner"], author, "arbiter")
    client.force_login(author)
    answer = client.post(f"/organise/matches/{world.match.code}/rerun/", {"reason": REASON})
    assert answer.status_code == 403
    assert PairingMatch.objects.filter(replaced=True).count() == 0


def test_a_match_outside_a_tournament_has_no_ruling(client):
    from tests.factories import make_bot_match

    client.force_login(make_user(is_staff=True))
    assert client.get(f"/organise/matches/{make_bot_match().code}/rerun/").status_code == 404


def test_the_dashboard_has_what_needs_a_hand_first(client, owner):
    league = make_league(owner)
    assert "Nothing: everything runs by itself." in page(client, f"/organise/{league.slug}/")
    tournament, _organiser = make_tournament(3, league=league)
    assert "Coppa is ready to start." in words(page(client, f"/organise/{league.slug}/"))
    tournaments.start(tournament=tournament, actor=owner)
    match_verbs.void(match=Match.objects.order_by("pk").first(), reason="lost three times")
    results.apply_pending()
    tournaments.pause(tournament=tournament, actor=owner, reason=REASON)
    text = page(client, f"/organise/{league.slug}/")
    shown = words(text)
    assert ("lost three times" in shown, "Coppa is paused." in shown) == (True, True)
    assert text.index("lost three times") < text.index('id="tournaments-title"')
    assert re.search(r"held by a pause \d", shown)


def test_settings_of_two_owners_at_once(client, owner):
    league = make_league(owner)
    address = f"/organise/{league.slug}/settings/"
    seen = client.get(address).context["form"]["seen"].value()
    assert client.post(address, SETTINGS | {"seen": seen, "about": "First"}).status_code == 302
    stale = client.post(address, SETTINGS | {"seen": seen, "about": "Second"})
    assert stale.status_code == 409
    (sentence,) = stale.context["form"].non_field_errors()
    assert ("“First” / “Second”" in sentence, League.objects.get().about) == (True, "First")
    again = client.post(
        address, SETTINGS | {"seen": client.get(address).context["form"]["seen"].value(), "about": "Second"}
    )
    assert (again.status_code, League.objects.get().about) == (302, "Second")


def test_members_are_suspended_reinstated_and_given_roles(client):
    world = make_world(is_played=False)
    owner = world.client("owner")
    member = world.people["member"].player
    members = f"/organise/{world.league.slug}/members/"
    assert owner.post(f"{members}{member.slug}/role/", {"role": "organiser"}).url == members
    assert Membership.objects.get(player=member).role == "organiser"
    assert owner.post(f"{members}{member.slug}/role/", {"role": "emperor"}).status_code == 422
    assert owner.post(f"{members}{member.slug}/suspend/", {"reason": "x"}).status_code == 422
    assert owner.post(f"{members}{member.slug}/suspend/", {"reason": REASON}).url == members
    assert Membership.objects.get(player=member).state == "suspended"
    assert owner.post(f"{members}{member.slug}/reinstate/", {"reason": REASON}).url == members
    assert Membership.objects.get(player=member).state == "active"
    mine = world.people["owner"].player
    last = owner.post(f"{members}{mine.slug}/role/", {"role": "member"})
    assert (last.status_code, b"needs an owner" in last.content) == (409, True)
    assert owner.get(f"{members}nobody-here/suspend/").status_code == 404


def test_a_league_is_archived_only_when_nothing_runs(client):
    world = make_world(is_played=False)
    owner = world.client("owner")
    deed = f"/organise/{world.league.slug}/league/"
    assert owner.post(f"{deed}pause/", {"reason": REASON}).status_code == 302
    refused = owner.post(f"{deed}archive/", {"reason": REASON, "typed": world.league.name})
    assert refused.status_code == 409
    world.league.refresh_from_db()
    assert world.league.state == "paused"
    assert owner.post(f"{deed}open/").status_code == 302
    play_all(world.tournament)
    world.league.refresh_from_db()
    assert world.league.state == "open"
