"""The addresses of a table: who may, what a body must be, how refusals and repeats are answered."""

from typing import Any

import pytest
from django.test import Client

from games.engine import card_code
from games.models import Match, Player, Visibility
from games.services import guests, play
from games.views import guests as guest_cookie
from tests.factories import make_human, make_version
from tests.games.tables import make_practice, make_table, now, play_cards, play_deal, play_match, seats

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]


def client_of(player: Player | None = None, **options: Any) -> Client:
    client = Client(headers={"accept-language": "en"}, **options)
    if player is not None:
        assert player.user is not None
        client.force_login(player.user)
    return client


def post(client: Client, match: Match, verb: str, body: Any) -> Any:
    return client.post(f"/matches/{match.code}/{verb}", body, content_type="application/json")


def next_card(match: Match) -> dict[str, Any]:
    """The body of the next play."""
    found = now(match)
    assert found.deal is not None
    assert found.row is not None
    return {"deal": found.row.number, "ply": len(found.deal.plays), "card": card_code(found.deal.legal()[0])}


def on_turn(match: Match) -> Client:
    turn = now(match).turn
    assert turn is not None
    return client_of(seats(match)[turn])


def test_a_card_is_played_and_the_same_again_gets_the_same_answer():
    match = make_table(clock="180+5")
    client, body = on_turn(match), next_card(match)
    answer = post(client, match, "plays", body)
    assert answer.status_code == 200
    assert answer.json() == {**body, "seq": 2, "clock": answer.json()["clock"]}
    again = post(client, match, "plays", body)
    assert (again.status_code, again.json()) == (200, answer.json())
    assert Match.objects.get(pk=match.pk).live_seq == 2


def test_what_is_past_is_answered_with_the_state():
    match = play_cards(make_table(), 3)
    client, body = on_turn(match), next_card(match)
    answer = post(client, match, "plays", {**body, "ply": 1})
    assert answer.status_code == 409
    assert answer.json()["code"] == "stale"
    assert answer.json()["message"]
    assert answer.json()["state"] == client.get(f"/matches/{match.code}/state").json()
    other = client_of(seats(match)[1 - now(match).turn])  # type: ignore[operator]
    answer = post(other, match, "plays", body)
    assert (answer.status_code, answer.json()["code"]) == (409, "not_your_turn")
    assert answer.json()["state"]["you"] == 1 - now(match).turn  # type: ignore[operator]


def test_codes_of_refusals_have_their_status():
    match = make_table()
    client, body = on_turn(match), next_card(match)
    turn = now(match).turn
    assert turn is not None
    foreign = card_code(now(match).deal.hands[1 - turn][0])  # type: ignore[union-attr]
    for wrong, code in (({"card": foreign}, "card_not_in_hand"), ({"card": "ZZ"}, "bad_card")):
        answer = post(client, match, "plays", {**body, **wrong})
        assert (answer.status_code, answer.json()["code"]) == (422, code)
        assert "state" not in answer.json()
    assert post(client, match, "undo", {"deal": 1, "ply": 0}).json()["code"] == "practice_only"
    assert post(client, match, "hint", {"deal": 1, "ply": 0}).status_code == 403
    assert post(client, match, "show-hands", {"on": True}).status_code == 403
    assert post(client, match, "call", {"deal": 1, "ply": 0}).json()["code"] == "claim_not_allowed"
    assert post(client, match, "signs", {"deal": 1, "ply": 0, "code": "A"}).json()["code"] == "signal.not_allowed"
    answer = post(client, match, "claim-absence", {"deal": 1, "ply": 0})
    assert (answer.status_code, answer.json()["code"]) == (409, "not_claimable")


