"""Who may call what: caller x address x method -> status."""

import pytest

from accounts.models import ApiToken
from tests.accounts.factories import make_user
from tests.api.world import Api, World, make_world, token_of
from tests.factories import make_version
from tests.league.playing import make_league

pytestmark = pytest.mark.django_db

CALLERS = ("nobody", "read", "upload", "play", "owner", "other", "member", "staff")
SCOPED = ("read", "upload", "play")  # tokens of the owner with one scope

#: Address -> status for nobody, then for the owner's tokens with one scope each, then for tokens with all scopes.
READ = {
    #                              nobody read upl play own oth mem staff
    "": "200 200 403 403 200 200 200 200",
    "me/": "401 200 403 403 200 200 200 200",
    "bots/": "200 200 403 403 200 200 200 200",
    "bots/?mine=true": "401 200 403 403 200 200 200 200",
    "bots/{bot}/": "200 200 403 403 200 200 200 200",
    "bots/nobody/": "404 404 403 403 404 404 404 404",
    "bots/{bot}/versions/": "200 200 403 403 200 200 200 200",
    "bots/{bot}/versions/1/": "200 200 403 403 200 200 200 200",
    "bots/{bot}/versions/9/": "404 404 403 403 404 404 404 404",
    "bots/{bot}/versions/1/archive/": "404 200 403 403 200 404 404 200",
    "bots/{bot}/versions/1/games/": "401 200 403 403 200 404 404 200",
    "bots/{bot}/faults/": "401 200 403 403 200 404 404 200",
    "bots/{bot}/tests/": "401 200 403 403 200 404 404 200",
    "bots/{bot}/tests/9/": "401 404 403 403 404 404 404 404",
    "matches/{match}/logs/": "401 200 403 403 200 403 403 200",
    "matches/{secret}/logs/": "401 404 403 403 404 404 200 200",
    "leagues/": "200 200 403 403 200 200 200 200",
    "leagues/{league}/": "200 200 403 403 200 200 200 200",
    "leagues/{private}/": "404 404 403 403 404 404 200 200",
    "leagues/{private}/members/": "404 404 403 403 404 404 200 200",
    "leagues/{league}/members/": "200 200 403 403 200 200 200 200",
    "leagues/{league}/eligibility/?bot={bot}": "401 200 403 403 200 403 403 200",
    "leagues/{private}/eligibility/?bot={bot}": "401 404 403 403 404 404 403 200",
    "tournaments/": "200 200 403 403 200 200 200 200",
    "tournaments/{finished}/": "200 200 403 403 200 200 200 200",
    "tournaments/{hidden}/": "404 404 403 403 404 404 200 200",
    "tournaments/{hidden}/standings/": "404 404 403 403 404 404 200 200",
    "tournaments/{hidden}/rounds/": "404 404 403 403 404 404 200 200",
    "tournaments/{hidden}/rounds/1/": "404 404 403 403 404 404 200 200",
    "tournaments/{hidden}/entries/": "404 404 403 403 404 404 200 200",
    "tournaments/{draft}/": "404 404 403 403 404 404 404 200",
    "tournaments/{open}/eligibility/?bot={bot}": "401 200 403 403 200 403 403 200",
    "tournaments/{finished}/standings/": "200 200 403 403 200 200 200 200",
    "tournaments/{finished}/rounds/1/": "200 200 403 403 200 200 200 200",
    "matches/": "200 200 403 403 200 200 200 200",
    "matches/{match}/": "200 200 403 403 200 200 200 200",
    "matches/{match}/record/": "200 200 403 403 200 200 200 200",
    "matches/{match}/record.bella": "200 200 403 403 200 200 200 200",
    "matches/{match}/analysis/": "202 202 403 403 202 202 202 202",
    "matches/{match}/receipt/": "200 200 403 403 200 200 200 200",
    "matches/{secret}/": "404 404 403 403 404 404 200 200",
    "matches/{secret}/record/": "404 404 403 403 404 404 200 200",
    "matches/{secret}/record.bella": "404 404 403 403 404 404 200 200",
    "matches/{secret}/analysis/": "404 404 403 403 404 404 202 202",
    "matches/{secret}/receipt/": "404 404 403 403 404 404 200 200",
    "matches/?league={private}": "400 400 403 403 400 400 200 200",
    "players/": "200 200 403 403 200 200 200 200",
    "players/{player}/": "200 200 403 403 200 200 200 200",
    "players/{bot}/history/": "200 200 403 403 200 200 200 200",
    "players/{bot}/history/?pool={private}:bot-1v1": "400 400 403 403 400 400 200 200",
    "rankings/": "200 200 403 403 200 200 200 200",
    "rankings/bot-1v1/": "200 200 403 403 200 200 200 200",
    "rankings/{private}:bot-1v1/": "404 404 403 403 404 404 200 200",
}
#: The same for writing; every call finds the site as it was made. 403 of a scope comes before anything else.
WRITE = {
    "POST bots/": "401 403 400 403 400 400 400 400",  # no file: the address and the scope are right
    "POST bots/{bot}/versions/": "401 403 400 403 400 400 400 400",
    "POST bots/{uploaded}/versions/1/activate/": "401 403 200 403 200 403 403 200",
    "POST bots/{uploaded}/versions/1/retire/": "401 403 200 403 200 403 403 200",
    "POST bots/{uploaded}/versions/1/check/": "401 403 409 403 409 404 404 409",
    "POST leagues/{league}/members/ bot={uploaded}": "401 403 403 201 201 403 403 201",
    "POST leagues/{private}/members/ bot={uploaded}": "401 403 403 404 404 404 403 201",
    "DELETE leagues/{league}/members/{bot}/": "401 403 403 204 204 403 403 204",
    "POST tournaments/{open}/entries/ bot={bot}": "401 403 403 201 201 403 403 201",
    "DELETE tournaments/{open}/entries/999999/": "401 403 403 404 404 404 404 404",
    "DELETE tournaments/{open}/entries/{entry}/": "401 403 403 403 403 403 403 204",  # of somebody else
    "POST tournaments/{hidden}/entries/ bot={bot}": "401 403 403 404 404 404 403 409",
}


