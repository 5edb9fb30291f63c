"""The pages to play from: who may do what, what a form says, what a guest gets, what a visit must not do."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from games.models import Match, Player
from games.services import guests as guest_verbs
from games.views import guests
from league.models import Invitation, InvitationKind
from league.services import invitations, practice
from league.services.invitations import Wish
from league.services.practice import PracticeOrder
from tests.accounts.factories import make_user
from tests.factories import make_version
from tests.league.inviting import made_match, make_house_bots, offer
from tests.league.test_invitations_practice import finished

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]
PANEL = {"level": "medio", "players": "2", "first_to": "2", "clock": "none"}
INVITE = {"how": "link", "players": "2", "preset": "fantacarte", "length": "first_to:2", "clock": "180+5"}


def browser(user=None) -> Client:
    client = Client(headers={"accept-language": "en"})
    if user is not None:
        client.force_login(user)
    return client


def text(answer) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def code_of(address: str) -> str:
    """The match of a table's address."""
    found = re.fullmatch(r"/matches/([0-9A-Z]{8})/table/", address)
    assert found is not None, address
    return found[1]


# -- practice


def test_a_guest_begins_with_one_post_and_the_cookie_opens_the_seat():
    make_house_bots()
    client = browser()
    for path in ("/", "/play/", "/play/open/"):
        assert client.get(path).status_code == 200
    assert guests.COOKIE not in client.cookies
    answer = client.post("/practice/", PANEL)
    assert answer.status_code == 303
    cookie = client.cookies[guests.COOKIE]
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", 30 * 24 * 3600)
    match = Match.objects.get(code=code_of(answer.url))
    assert client.get(f"/matches/{match.code}/state").json()["you"] == 0
    assert browser().get(f"/matches/{match.code}/state").status_code == 404
    tampered = browser()
    tampered.cookies[guests.COOKIE] = cookie.value[:-2] + "xx"
    assert tampered.get(f"/matches/{match.code}/state").status_code == 404
    for path in ("/", "/play/"):
        assert f"/matches/{match.code}/table/" in client.get(path).content.decode()
        assert match.code not in browser().get(path).content.decode()


def test_play_now_without_a_choice_takes_the_last_one():
    make_house_bots()
    user = make_user()
    client = browser(user)
    first = Match.objects.get(code=code_of(client.post("/practice/").url))
    assert first.rules == PracticeOrder().rules().code
    sent = PANEL | {
        "players": "4",
        "signals": "on",
        "level": "esperto",
        "first_to": "1",
        "clock": "60+3",
        "dealer": "me",
    }
    second = Match.objects.get(code=code_of(client.post("/practice/", sent | {"leaves": "on"}).url))
    finished(second)
    third = Match.objects.get(code=code_of(client.post("/practice/").url))
    assert (third.rules, third.clock) == (second.rules, "60+3")
    assert third.seats.get(index=1).player.name == "Esperto"
    page = client.get("/play/").content.decode()
    assert '<input type="radio" name="level" value="esperto" checked' in page


def test_leaving_a_game_is_asked_and_done_only_when_said():
    make_house_bots()
    client = browser(make_user())
    first = Match.objects.get(code=code_of(client.post("/practice/", PANEL).url))
    answer = client.post("/practice/", PANEL | {"level": "esperto"})
    assert answer.status_code == 409
    assert "You have a game in play." in text(answer)
    page = answer.content.decode()
    assert f"/matches/{first.code}/table/" in page
    assert 'name="leaves" value="on"' in page
    assert '<input type="hidden" name="level" value="esperto">' in page
    first.refresh_from_db()
    assert first.state == "playing"
    assert client.post("/practice/", PANEL | {"level": "esperto", "leaves": "on"}).status_code == 303
    first.refresh_from_db()
    assert first.state == "finished"


@pytest.mark.parametrize(
    "broken",
    [{"level": "divino"}, {"players": "3"}, {"first_to": "9"}, {"clock": "1"}, {"dealer": "you"}, {"deck": "uno"}],
)
def test_a_broken_panel_says_where(broken: dict[str, str]):
    make_house_bots()
    for client in (browser(), browser(make_user())):
        answer = client.post("/practice/", PANEL | broken)
        assert answer.status_code == 422
        assert "Please correct what is marked." in text(answer)
    assert (Match.objects.count(), Player.objects.filter(kind="guest").count()) == (0, 0)


