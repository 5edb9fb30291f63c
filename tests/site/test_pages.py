"""Every address of the site: who gets what, what broken input does, how many queries a list takes."""

import random
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver

from tests.api import test_permissions as api_tables
from tests.factories import make_version
from tests.site.addresses import ELSEWHERE, READ, WRITE
from tests.site.world import ONE_DEAL, VIEWERS, World, make_tournament, make_world

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]


@contextmanager
def taken_back() -> Iterator[None]:
    """Whatever the block writes is undone at its end."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def client_of(world: World, viewer: str) -> Client:
    client = Client(headers={"accept-language": "en"})
    if (person := world.people[viewer]) is not None:
        client.force_login(person)
    return client


def names(resolver: URLResolver, spaces: tuple[str, ...] = ()) -> Iterator[str]:
    """The full name of every address below a resolver, but for Django's admin (tests/site/test_admin.py)."""
    for entry in resolver.url_patterns:
        if isinstance(entry, URLPattern):
            yield ":".join([*spaces, entry.name or ""])
        elif entry.namespace != "admin":
            yield from names(entry, (*spaces, entry.namespace) if entry.namespace else spaces)


def api_addresses() -> set[str]:
    """Names of the addresses that the tables of the API reach."""
    calls = [f"GET {path}" for path in api_tables.READ] + list(api_tables.WRITE)
    fill = (
        {"bot": "x", "uploaded": "x", "league": "x", "private": "x", "player": "x"}
        | dict.fromkeys(("finished", "hidden", "open", "draft", "match", "secret"), "abcd1234")
        | {"entry": "1"}
    )
    paths = [call.split()[1] if len(call.split()) > 1 else "" for call in calls]
    return {get_resolver().resolve("/api/v1/" + path.format(**fill).split("?")[0]).view_name for path in paths}


def test_every_address_is_in_a_table():
    ours = {name for name in names(get_resolver()) if not name.startswith("api:")}
    assert ours - set(READ) == ELSEWHERE
    assert set(READ) - ours == set()
    of_api = {name for name in names(get_resolver()) if name.startswith("api:")}
    assert of_api - api_addresses() - {"api:schema", "api:docs", "api:"} == set()


def test_addresses_of_the_table_are_those_of_their_names():
    made_up = {"token": "abc", "notice": 1, "game": 1, "test_game": 1, "entry": 1, "open_entry": 1} | dict.fromkeys(
        (
            "match",
            "waiting_match",
            "faulty",
            "table",
            "tournament",
            "running",
            "ready",
            "open",
            "draft",
            "hand",
            "hidden",
        ),
        "abcd1234",
    )
    texts = ("league", "private", "bot", "checked", "free_bot", "player", "member", "invitation")
    fill = dict.fromkeys(texts, "x") | made_up
    for name, cases in READ.items():
        for path, _statuses in cases:
            assert get_resolver().resolve(path.format(**fill).split("?")[0]).view_name == name, path


def test_who_gets_which_page():
    world = make_world()
    found, wanted = {}, {}
    for viewer in VIEWERS:
        client = client_of(world, viewer)
        for cases in READ.values():
            for path, statuses in cases:
                with taken_back():
                    found[path, viewer] = client.get(path.format(**world.places)).status_code
                wanted[path, viewer] = int(statuses.split()[VIEWERS.index(viewer)])
    wrong = [f"{key} {status}" for key, status in found.items() if status != wanted[key]]
    assert not wrong, "\n".join(wrong)


def test_who_may_do_what():
    world = make_world()
    found, wanted = {}, {}
    for viewer in VIEWERS:
        client = client_of(world, viewer)
        for path, form, statuses in WRITE:
            sent = {name: value.format(**world.places) if "{" in value else value for name, value in form.items()}
            with taken_back():
                status = client.post(path.format(**world.places), sent).status_code
            found[path, viewer, str(sent)[:60]] = status
            wanted[path, viewer, str(sent)[:60]] = int(statuses.split()[VIEWERS.index(viewer)])
    wrong = [f"{key} {status}" for key, status in found.items() if status != wanted[key]]
    assert not wrong, "\n".join(wrong)


def test_no_form_is_taken_without_the_key_of_its_page():
    world = make_world()
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.person("admin"))
    for path, _form, _statuses in WRITE:
        assert client.post(path.format(**world.places), {}).status_code == 403, path


# -- broken input ---------------------------------------------------------------------------------------------------

NASTY = [
    "", " ", "0", "-1", "1e9", "9" * 40, "½", "٣", "null", "None", "\x00", "%", "%00", "'; drop table x",
    "<b>x</b>", "{{ 7|add:7 }}", "%(name)s", "../../etc/passwd", "😀" * 30, "a" * 5000, "\u202e", "[]", "2026-13-45",
]  # fmt: skip
PARAMETERS = (
    "q", "before", "after", "state", "result", "player", "league", "tournament", "round", "board", "d", "c", "code",
    "pool", "seen", "next", "page", "audience", "show", "compare", "with", "rules",
)  # fmt: skip