def callers(world: World) -> dict[str, Api]:
    found = {"nobody": Api()} | {scope: Api(token_of(world.owner, scope)) for scope in SCOPED}
    people = {"owner": world.owner, "other": world.other, "member": world.member, "staff": world.staff}
    return found | {name: Api(token_of(user)) for name, user in people.items()}


def test_who_may_read_what():
    world = make_world()
    api, places = callers(world), world.places()
    found = {
        address: " ".join(str(api[name]("GET", address.format(**places)).status_code) for name in CALLERS)
        for address in READ
    }
    assert found == READ


@pytest.mark.parametrize("call", WRITE)
def test_who_may_write_what(call):
    from django.db import transaction

    world = make_world()
    api, places = callers(world), world.places()
    method, address, *body = call.format(**places).split(" ")
    data = dict(part.split("=") for part in body) or None
    kind = "multipart" if address.endswith(("bots/", "versions/")) else "application/json"
    statuses = []
    for name in CALLERS:
        with transaction.atomic():
            response = api[name](method, address, {} if kind == "multipart" else data, content_type=kind)
            statuses.append(str(response.status_code))
            transaction.set_rollback(True)
    assert " ".join(statuses) == WRITE[call]


def test_a_scope_that_is_missing_is_named():
    response = Api(token_of(make_user(), "read"))("POST", "leagues/x/members/", {"bot": "x"})
    assert (response.status_code, response.json()) == (
        403,
        {
            "code": "scope_missing",
            "message": "This token may not do that: it lacks the scope “play”. Make another one at /settings/tokens/.",
            "params": {"scope": "play", "page": "/settings/tokens/"},
        },
    )


def test_a_session_has_every_scope_but_needs_the_key_of_its_pages():
    from django.test import Client

    user = make_user(language="en")
    api = Api(client=Client(enforce_csrf_checks=True))
    api.client.force_login(user)
    assert api.get("me/")["scopes"] == ApiToken.Scope.values
    refused = api("POST", "leagues/nowhere/members/", {"bot": "x"})
    assert (refused.status_code, refused.json()["code"]) == (403, "csrf")
    api.client.get("/account/login/")
    api.client.cookies["csrftoken"] = key = "x" * 32
    passed = api("POST", "leagues/nowhere/members/", {"bot": "x"}, headers={"x-csrftoken": key})
    assert (passed.status_code, passed.json()["code"]) == (404, "not_found")


def test_an_unconfirmed_address_may_neither_upload_nor_enter():
    user = make_user(is_confirmed=False)
    response = Api(token_of(user))("POST", "bots/?name=Vela", b"x", content_type="application/octet-stream")
    assert (response.status_code, response.json()["code"]) == (403, "email_unconfirmed")


def test_who_asked_to_join_a_private_league_does_not_see_it_yet_but_may_take_it_back():
    league = make_league(visibility="private", joining="request")
    version = make_version()
    api, slug = Api(token_of(version.bot.owner)), version.bot.player.slug
    members = f"leagues/{league.slug}/members/"
    assert api("POST", members, {"bot": slug}).status_code == 404
    asked = api("POST", members, {"bot": slug, "code": league.invitation_code})
    assert (asked.status_code, asked.json()["state"]) == (201, "requested")
    assert [api("GET", path).status_code for path in (members, f"leagues/{league.slug}/")] == [404, 404]
    why = api.get(f"leagues/{league.slug}/eligibility/", bot=slug)
    assert (why["is_eligible"], [one["code"] for one in why["reasons"]]) == (False, ["already_requested"])
    assert api("DELETE", f"{members}{slug}/").status_code == 204
    assert api("GET", f"leagues/{league.slug}/eligibility/", {"bot": slug}).status_code == 404


def test_a_bot_joins_enters_withdraws_and_leaves():
    world = make_world()
    api = Api(token_of(world.owner))
    name = world.uploaded.bot.player.slug
    why = api.get(f"tournaments/{world.open.code}/eligibility/", bot=name)
    assert [one["code"] for one in why["reasons"]] == ["not_member"]
    joined = api("POST", f"leagues/{world.league.slug}/members/", {"bot": name}).json()
    assert (joined["state"], joined["player"]["slug"]) == ("active", name)
    assert api.get(f"tournaments/{world.open.code}/eligibility/", bot=name)["is_eligible"] is True
    entered = api("POST", f"tournaments/{world.open.code}/entries/", {"bot": name})
    assert (entered.status_code, entered.json()["players"][0]["slug"]) == (201, name)
    leave = f"leagues/{world.league.slug}/members/{name}/"
    refused = api("DELETE", leave)
    assert (refused.status_code, refused.json()["code"]) == (409, "entered_in_tournament")
    taken_back = f"tournaments/{world.open.code}/entries/{entered.json()['id']}/"
    assert [api("DELETE", path).status_code for path in (taken_back, taken_back, leave)] == [204, 404, 204]