def test_limits_of_guests_are_told_with_their_status(monkeypatch):
    make_house_bots()
    client = browser()
    monkeypatch.setattr(practice, "GUEST_GAMES_A_DAY", 1)
    assert client.post("/practice/", PANEL).status_code == 303
    answer = browser().post("/practice/", PANEL)
    assert (answer.status_code, "Too many attempts" in text(answer)) == (429, True)
    assert 0 < int(answer.headers["Retry-After"]) <= practice.DAY_S
    monkeypatch.setattr(practice, "MOST_GUEST_GAMES", 1)
    answer = browser().post("/practice/", PANEL)
    assert (answer.status_code, "All tables for guests are taken" in text(answer)) == (503, True)
    assert Match.objects.count() == 1


def test_the_deck_of_the_panel_is_the_one_of_the_site():
    make_house_bots()
    user = make_user()
    client, guest = browser(user), browser()
    for one in (client, guest):
        one.post("/practice/", PANEL | {"deck": "francesi"})
        assert one.cookies["deck"].value == "francesi"
        assert 'data-deck="francesi"' in one.get("/play/").content.decode()
    user.refresh_from_db()
    assert user.deck == "francesi"


def test_a_guest_who_signs_in_is_asked_on_every_page_and_the_session_changes():
    make_house_bots()
    client, user = browser(), make_user()
    match = Match.objects.get(code=code_of(client.post("/practice/", PANEL).url))
    assert "Keep the practice game?" not in text(client.get("/play/"))
    client.force_login(user)
    for path in ("/", "/play/", "/leagues/", "/settings/"):
        assert "Keep the practice game?" in text(client.get(path)), path
    before = client.session.session_key
    answer = client.post("/play/keep/", {"keep": "yes"}, follow=True)
    assert "1 game is yours now." in text(answer)
    assert client.session.session_key != before
    assert client.cookies[guests.COOKIE].value == ""
    assert "Keep the practice game?" not in text(client.get("/"))
    match.refresh_from_db()
    assert match.seats.get(index=0).player.user == user
    assert client.get(f"/matches/{match.code}/state").json()["you"] == 0


def test_a_guest_game_that_is_not_kept_is_deleted():
    make_house_bots()
    client = browser()
    match = Match.objects.get(code=code_of(client.post("/practice/", PANEL).url))
    assert client.post("/play/keep/", {"keep": "no"}).url.startswith("/account/login/")
    assert Match.objects.filter(pk=match.pk).exists()
    client.force_login(make_user())
    assert "are deleted" in text(client.post("/play/keep/", {"keep": "no"}, follow=True))
    assert not Match.objects.filter(pk=match.pk).exists()
    assert client.post("/play/keep/", {"keep": "yes"}).status_code == 302


def test_a_game_of_a_guest_is_on_no_page_of_others():
    make_house_bots()
    client = browser()
    code = code_of(client.post("/practice/", PANEL).url)
    other = browser(make_user())
    for path in ("/", "/now/", "/play/", "/play/open/", "/matches/", "/matches/?state=playing", "/matches/export.json"):
        assert code not in other.get(path).content.decode(), path
    for path in ("", "table/", "replay/", "record.json", "events"):
        assert other.get(f"/matches/{code}/{path}").status_code == 404, path


# -- invitations


def test_a_link_is_made_sent_and_taken():
    luna, marco = make_user("Luna"), make_user("Marco")
    hers, his = browser(luna), browser(marco)
    answer = hers.post("/play/invitations/", INVITE)
    assert answer.status_code == 303
    page = answer.url
    assert f"http://testserver{page}" in hers.get(page).content.decode()
    for client in (browser(), his, browser(make_user()), hers):  # machines that preview links come too
        for _visit in range(2):
            assert client.get(page).status_code == 200
    assert client.get(f"{page}accept/").status_code == 405
    assert Invitation.objects.get().state == "open"
    signed_out = browser().post(f"{page}accept/")
    assert (signed_out.status_code, signed_out.url) == (
        302, f"/account/login/?next={page.replace('/', '%2F')}",
    )  # fmt: skip
    assert "Accept and play" in text(his.get(page))
    answer = his.post(f"{page}accept/")
    match = Match.objects.get(code=code_of(answer.url))
    assert answer.status_code == 303
    part = hers.get(page, headers={"hx-request": "true"})
    assert (part.status_code, part.headers["HX-Redirect"]) == (204, f"/matches/{match.code}/table/")
    late = browser(make_user()).post(f"{page}accept/")
    assert (late.status_code, "Somebody was quicker" in text(late)) == (409, True)
    assert match.code in his.get("/play/").content.decode()