def test_broken_query_strings_break_no_page():
    world = make_world()
    rng = random.Random(11)
    pages = sorted({path.split("?")[0] for cases in READ.values() for path, _ in cases})
    for viewer in ("anonymous", "admin"):
        client = client_of(world, viewer)
        for path in pages:
            address = path.format(**world.places)
            for _ in range(3):
                query = {name: rng.choice(NASTY) for name in rng.sample(PARAMETERS, 6)}
                with taken_back():
                    answer = client.get(address, query, headers={"hx-request": rng.choice(["true", "false"])})
                assert answer.status_code < 500, (address, query)


def test_lists_take_every_nasty_value():
    world = make_world()
    rng = random.Random(7)
    client = client_of(world, "owner")
    lists = ["/leagues/", "/tournaments/", "/matches/", "/rankings/", "/bots/", "/matches/export.json",
             "/rankings/export.csv", "/tournaments/{tournament}/matches/", "/matches/{match}/replay/"]  # fmt: skip
    for path in lists:
        for value in NASTY:
            query = dict.fromkeys(rng.sample(PARAMETERS, 4), value)
            assert client.get(path.format(**world.places), query).status_code < 500, (path, query)


FIELD = re.compile(r'<(?:input|textarea|select|button)\b[^>]*\bname="([^"]+)"')


def test_broken_forms_are_refused_and_break_nothing():
    world = make_world()
    rng = random.Random(5)
    addresses = dict.fromkeys(path for path, _form, _statuses in WRITE if path != "/account/logout/")
    for viewer in ("owner", "admin"):
        client = client_of(world, viewer)
        for path in addresses:
            address = path.format(**world.places)
            page = client.get(address)
            fields = set(FIELD.findall(page.content.decode())) if page.status_code == 200 else set()
            known = sorted({*(name for one, form, _ in WRITE if one == path for name in form), *fields})
            for _ in range(4):
                sent = {name: rng.choice(NASTY) for name in known if rng.random() < 0.8}
                with taken_back():
                    assert client.post(address, sent).status_code < 500, (address, sent)


def test_addresses_with_odd_parts_are_not_found():
    world = make_world()
    client = client_of(world, "admin")
    paths = [
        "/leagues/{}/", "/tournaments/{}/", "/matches/{}/", "/bots/{}/", "/players/{}/", "/organise/{}/",
        "/bots/{}/versions/1/", "/my/bots/{}/", "/tournaments/{}/rounds/", "/matches/{}/record.json",
    ]  # fmt: skip
    for odd in ("%00", "%F0%9F%98%80", "a" * 300, "..%2f..", "%25", "0000", "-"):
        for path in paths:
            assert client.get(path.format(odd)).status_code == 404, path.format(odd)
    huge = "9" * 25
    for path in ("/bots/velabot/versions/{}/", "/players/{}/", "/tournaments/{{tournament}}/standings/{}/"):
        assert client.get(path.format(huge).format(**world.places)).status_code == 404, path


# -- lists -------------------------------------------------------------------------------------------------------------

LISTS = [
    "/", "/now/", "/play/", "/play/open/", "/leagues/", "/tournaments/", "/matches/", "/matches/?state=waiting",
    "/rankings/", "/bots/",
    "/leagues/{league}/", "/leagues/{league}/members/", "/leagues/{league}/tournaments/", "/leagues/{league}/log/",
    "/leagues/{league}/join/", "/organise/", "/organise/{league}/", "/organise/{league}/members/", "/my/bots/",
    "/inbox/", "/players/{player}/", "/bots/{bot}/", "/matches/export.json", "/rankings/export.csv", "/status/",
]  # fmt: skip
#: Pages of one tournament, compared between a small and a larger one.
OF_ONE = [
    "/tournaments/{one}/", "/tournaments/{one}/rounds/", "/tournaments/{one}/matches/", "/tournaments/{one}/entries/",
    "/tournaments/{one}/log/", "/tournaments/{one}/standings.csv", "/organise/{league}/tournaments/{one}/",
]  # fmt: skip


def queries(client: Client, address: str) -> int:
    client.get(address)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200, address
    return len(captured)


@pytest.mark.parametrize("viewer", ["anonymous", "organiser"])
def test_lists_take_the_same_number_of_queries_whatever_their_length(viewer):
    world = make_world()
    client = client_of(world, viewer)
    organiser = world.person("organiser")
    pages = [path.format(**world.places) for path in LISTS]
    pages = [path for path in pages if client.get(path).status_code == 200]
    before = {path: queries(client, path) for path in pages}
    versions = [make_version() for _ in range(8)]
    make_tournament(world.league, organiser, "Altra", versions[:5], until="finished")
    make_tournament(world.league, organiser, "Lampo", versions, until="finished", settings=ONE_DEAL)
    make_tournament(world.league, organiser, "Ancora", versions, until="running")
    assert {path: queries(client, path) for path in pages} == before
    assert max(before.values()) <= 35

    small = make_tournament(world.league, organiser, "Piccola", versions[:3], until="finished", settings=ONE_DEAL)
    large = make_tournament(world.league, organiser, "Grande", versions, until="finished", settings=ONE_DEAL)
    for path in OF_ONE:
        counts = []
        for one in (small, large):
            address = path.format(one=one.code, **world.places)
            if client.get(address).status_code == 200:
                counts.append(queries(client, address))
        assert len(set(counts)) <= 1, (path, counts)
