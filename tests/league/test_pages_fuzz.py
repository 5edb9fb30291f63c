"""Query strings and forms full of nonsense: answers, never faults."""

import random

import pytest

from league.models import AuditEntry
from tests.league.world import make_world

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]

NASTY = (
    "", "0", "-1", "1", "9" * 30, "99999999999", "1e9", "½", "٣", "\x00", "\x00a", "a" * 5000, "%", "'; --", "<b>",
    "../..", "\U0001f0c1", "null", "true", "[]", "{}", "first_to:2", "2026-13-45",
)  # fmt: skip
QUERIES = ("after", "before", "round", "board", "state", "q", "audience", "code", "seen", "next", "page")
FIELDS = (
    "name", "about", "audience", "joining", "visibility", "bots_per_owner", "redraw", "tie", "double", "encounter",
    "mirrored", "best_of", "encounter_scoring", "rated", "control", "release_every_s", "capacity", "min_entries",
    "reason", "typed", "role", "seen", "player", "code",
)  # fmt: skip


def test_no_query_string_makes_a_page_fail():
    world = make_world()
    rng = random.Random(5)
    league, tournament = f"/leagues/{world.league.slug}/", f"/tournaments/{world.tournament.code}/"
    entry = world.tournament.entries.first().pk
    organise = f"/organise/{world.league.slug}/"
    addresses = [
        "/", "/now/", "/leagues/", "/tournaments/", league,
        *(f"{league}{tab}/" for tab in ("members", "log", "join", "tournaments")),
        tournament, *(f"{tournament}{tab}/" for tab in ("rounds", "matches", "entries", "rules", "log")),
        f"{tournament}standings.csv", f"{tournament}standings/{entry}/", f"{tournament}standings/{'9' * 25}/",
        organise, f"{organise}members/", f"{organise}tournaments/{world.tournament.code}/", "/organise/",
    ]  # fmt: skip
    client = world.client("owner")
    for _time in range(5):
        for address in addresses:
            query = {name: rng.choice(NASTY) for name in rng.sample(QUERIES, 4)}
            headers = {"HX-Request": "true"} if rng.random() < 0.3 else {}
            assert client.get(address, query, headers=headers).status_code in (200, 204, 404), (address, query)


def test_no_form_makes_a_page_fail_or_does_anything_by_chance():
    world = make_world(is_played=False)
    rng = random.Random(6)
    organise = f"/organise/{world.league.slug}/"
    run = f"{organise}tournaments/{world.tournament.code}/"
    member = world.people["member"].player.slug
    entry = world.tournament.entries.first().pk
    addresses = [
        "/leagues/new/", f"/leagues/{world.league.slug}/join/", f"/leagues/{world.league.slug}/leave/",
        f"/tournaments/{world.tournament.code}/enter/",
        f"/tournaments/{world.tournament.code}/entries/{'9' * 25}/withdraw/",
        f"{organise}tournaments/new/", f"{organise}settings/", f"{organise}league/archive/",
        f"{organise}members/{member}/suspend/", f"{organise}members/{member}/role/", f"{run}cancel/", f"{run}pause/",
        f"{run}rounds/{'9' * 12}/release/", f"{run}entries/{entry}/refuse/",
        f"/organise/matches/{world.match.code}/rerun/",
    ]  # fmt: skip
    client = world.client("owner")
    before = AuditEntry.objects.count()
    for _time in range(5):
        for address in addresses:
            # reasons are too short to count, names are never the right ones
            data = {name: rng.choice(NASTY[:-1]) for name in rng.sample(FIELDS, 9)} | {
                "reason": rng.choice(("", "x", "\x00" * 20))
            }
            data.pop("name", None) if "new" in address else None
            assert client.post(address, data).status_code in (403, 404, 409, 422), (address, data)
    assert AuditEntry.objects.count() == before