def test_a_challenge_by_name_is_answered_from_the_page_and_told_in_the_inbox():
    luna, marco = make_user("Luna"), make_user("Marco")
    hers, his = browser(luna), browser(marco)
    page = hers.post("/play/invitations/", INVITE | {"how": "name", "names": "marco", "rated": "on"}).url
    assert "Luna challenges you" in text(his.get("/inbox/"))
    assert "You are challenged" in text(his.get("/play/"))
    assert "Luna challenges you" in text(his.get("/"))
    assert browser(make_user()).post(f"{page}accept/").status_code == 403
    assert his.post(f"{page}decline/").url == "/play/"
    assert "Marco declines your challenge." in text(hers.get("/inbox/"))
    assert his.post(f"{page}accept/").status_code == 409
    assert hers.post(f"{page}withdraw/").status_code == 409
    assert not Match.objects.exists()


def test_a_seek_stands_on_the_page_for_others_and_is_withdrawn():
    luna = make_user("Luna")
    hers = browser(luna)
    page = hers.post("/play/invitations/", INVITE | {"how": "seek"}).url
    assert "Nobody at the moment" in text(hers.get("/play/open/"))
    others = text(browser(make_user()).get("/play/open/"))
    assert "Luna best of 3 · 3 min + 5 s · casual · Elo 1500?" in others
    assert "Sign in to play" in text(browser().get("/play/"))
    again = hers.post("/play/invitations/", INVITE | {"how": "seek"})
    assert (again.status_code, "You have an open seek already" in text(again)) == (409, True)
    assert hers.post(f"{page}withdraw/").status_code == 303
    assert "Nobody at the moment" in text(browser().get("/play/open/"))
    assert "The invitation was withdrawn." in text(browser().get(page))


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ({"how": "name", "names": ""}, "Write the name of who you want to play with."),
        ({"how": "name", "names": "Nobody Here"}, "No player is called “Nobody Here”."),
        ({"how": "name", "names": "Gino"}, "Several players are called “Gino”"),
        ({"how": "name", "names": "Marco, Sara"}, "There are more names than free seats."),
        ({"how": "name", "names": "Luna"}, "You cannot challenge yourself."),
        ({"how": "bot", "bot": ""}, "Choose a bot."),
        ({"preset": "luciano", "players": "4", "length": "first_to:1", "rated": "on"},
         "counts for Elo: make it casual."),
        ({"preset": "briscolone", "players": "4"}, "These rules are not for so many players"),
        ({"clock": "none"}, "Between people a clock is needed"),
        ({"clock": "1+1"}, "Select a valid choice"),
        ({"players": "4", "seat_1": "medio", "seat_2": "medio", "seat_3": "medio"},
         "With bots at all seats nobody is asked"),
    ],
)  # fmt: skip
def test_a_broken_offer_says_where(broken: dict[str, str], said: str):
    make_house_bots()
    luna = make_user("Luna")
    for name in ("Marco", "Sara", "Gino", "Gino"):
        make_user(name)
    answer = browser(luna).post("/play/invitations/", INVITE | broken)
    assert answer.status_code == 422
    assert said in text(answer)
    assert not Invitation.objects.exists()


def test_any_bot_may_be_played_at_once_and_opened_from_its_address():
    luna, bot = make_user("Luna"), make_version("VelaBot")
    client = browser(luna)
    assert "/play/?with=velabot" in browser().get("/bots/velabot/").content.decode()
    assert "/play/?with=luna" in browser().get("/players/luna/").content.decode()
    assert "/play/?with=luna" not in client.get("/players/luna/").content.decode()
    page = client.get("/play/?with=velabot").content.decode()
    assert '<option value="velabot" selected>' in page
    answer = client.post("/play/invitations/", INVITE | {"how": "bot", "bot": "velabot", "clock": "none"})
    match = Match.objects.get(code=code_of(answer.url))
    assert (match.mode, match.state, match.seats.get(index=1).bot_seat.version) == ("casual", "playing", bot)
    for path in ("/", "/now/"):
        shown = browser().get(path)
        assert f"/matches/{match.code}/table/" in shown.content.decode()
        assert "Luna – VelaBot" in text(shown)
    assert f"/matches/{match.code}/table/" in browser().get(f"/matches/{match.code}/").content.decode()
    finished(match)
    assert f"/matches/{match.code}/table/" not in browser().get(f"/matches/{match.code}/").content.decode()
    assert match.code not in browser().get("/now/").content.decode().split("latest-title")[0]


