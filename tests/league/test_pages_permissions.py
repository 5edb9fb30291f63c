"""Who may open which page, as a table; what only a POST may do."""

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from bots.selectors.permissions import can_see_code
from games.models import Match
from league.models import AuditEntry
from league.services import memberships
from tests.accounts.factories import make_user
from tests.league.world import World, make_world

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]

WHO = ("nobody", "stranger", "member", "arbiter", "organiser", "owner", "admin")
#: 3 stands for the way to the sign-in page.
OPEN = (200, 200, 200, 200, 200, 200, 200)
SIGNED_IN = (3, 200, 200, 200, 200, 200, 200)
RULERS = (3, 403, 403, 200, 200, 200, 200)
ORGANISERS = (3, 403, 403, 403, 200, 200, 200)
OWNERS = (3, 403, 403, 403, 403, 200, 200)
DRAFTS = (404, 404, 404, 200, 200, 200, 200)
MEMBERS = (404, 404, 200, 200, 200, 200, 200)


def pages(world: World) -> dict[str, tuple[int, ...]]:
    league, tournament, draft = (
        f"/leagues/{world.league.slug}/", f"/tournaments/{world.tournament.code}/", f"/tournaments/{world.draft.code}/",
    )  # fmt: skip
    organise = f"/organise/{world.league.slug}/"
    run = f"{organise}tournaments/{world.tournament.code}/"
    entry = world.tournament.entries.order_by("pk").first()
    bot = entry.members.get().player.slug
    return {
        "/": OPEN, "/now/": OPEN, "/leagues/": OPEN, "/tournaments/": OPEN,
        "/leagues/new/": SIGNED_IN, "/organise/": SIGNED_IN,
        league: OPEN, f"{league}members/": OPEN, f"{league}tournaments/": OPEN, f"{league}log/": OPEN,
        f"{league}join/": SIGNED_IN,
        **dict.fromkeys(
            (tournament, *(f"{tournament}{tab}/" for tab in ("rounds", "matches", "entries", "rules", "log"))), OPEN
        ),
        f"{tournament}standings.csv": OPEN, f"{tournament}standings/{entry.pk}/": OPEN,
        draft: DRAFTS, f"{draft}rules/": DRAFTS,
        organise: RULERS, run: RULERS, f"{run}preview/": RULERS, f"/organise/matches/{world.match.code}/rerun/": RULERS,
        f"{organise}members/": ORGANISERS,
        f"{organise}invitation/": ORGANISERS, f"{organise}members/{bot}/suspend/": ORGANISERS,
        f"{organise}tournaments/new/": ORGANISERS, f"{run}cancel/": ORGANISERS, f"{run}pause/": ORGANISERS,
        f"{run}rounds/1/release/": ORGANISERS, f"{run}entries/{entry.pk}/refuse/": ORGANISERS,
        f"{organise}settings/": OWNERS, f"{organise}league/pause/": OWNERS,
        f"{organise}members/{world.people['arbiter'].player.slug}/role/": OWNERS,
        f"{run}nonsense/": (3, 403, 403, 403, 404, 404, 404),
        f"{organise}tournaments/zzzzzzzz/": (3, 403, 403, 404, 404, 404, 404),
        "/leagues/nowhere/": (404,) * 7, "/tournaments/zzzzzzzz/": (404,) * 7, "/organise/nowhere/": (3, *(404,) * 6),
    }  # fmt: skip


