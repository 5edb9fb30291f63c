"""An organiser: founds a league, prepares a round robin, runs it, rules about a match; all of it in the public log."""

import random

import pytest
from playwright.sync_api import expect

from games.models import Match, MatchState
from league.models import League, Tournament
from league.services import results
from league.services.ratings import periods
from tests.accounts.factories import make_user
from tests.e2e.conftest import VIEWS, Visitor
from tests.factories import make_version
from tests.league.playing import play, play_all
from tests.site.world import enter_all, matches_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
REASON = "È mancata la corrente in sala."


def do(visitor: Visitor, title: str, label: str, *, reason: str = "") -> None:
    """Follow the link to an act, give a reason where it asks, carry it out."""
    visitor.follow(title)
    if reason:
        visitor.page.locator("#id_reason").fill(reason)
    visitor.press(label)


@pytest.mark.complaints("status of 422")
@pytest.mark.parametrize(("language", "size"), VIEWS)
def test_a_league_and_its_round_robin(come, language: str, size: tuple[int, int]) -> None:
    visitor = come(language, size)
    page = visitor.page
    visitor.sign_in(make_user("Olga Ferri", language=language))
    visitor.open("/leagues/new/")
    page.locator("#id_name").fill("Lega del Nord")
    page.locator("#id_about").fill("Per chi conta le carte.")
    visitor.fits()
    visitor.press("Found the league")
    visitor.press("Open the league")
    assert League.objects.get().state == "open"

    visitor.follow("New tournament")
    page.locator("#id_name").fill("Coppa d’Autunno")
    page.locator("#id_encounter").fill("3")
    visitor.press("Prepare the tournament")
    visitor.sees(
        "Mirrored matches come in pairs: choose an even number of matches per pairing, at most %(most)s.", most=200
    )
    page.locator("#id_encounter").fill("1")
    page.locator("#id_mirrored").uncheck()
    page.locator("#id_double_1").check()  # everybody twice
    page.locator("#id_capacity").fill("8")
    visitor.fits()
    visitor.press("Prepare the tournament")
    tournament = Tournament.objects.get()

    do(visitor, "Open the registration", "Open the registration")
    enter_all(tournament, [make_version(name) for name in ("VelaBot", "Maestrale", "Scirocco")])
    page.reload()  # the page that is open was drawn while there were too few
    do(visitor, "Close the registration", "Close the registration")
    visitor.follow("Preview of the schedule")
    expect(page.locator("main h2")).to_have_count(6)
    visitor.fits()
    visitor.follow("Back")
    do(visitor, "Start the tournament", "Start")
    visitor.sees("The tournament is running.")
    assert matches_of(tournament).count() == 6

    do(visitor, "Pause the tournament", "Pause", reason=REASON)
    visitor.sees("The tournament is paused.")
    assert set(matches_of(tournament).values_list("on_hold", flat=True)) == {True}
    do(visitor, "Resume the tournament", "Resume")
    visitor.sees("The tournament goes on.")

    first = matches_of(tournament)[0]
    play(first, random.Random(1))
    results.apply_pending()
    visitor.open(f"/matches/{first.code}/")
    visitor.follow("Void and play again")
    page.locator("#id_reason").fill("corto")
    visitor.press("Declare void and play again")
    visitor.sees("Give a reason of 10 to 500 characters: it is shown in the public log.")
    page.locator("#id_reason").fill(REASON)
    visitor.fits()
    visitor.press("Declare void and play again")
    visitor.sees("The match is played again.")
    again = Match.objects.get(rerun=1)
    assert (again.state, bytes(again.seed) != bytes(first.seed)) == (MatchState.PLANNED, True)
    visitor.open(f"/matches/{first.code}/")
    visitor.follow("The match that counts")
    expect(page).to_have_url(f"{visitor.site}/matches/{again.code}/")

    play_all(tournament)
    periods.sweep()
    page.context.clear_cookies(name="sessionid")  # the log is public
    visitor.open(f"/tournaments/{tournament.code}/log/")
    who = {"who": "Olga Ferri"}
    for said in (
        visitor.say("%(who)s paused the tournament", **who),
        visitor.say("%(who)s resumed the tournament", **who),
        visitor.say(
            "%(who)s had the match %(target)s declared void and played again", who="Olga Ferri", target=first.code
        ),
        REASON,
    ):
        expect(page.locator("main")).to_contain_text(said)
    visitor.fits()
    tournament.refresh_from_db()
    assert tournament.state == "finished"
