"""What a page offers its organisers would work; what would not is disabled, with the sentence of the act itself."""

import re

import pytest

from league.models import League, PairingMatch, Tournament
from league.services import leagues, obstacles, rulings, tournaments
from league.services.setting_up import RoundRobinSettings
from tests.accounts.factories import make_user
from tests.factories import make_version
from tests.league.playing import code_of, make_league, make_tournament, waiting
from tests.league.test_pages_tournaments import page, words
from tests.league.world import REASON

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]

PLAIN = RoundRobinSettings(encounter=1, mirrored=False)
#: The verbs behind the buttons of each state of a tournament.
VERBS = {
    "open": tournaments.open_registration,
    "close": tournaments.close_registration,
    "start": tournaments.start,
    "resume": tournaments.resume,
}


def _tournament(state: str, *, entries: int) -> Tournament:
    """A tournament at this state, its registration with so many who can play."""
    owner = make_user()
    league = make_league(owner)
    versions = [make_version() for _number in range(entries)]
    if state == "draft":
        return tournaments.create(league=league, actor=owner, name="Coppa", settings=tournaments.RoundRobinSettings())
    tournament, _owner = make_tournament(versions=versions, league=league, close=state != "registration")
    if state in ("running", "suspended"):
        tournaments.start(tournament=tournament, actor=owner)
    if state == "suspended":
        tournaments.pause(tournament=tournament, actor=owner, reason=REASON)
    tournament.refresh_from_db()
    return tournament


@pytest.mark.parametrize("is_paused", [False, True])
@pytest.mark.parametrize(
    ("state", "act", "entries"),
    [
        ("draft", "open", 0),
        ("registration", "close", 1),
        ("registration", "close", 2),
        ("registration", "close", 3),
        ("ready", "start", 3),
        ("suspended", "resume", 3),
    ],
)
def test_an_act_is_offered_exactly_when_it_would_work(client, state, act, entries, is_paused):
    tournament = _tournament(state, entries=entries)
    owner = tournament.league.memberships.get(role="owner").player.user
    if is_paused:
        leagues.pause(league=tournament.league, actor=owner, reason=REASON)
    tournament = Tournament.objects.select_related("league").get()
    refusal = obstacles.of_tournament(tournament).get(act)
    outcome = code_of(lambda: VERBS[act](tournament=Tournament.objects.get(), actor=owner))
    assert outcome == (refusal.code if refusal else "ok")
    client.force_login(owner)
    run = f"/organise/{tournament.league.slug}/tournaments/{tournament.code}/"
    text = page(client, run)
    assert (f'href="{run}{act}/"' in text) is (refusal is None)
    assert (f'disabled aria-describedby="why-{act}"' in text) is (refusal is not None)
    own = page(client, f"{run}{act}/")
    assert ("disabled" in own) is (refusal is not None)
    if refusal is not None:
        assert (str(refusal) in words(text), str(refusal) in words(own)) == (True, True)


def test_too_few_entries_say_what_to_do_instead(client):
    tournament = _tournament("registration", entries=2)
    owner = tournament.league.memberships.get(role="owner").player.user
    client.force_login(owner)
    run = f"/organise/{tournament.league.slug}/tournaments/{tournament.code}/"
    few = "There are 2 entries that can play; at least {} are needed. Wait for more{} or cancel the tournament."
    text = words(page(client, run))
    assert few.format(3, ",") in text
    assert f"{run}preview/" not in page(client, run)
    Tournament.objects.update(min_entries=5)
    assert few.format(5, ", ask for fewer in the settings,") in words(page(client, run))
    italian = words(page(client, run, **{"Accept-Language": "it"}))
    assert "Aspettane altri, chiedine meno nelle impostazioni oppure annulla il torneo." in italian


def test_a_round_is_not_released_while_the_league_is_paused(client):
    owner = make_user()
    tournament, _owner = make_tournament(4, league=make_league(owner), control="hand")
    tournaments.start(tournament=tournament, actor=owner)
    client.force_login(owner)
    run = f"/organise/{tournament.league.slug}/tournaments/{tournament.code}/"
    release = re.compile(r"<button[^>]*>\s*Release")
    assert "disabled" not in release.search(page(client, run)).group()
    leagues.pause(league=tournament.league, actor=owner, reason=REASON)
    text = page(client, run)
    assert "disabled" in release.search(text).group()
    assert "The league is not open: nothing starts in it." in words(text)
    assert waiting(tournament) == []