def visited(world: World, addresses: dict[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {address: [] for address in addresses}
    for who in WHO:
        client = world.client(who)
        for address in addresses:
            answer = client.get(address)
            is_sign_in = answer.status_code == 302 and answer.url.startswith("/account/login/")
            found[address].append(3 if is_sign_in else answer.status_code)
    return {address: tuple(statuses) for address, statuses in found.items()}


def test_every_page_opens_for_those_it_is_for():
    world = make_world()
    expected = pages(world)
    assert visited(world, expected) == expected


def test_a_private_league_exists_for_its_members_and_the_staff_alone():
    world = make_world(visibility="private", joining="invitation")
    for_all = {address: row for address, row in pages(world).items() if row in (OPEN, RULERS, ORGANISERS, OWNERS)}
    expected = {
        address: row if address in ("/", "/now/", "/leagues/", "/tournaments/") else
        MEMBERS if row == OPEN else (3, 404, *row[2:])
        for address, row in for_all.items()
        # a match of it is no secret to who may not rule there, it is none at all
    }  # fmt: skip
    assert visited(world, expected) == expected
    for who in ("nobody", "stranger"):
        for address in ("/", "/leagues/", "/tournaments/"):
            assert world.league.name not in world.client(who).get(address).content.decode()
    assert world.league.name in world.client("member").get("/leagues/").content.decode()


def test_who_was_suspended_or_left_sees_a_private_league_no_more():
    world = make_world(visibility="private", joining="invitation", is_played=False)
    member, owner = world.people["member"], world.people["owner"]
    memberships.suspend(league=world.league, player=member.player, actor=owner, reason="Played cards under the table.")
    assert world.client("member").get(f"/leagues/{world.league.slug}/").status_code == 404
    page = world.client("member").get(f"/leagues/{world.league.slug}/join/")
    assert (page.status_code, b"Played cards under the table." in page.content) == (200, True)


def test_staff_without_a_second_factor_is_a_stranger_everywhere():
    world = make_world(visibility="private", is_played=True)
    match = Match.objects.first()
    bot = match.seats.first().bot_seat.version.bot
    addresses = [
        f"/leagues/{world.league.slug}/", f"/organise/{world.league.slug}/", f"/tournaments/{world.tournament.code}/",
        f"/matches/{match.code}/", f"/matches/{match.code}/record.json", f"/matches/{match.code}/analysis.json",
        f"/api/v1/leagues/{world.league.slug}/", f"/api/v1/matches/{match.code}/", "/admin/",
    ]  # fmt: skip
    with_factor, without = world.client("admin"), Client()
    without.force_login(make_user(is_staff=True, has_second_factor=False))
    stranger = world.client("stranger")
    for address in addresses:
        assert with_factor.get(address).status_code in (200, 202), address
        assert without.get(address).status_code == stranger.get(address).status_code != 200, address
    assert can_see_code(bot, world.people["admin"])
    assert not can_see_code(bot, make_user(is_staff=True, has_second_factor=False))
    assert with_factor.get("/api/v1/me/").json()["is_staff"] is True
    assert without.get("/api/v1/me/").json()["is_staff"] is False
    assert reverse("mfa_activate_totp") in without.get("/settings/").content.decode()
    assert reverse("mfa_activate_totp") not in with_factor.get("/settings/").content.decode()


def test_nothing_is_done_by_a_get():
    world = make_world(is_played=False)
    before = AuditEntry.objects.count()
    owner = world.client("owner")
    run = f"/organise/{world.league.slug}/tournaments/{world.tournament.code}/"
    entry = world.tournament.entries.first()
    for address in (
        f"/leagues/{world.league.slug}/leave/", f"/tournaments/{world.tournament.code}/enter/",
        f"/tournaments/{world.tournament.code}/entries/{entry.pk}/withdraw/",
    ):  # fmt: skip
        assert owner.get(address).status_code == 405, address
    for name in ("open", "close", "start", "pause", "resume", "cancel"):
        assert owner.get(run + f"{name}/").status_code == 200
    assert world.client("stranger").get(f"/leagues/{world.league.slug}/join/?player=x").status_code == 200
    assert AuditEntry.objects.count() == before


@pytest.mark.parametrize("who", ["nobody", "stranger", "member"])
def test_a_post_of_somebody_without_the_right_changes_nothing(who):
    world = make_world(is_played=False)
    before = AuditEntry.objects.count()
    run = f"/organise/{world.league.slug}/tournaments/{world.tournament.code}/"
    client = world.client(who)
    expected = 302 if who == "nobody" else 403
    posts = [
        (f"{run}pause/", {"reason": "Because I can do it."}),
        (f"{run}cancel/", {"reason": "Because I can do it.", "typed": world.tournament.name}),
        (f"/organise/matches/{world.match.code}/rerun/", {"reason": "Because I lost this match."}),
        (f"/organise/{world.league.slug}/settings/", {"about": "mine"}),
        (f"/organise/{world.league.slug}/league/pause/", {"reason": "Because I can do it."}),
    ]
    for address, data in posts:
        answer = client.post(address, data)
        assert answer.status_code == expected, address
        assert expected == 403 or answer.url.startswith(settings.LOGIN_URL.replace("account_login", "/account/login/"))
    assert AuditEntry.objects.count() == before
    world.tournament.refresh_from_db()
    assert world.tournament.state == "running"


def test_forms_want_their_token():
    world = make_world(is_played=False)
    client = world.client("owner")
    client.handler.enforce_csrf_checks = True
    address = f"/organise/{world.league.slug}/tournaments/{world.tournament.code}/pause/"
    assert client.post(address, {"reason": "The hall is being swept."}).status_code == 403
    world.tournament.refresh_from_db()
    assert world.tournament.state == "running"