@pytest.mark.parametrize(
    "body",
    [
        "", "{", "[]", "null", "1", '"x"', "NaN", "[" * 5000, "{}", '{"deal":1,"ply":0}', b"\xff\xfe",
        '{"deal":1,"ply":0,"card":"AD","more":1}', '{"deal":"1","ply":0,"card":"AD"}',
        '{"deal":true,"ply":0,"card":"AD"}',
        '{"deal":1.0,"ply":0,"card":"AD"}', '{"deal":1,"ply":-1,"card":"AD"}', '{"deal":1,"ply":0,"card":null}',
        '{"deal":99999999999999999999,"ply":0,"card":"AD"}', '{"deal":1,"ply":0,"card":"' + "A" * 3000 + '"}',
    ],
)  # fmt: skip
def test_a_body_that_makes_no_sense_is_refused(body):
    match = make_table()
    answer = on_turn(match).generic("POST", f"/matches/{match.code}/plays", body, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_body")
    assert Match.objects.get(pk=match.pk).live_seq == 1


def test_a_card_with_odd_letters_is_no_card():
    match = make_table()
    for card in ("", "\x00", "AD\n", "ａｄ", "1D", "A" * 100, "😀"):
        answer = post(on_turn(match), match, "plays", {"deal": 1, "ply": 0, "card": card})
        assert (answer.status_code, answer.json()["code"]) == (422, "bad_card"), card


def test_who_does_not_sit_there_cannot_play():
    match = make_table()
    body = next_card(match)
    answer = post(client_of(), match, "plays", body)
    assert (answer.status_code, answer.json()["code"]) == (401, "not_signed_in")
    answer = post(client_of(make_human()), match, "plays", body)
    assert (answer.status_code, answer.json()["code"]) == (403, "not_seated")
    assert post(client_of(), Match(code="NOTHERE0"), "plays", body).status_code == 404
    private = make_table(visibility=Visibility.PRIVATE)
    assert post(client_of(make_human()), private, "plays", body).status_code == 404
    assert client_of(make_human()).get(f"/matches/{private.code}/state").status_code == 404
    assert client_of().get(f"/embed/matches/{private.code}/state").status_code == 404
    assert on_turn(private).get(f"/matches/{private.code}/state").status_code == 200
    assert on_turn(private).get(f"/embed/matches/{private.code}/state").status_code == 404


def test_a_module_without_the_key_of_its_page_is_refused_in_its_own_words():
    match = make_table()
    client = client_of(seats(match)[now(match).turn], enforce_csrf_checks=True)  # type: ignore[index]
    answer = post(client, match, "plays", next_card(match))
    assert (answer.status_code, answer.json()["code"]) == (403, "csrf")
    assert Match.objects.get(pk=match.pk).live_seq == 1


def test_a_seat_that_posts_without_end_has_to_wait():
    match = make_table()
    client, body = on_turn(match), {"deal": 1, "ply": 9}
    answers = [post(client, match, "call", body) for _ in range(61)]  # at most two windows begin meanwhile
    late = [answer for answer in answers if answer.status_code == 429]
    assert late
    assert late[0].json()["code"] == "too_often"
    assert 1 <= int(late[0].headers["Retry-After"]) <= 10
    other = client_of(seats(match)[1 - now(match).turn])  # type: ignore[operator]
    assert post(other, match, "call", body).status_code == 409


def test_the_state_is_sent_once_until_something_changes():
    match = make_table()
    client = on_turn(match)
    first = client.get(f"/matches/{match.code}/state")
    turn = now(match).turn
    assert first.headers["ETag"] == f'"1-{turn}"'
    assert first.headers["Cache-Control"] == "private, no-cache"
    assert first.json()["you"] == turn
    held = {"If-None-Match": first.headers["ETag"]}
    again = client.get(f"/matches/{match.code}/state", headers=held)
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    assert client_of().get(f"/matches/{match.code}/state", headers=held).status_code == 200
    play_cards(match, 1)
    assert client.get(f"/matches/{match.code}/state", headers=held).status_code == 200


def test_the_embedded_state_is_everybody_s_also_for_who_sits_there():
    match = play_cards(make_table(), 3)
    answer = on_turn(match).get(f"/embed/matches/{match.code}/state")
    assert answer.headers["Cache-Control"] == "public, max-age=2"
    assert "Set-Cookie" not in answer.headers
    assert not answer.cookies
    assert answer.json()["you"] is None
    assert "hand" not in answer.json()
    assert answer.json() == client_of().get(f"/matches/{match.code}/state").json()


def test_ready_and_resign():
    match = play_deal(make_table())
    for player in seats(match):
        answer = post(client_of(player), match, "ready", {"deal": 2})
        assert answer.status_code == 200
    assert now(match).rows[-1].number == 2
    answer = post(client_of(seats(match)[0]), match, "resign", {"deal": 2, "scope": "match"})
    assert answer.json() == {"seq": Match.objects.get(pk=match.pk).live_seq, "is_offer": False}
    result = client_of().get(f"/matches/{match.code}/state").json()["result"]
    assert (result["outcome"], result["winner_side"], result["termination"]) == ("won", 1, "resign")
    assert post(client_of(seats(match)[0]), match, "resign", {"deal": 2, "scope": "all"}).status_code == 422


def test_the_seed_comes_with_the_end():
    match = make_table(rules="n=2 format=deals:1")
    address = f"/matches/{match.code}/state"
    assert "seed" not in client_of().get(address).json()
    play_match(match)
    assert client_of().get(address).json()["seed"] == bytes(match.seed).hex()


# ---- guests


def guest_client() -> tuple[Client, Player]:
    player, key = guests.create()
    client = client_of()
    from django.http import HttpResponse

    response = HttpResponse()
    guest_cookie.remember(response, key)
    morsel = response.cookies[guest_cookie.COOKIE]
    assert (morsel["httponly"], morsel["samesite"]) == (True, "Lax")
    client.cookies[guest_cookie.COOKIE] = morsel.value
    return client, player


def test_a_guest_sits_only_behind_its_cookie():
    client, player = guest_client()
    match = make_practice(person=player, visibility=Visibility.PRIVATE)
    while now(match).turn != 0:
        play.play(match=match, seat=1, **next_card(match))
    assert post(client, match, "plays", next_card(match)).status_code == 200
    assert client.get(f"/matches/{match.code}/state").json()["you"] == 0
    assert client_of().get(f"/matches/{match.code}/state").status_code == 404
    other, _ = guest_client()
    assert other.get(f"/matches/{match.code}/state").status_code == 404
    forged = client_of()
    forged.cookies[guest_cookie.COOKIE] = "made-up"
    assert forged.get(f"/matches/{match.code}/state").status_code == 404
    client.cookies[guest_cookie.COOKIE] = client.cookies[guest_cookie.COOKIE].value + "x"
    assert client.get(f"/matches/{match.code}/state").status_code == 404


def test_nobody_gets_a_guest_s_cookie_by_looking():
    match = make_table()
    for address in (f"/matches/{match.code}/state", "/", f"/embed/matches/{match.code}/state"):
        assert guest_cookie.COOKIE not in client_of().get(address).cookies


# ---- practice


def test_practice_takes_back_shows_hands_and_gives_hints():
    match = make_practice()
    client = client_of(seats(match)[0])
    while now(match).turn != 0:
        play.play(match=match, seat=1, **next_card(match))
    before = now(match)
    assert post(client, match, "hint", {"deal": 1, "ply": len(before.rows[-1].plays) // 2}).status_code == 202
    post(client, match, "plays", next_card(match))
    while now(match).turn != 0:
        play.play(match=match, seat=1, **next_card(match))
    ply = len(now(match).rows[-1].plays) // 2
    assert post(client, match, "undo", {"deal": 1, "ply": ply}).status_code == 200
    found = now(match)
    assert found.rows[-1].plays == before.rows[-1].plays
    assert found.deal is not None
    assert before.deal is not None
    assert (found.deal.hands, found.turn) == (before.deal.hands, 0)
    assert post(client, match, "show-hands", {"on": True}).status_code == 200
    state = client.get(f"/matches/{match.code}/state").json()
    assert state["aids"] == ["hint", "undo", "hands"]
    assert state["open_hands"] is True
    assert state["known"] == {"1": [card_code(card) for card in found.deal.hands[1]]}
    assert "hand" not in client_of().get(f"/matches/{match.code}/state").json()
    assert client_of().get(f"/matches/{match.code}/state").json()["known"] == {}
    assert post(client, match, "show-hands", {"on": False}).status_code == 200
    assert client.get(f"/matches/{match.code}/state").json()["known"] == {}
    assert client.get(f"/matches/{match.code}/state").json()["aids"] == ["hint", "undo", "hands"]


def test_there_is_nothing_to_take_back_at_the_start_and_after_the_end():
    match = make_practice()
    client = client_of(seats(match)[0])
    ply = len(now(match).rows[-1].plays) // 2
    answer = post(client, match, "undo", {"deal": 1, "ply": ply})
    assert (answer.status_code, answer.json()["code"]) == (409, "undo_closed")
    play_deal(match)
    assert post(client, match, "undo", {"deal": 1, "ply": 40}).json()["code"] == "deal_over"


def test_practice_between_a_bot_and_two_people_knows_no_undo():
    match = make_table(make_human(), make_version(), make_human(), make_version(), rules="n=4", mode="practice")
    client = client_of(seats(match)[0])
    assert post(client, match, "undo", {"deal": 1, "ply": 0}).json()["code"] == "practice_only"