def test_a_league_with_a_tournament_is_not_archived_and_its_page_names_it(client):
    tournament = _tournament("registration", entries=0)
    owner = tournament.league.memberships.get(role="owner").player.user
    leagues.pause(league=tournament.league, actor=owner, reason=REASON)
    client.force_login(owner)
    text = page(client, f"/organise/{tournament.league.slug}/")
    assert 'disabled aria-describedby="why-archive"' in text
    assert "The tournament “Coppa” of this league is not over." in words(text)
    assert "tournaments/new/" not in text
    new = page(client, f"/organise/{tournament.league.slug}/tournaments/new/")
    assert ("nothing new can start in it" in words(new), "disabled" in new) == (True, True)


def test_requests_that_cannot_be_accepted_say_why(client):
    owner, author = make_user(), make_user()
    league = make_league(owner, joining="request", bots_per_owner=1)
    first, second = make_version(owner=author), make_version(owner=author)
    from league.services import memberships

    for version in (first, second):
        memberships.join(league=league, player=version.bot.player, actor=author)
    memberships.answer(league=league, player=first.bot.player, actor=owner, accept=True)
    client.force_login(owner)
    address = f"/organise/{league.slug}/members/"
    text = page(client, address)
    assert f'disabled aria-describedby="why-{second.bot.player.slug}"' in text
    assert "which is the limit. Take one out first." in words(text)
    answer = client.post(f"{address}{second.bot.player.slug}/accept/")
    assert answer.status_code == 409


def test_an_organiser_is_offered_nothing_that_needs_an_owner(client):
    owner, organiser, other = make_user(), make_user(), make_user()
    league = make_league(owner)
    from league.models import Membership

    for user in (organiser, other):
        Membership.objects.create(league=league, player=user.player, role="organiser", state="active")
    client.force_login(organiser)
    text = page(client, f"/organise/{league.slug}/members/")
    assert re.findall(r"members/[a-z0-9-]+/(?:suspend|ban|reinstate)/", text) == []
    client.force_login(owner)
    text = page(client, f"/organise/{league.slug}/members/")
    assert f"members/{other.player.slug}/suspend/" in text
    assert f"members/{owner.player.slug}/suspend/" not in text
    assert League.objects.count() == 1


@pytest.mark.parametrize("why", ["none", "conflict_of_interest", "tournament_cancelled", "replaced_already"])
def test_playing_a_match_again_is_offered_exactly_when_it_would_work(client, why):
    owner = make_user()
    version = make_version(owner=owner)
    tournament, _owner = make_tournament(
        versions=[version, make_version(), make_version()], league=make_league(owner), settings=PLAIN
    )
    tournaments.start(tournament=tournament, actor=owner)
    has_stake = why == "conflict_of_interest"
    match = next(
        one for one in waiting(tournament) if one.seats.filter(player=version.bot.player).exists() == has_stake
    )
    if why == "tournament_cancelled":
        tournaments.cancel(tournament=tournament, actor=owner, reason=REASON)
    if why == "replaced_already":
        rulings.void_and_rerun(match=match, actor=owner, reason=REASON)
    place = PairingMatch.objects.select_related("match", "pairing__stage__tournament__league").get(match=match)
    refusal = rulings.why_no_rerun(place=place, actor=owner)
    outcome = code_of(lambda: rulings.void_and_rerun(match=match, actor=owner, reason=REASON))
    assert (refusal.code if refusal else "none", outcome) == (why, "ok" if why == "none" else why)
    client.force_login(owner)
    rerun = f"/organise/matches/{match.code}/rerun/"
    text, own = page(client, f"/matches/{match.code}/"), page(client, rerun)
    assert (rerun in text) is (refusal is None)
    assert ("disabled" in own) is (refusal is not None)
    if refusal is not None:
        assert str(refusal) in words(own)
        assert (str(refusal) in words(text)) is (why != "replaced_already")  # which leads to the match that counts