def test_a_table_of_four_is_set_and_its_seats_are_chosen():
    make_house_bots()
    luna, marco = make_user("Luna"), make_user("Marco")
    sent = INVITE | {"players": "4", "seat_1": "medio", "seat_2": "person", "seat_3": "medio"}
    page = browser(luna).post("/play/invitations/", sent).url
    answer = browser(marco).post(f"{page}accept/", {"seat": "2"})
    match = Match.objects.get(code=code_of(answer.url))
    assert [seat.player.name for seat in match.seats.order_by("index")] == ["Luna", "Medio", "Marco", "Medio"]
    named = browser(luna).post("/play/invitations/", sent | {"how": "name", "names": "Marco", "unlisted": "on"}).url
    made = Invitation.objects.latest("pk")
    assert (made.kind, made.visibility, named) == (InvitationKind.NAME, "unlisted", made.get_absolute_url())
    assert made.seats.get(index=2).player == marco.player


def test_who_meets_too_often_reads_it_before_accepting():
    luna, marco = make_user("Luna"), make_user("Marco")
    for _number in range(6):
        made_match(invitations.accept(invitation=offer(luna, mode="rated"), actor=marco))
    seventh = offer(luna, mode="rated")
    warning = "this one will not count for Elo"
    assert warning in text(browser(marco).get(seventh.get_absolute_url()))
    assert warning not in text(browser(make_user()).get(seventh.get_absolute_url()))
    sent = INVITE | {"how": "name", "names": "Marco", "rated": "on"}
    answer = browser(luna).post("/play/invitations/", sent)
    assert (answer.status_code, "the next one would not count" in text(answer)) == (409, True)


def test_late_invitations_say_so():
    luna, marco = make_user("Luna"), make_user("Marco")
    made = offer(luna, InvitationKind.NAME, Wish(marco.player))
    Invitation.objects.filter(pk=made.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    page = browser(marco).get(made.get_absolute_url())
    assert "The invitation has expired" in text(page)
    assert "Accept and play" not in text(page)
    assert browser(marco).post(f"{made.get_absolute_url()}accept/").status_code == 409
    assert "You are challenged" not in text(browser(marco).get("/play/"))
    assert browser().get("/play/invitations/none/").status_code == 404


# -- rematch


def test_a_rematch_is_asked_for_at_the_table():
    make_house_bots()
    luna, marco = make_user("Luna"), make_user("Marco")
    hers, his = browser(luna), browser(marco)
    match = finished(made_match(invitations.accept(invitation=offer(luna), actor=marco)))
    address = f"/matches/{match.code}/rematch"

    def ask(client: Client):
        return client.post(address, "{}", content_type="application/json")

    assert ask(browser()).status_code == 401
    stranger = ask(browser(make_user()))
    assert (stranger.status_code, stranger.json()["code"]) == (403, "not_seated")
    assert hers.get(address).status_code == 405
    assert ask(hers).json() == {"waiting": [1]}
    made = ask(his).json()["code"]
    assert ask(hers).json() == {"code": made}
    Match.objects.filter(pk=match.pk).update(finished_at=timezone.now() - timedelta(seconds=61))
    assert ask(hers).json() == {"code": made}
    late = ask_late(hers, luna, marco)
    assert (late.status_code, late.json()["code"], late.json()["state"]["you"]) == (409, "rematch_closed", 0)


def ask_late(client: Client, luna, marco):
    match = made_match(invitations.accept(invitation=offer(luna), actor=marco))
    finished(match, since=timedelta(seconds=61))
    return client.post(f"/matches/{match.code}/rematch", "{}", content_type="application/json")


def test_a_rematch_of_a_guest_counts_as_a_game(monkeypatch):
    make_house_bots()
    client = browser()
    match = finished(Match.objects.get(code=code_of(client.post("/practice/", PANEL).url)))
    address = f"/matches/{match.code}/rematch"
    monkeypatch.setattr(practice, "GUEST_GAMES_A_DAY", 1)
    assert client.post(address, "{}", content_type="application/json").status_code == 429
    monkeypatch.setattr(practice, "GUEST_GAMES_A_DAY", 3)  # who was turned away has tried all the same
    answer = client.post(address, "{}", content_type="application/json")
    made = Match.objects.get(code=answer.json()["code"])
    assert (made.mode, made.visibility, made.state) == ("practice", "private", "playing")
    assert made.seats.get(index=1).player.guest_key == guest_verbs.digest(
        guests.signing.loads(client.cookies[guests.COOKIE].value, salt="games.guest")
    )
