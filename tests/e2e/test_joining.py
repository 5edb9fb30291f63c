"""A bot joins a league and a tournament, sees why not where it cannot, and leaves."""

import pytest
from playwright.sync_api import expect

from league.models import EntryMember, Membership
from league.services import tournaments
from tests.accounts.factories import make_user
from tests.bots.uploading import upload
from tests.e2e.conftest import VIEWS
from tests.factories import make_version
from tests.league.playing import make_league
from tests.site.world import SHORT

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.mark.complaints("status of 409")
@pytest.mark.parametrize(("language", "size"), VIEWS)
def test_joining_entering_and_leaving(come, language: str, size: tuple[int, int]) -> None:
    owner = make_user("Luna Rossa", language=language)
    make_version("VelaBot", owner=owner)
    upload(owner, "Bozzello")  # no version of it is qualified
    organiser = make_user()
    league = make_league(organiser)
    tournament = tournaments.create(league=league, actor=organiser, name="Coppa d’Estate", settings=SHORT)
    tournaments.open_registration(tournament=tournament, actor=organiser)
    visitor = come(language, size)

    visitor.open(league.get_absolute_url())
    visitor.sign_in(owner)
    visitor.open(f"/tournaments/{tournament.code}/entries/")
    visitor.sees("Only members of the league can enter. Join the league first.")
    expect(visitor.button("Enter", also="VelaBot")).to_have_count(0)
    visitor.follow("Join")
    visitor.sees("The bot has no qualified version yet. Upload one that passes every check.")
    expect(visitor.button("Join", also="Bozzello")).to_have_count(0)
    visitor.press("Join", also="VelaBot")
    visitor.sees("%(name)s is now a member.", name="VelaBot")
    visitor.fits()

    visitor.open(f"/tournaments/{tournament.code}/entries/")
    visitor.press("Enter", also="VelaBot")
    visitor.sees("%(name)s is entered.", name="VelaBot")
    visitor.fits()

    visitor.open(f"/leagues/{league.slug}/join/")
    visitor.press("Leave", also="VelaBot")
    refusal = "Entered in the tournament “%(name)s”. Withdraw from it first, then leave the league."
    visitor.sees(refusal, name="Coppa d’Estate")
    visitor.open(f"/tournaments/{tournament.code}/entries/")
    visitor.press("Withdraw", also="VelaBot")
    visitor.sees("%(name)s is withdrawn.", name="VelaBot")
    visitor.open(f"/leagues/{league.slug}/join/")
    visitor.press("Leave", also="VelaBot")
    visitor.sees("%(name)s has left the league.", name="VelaBot")
    assert Membership.objects.get(player__slug="velabot").state == "left"
    assert not EntryMember.objects.filter(player__slug="velabot", until__isnull=True).exists()
