"""The demo's league: it never stands still, and a visitor's bot can enter the next tournament."""

import pytest

from accounts.models import User
from accounts.services import users
from bots.house import HOUSE
from bots.models import Bot
from bots.services.house import HOUSE_EMAIL
from league.models import League, Tournament, TournamentState
from league.services import demo_season, entries, memberships, tournaments
from tests.accounts.factories import make_user
from tests.factories import make_version
from tests.league.playing import play_all

pytestmark = pytest.mark.django_db


def confirmed_house() -> User:
    """The account that owns the house bots."""
    return users.create(email=HOUSE_EMAIL, name="Bella", password=None, is_confirmed=True)


def test_a_tournament_is_on_and_the_next_one_takes_entries_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_season, "MATCHES_PER_PAIRING", 2)
    monkeypatch.setattr(demo_season, "SECONDS_BETWEEN_ROUNDS", 0)
    organiser, house = make_user(), confirmed_house()
    for name in [HOUSE[name] for name in demo_season.HOUSE_BOTS][:2]:
        make_version(name, owner=house)
    steps = [demo_season.advance(organiser=organiser) for _number in range(3)]
    assert steps == ["league", "joined", ""]  # three are needed, and two do not play alone

    league = League.objects.get(name=demo_season.LEAGUE)
    visitor = make_version()
    memberships.join(league=league, player=visitor.bot.player, actor=visitor.bot.owner)
    first = Tournament.objects.get(league=league)
    entries.enter(tournament=first, player=visitor.bot.player, actor=visitor.bot.owner)
    assert [demo_season.advance(organiser=organiser) for _number in range(3)] == ["tournament", "registration", ""]
    first.refresh_from_db()
    second = Tournament.objects.get(league=league, name="Girone n. 2")
    assert (first.state, second.state) == (TournamentState.RUNNING, TournamentState.REGISTRATION)
    assert second.entries.count() == 2

    entries.enter(tournament=second, player=visitor.bot.player, actor=visitor.bot.owner)
    play_all(first)
    first.refresh_from_db()
    assert first.state == TournamentState.FINISHED
    assert demo_season.advance(organiser=organiser) == "tournament"
    second.refresh_from_db()
    assert second.state == TournamentState.RUNNING
    assert second.entries.filter(members__player=visitor.bot.player).count() == 1


def test_a_cancelled_registration_is_followed_by_another() -> None:
    organiser, house = make_user(), confirmed_house()
    for name in [HOUSE[name] for name in demo_season.HOUSE_BOTS][:2]:
        make_version(name, owner=house)
    for _number in range(3):
        demo_season.advance(organiser=organiser)
    tournament = Tournament.objects.get()
    tournaments.cancel(tournament=tournament, actor=organiser, reason="The table is needed.")
    demo_season.advance(organiser=organiser)
    assert Tournament.objects.get(state=TournamentState.REGISTRATION).name == "Girone n. 2"


def test_a_second_bot_of_an_author_does_not_hold_the_season_up() -> None:
    organiser, house = make_user(), confirmed_house()
    for name in HOUSE.values():
        make_version(name, owner=house)
    Bot.objects.update(is_house=True)
    extra = make_version("Novello", owner=house)
    extra.bot.active_version = None
    extra.bot.save(update_fields=["active_version"])
    assert [demo_season.advance(organiser=organiser) for _step in range(3)][:2] == ["league", "joined"]
    assert Tournament.objects.filter(state=TournamentState.RUNNING).exists()
