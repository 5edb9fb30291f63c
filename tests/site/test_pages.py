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
from tests.site.world import ONE_DEAL, VIEWERS, World, make_tournament, make_world

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]

ALL = "200 200 200 200 200 200"
SIGNED_IN = "302 200 200 200 200 200"
NEVER_READ = "405 405 405 405 405 405"
POST_ONLY = "302 405 405 405 405 405"
NEVER_READ = "405 405 405 405 405 405"
OWNERS = "302 404 404 200 404 200"
#: An organiser's page: nobody signs in, others are refused.
ORGANISERS = "302 403 403 403 200 200"

#: Name of the address -> the address, and the status of a GET for each of VIEWERS.
READ: dict[str, list[tuple[str, str]]] = {
    "healthz": [("/healthz", ALL)],
    "metrics": [("/metrics", "404 404 404 404 404 404")],
    # -- accounts
    "account_login": [("/account/login/", "200 302 302 302 302 302")],
    "account_logout": [("/account/logout/", SIGNED_IN)],
    "account_inactive": [("/account/inactive/", ALL)],
    "account_signup": [("/account/signup/", "200 302 302 302 302 302")],
    "account_reauthenticate": [("/account/reauthenticate/", SIGNED_IN)],
    "account_email": [("/account/email/", SIGNED_IN)],
    "account_email_verification_sent": [("/account/confirm-email/", ALL)],
    "account_confirm_email": [("/account/confirm-email/abc/", ALL)],
    "account_change_password": [("/account/password/change/", SIGNED_IN)],
    "account_set_password": [("/account/password/set/", "302 302 302 302 302 302")],
    "account_reset_password": [("/account/password/reset/", ALL)],
    "account_reset_password_done": [("/account/password/reset/done/", ALL)],
    "account_reset_password_from_key": [("/account/password/reset/key/1-abc/", ALL)],
    "account_reset_password_from_key_done": [("/account/password/reset/key/done/", ALL)],
    "mfa_index": [("/account/2fa/", SIGNED_IN)],
    "mfa_authenticate": [("/account/2fa/authenticate/", "302 302 302 302 302 302")],
    "mfa_reauthenticate": [("/account/2fa/reauthenticate/", "302 302 302 302 302 200")],
    "mfa_activate_totp": [("/account/2fa/totp/activate/", "302 302 302 302 302 302")],
    "mfa_deactivate_totp": [("/account/2fa/totp/deactivate/", "302 404 404 404 404 302")],
    "mfa_view_recovery_codes": [("/account/2fa/recovery-codes/", "302 404 404 404 404 302")],
    "mfa_generate_recovery_codes": [("/account/2fa/recovery-codes/generate/", "302 302 302 302 302 302")],
    "mfa_download_recovery_codes": [("/account/2fa/recovery-codes/download/", "302 404 404 404 404 302")],
    "accounts:preferences": [("/preferences/", "405 405 405 405 405 405")],
    "accounts:settings": [("/settings/", SIGNED_IN)],
    "accounts:tokens": [("/settings/tokens/", SIGNED_IN)],
    "accounts:token-revoke": [("/settings/tokens/{token}/revoke/", POST_ONLY)],
    "accounts:inbox": [("/inbox/", SIGNED_IN)],
    "accounts:inbox-read": [("/inbox/read/", POST_ONLY)],
    "accounts:notice": [("/inbox/{notice}/", POST_ONLY)],
    "robots": [("/robots.txt", ALL)],
    "favicon": [("/favicon.ico", "302 302 302 302 302 302")],
    # -- games
    "games:record-json": [
        ("/matches/{match}/record.json", ALL),
        ("/matches/none/record.json", "404 404 404 404 404 404"),
    ],
    "games:analysis": [
        ("/matches/{match}/analysis.json", "202 202 202 202 202 202"),
        ("/matches/{waiting_match}/analysis.json", "409 409 409 409 409 409"),
        ("/matches/none/analysis.json", "404 404 404 404 404 404"),
    ],
    "games:picture": [
        ("/matches/{match}/og.png", "200 200 200 200 200 200"),
        ("/matches/{waiting_match}/og.png", "302 302 302 302 302 302"),
        ("/matches/none/og.png", "404 404 404 404 404 404"),
    ],
    "games:record-text": [("/matches/{match}/record.bella", ALL)],
    "games:state": [
        ("/matches/{match}/state", ALL),
        ("/matches/{waiting_match}/state", ALL),
        ("/matches/none/state", "404 404 404 404 404 404"),
    ],
    "games:embedded-state": [("/embed/matches/{match}/state", ALL)],
    "games:plays": [("/matches/{match}/plays", NEVER_READ)],
    "games:ready": [("/matches/{match}/ready", NEVER_READ)],
    "games:resign": [("/matches/{match}/resign", NEVER_READ)],
    "games:claim-absence": [("/matches/{match}/claim-absence", NEVER_READ)],
    "games:call": [("/matches/{match}/call", NEVER_READ)],
    "games:signs": [("/matches/{match}/signs", NEVER_READ)],
    "games:undo": [("/matches/{match}/undo", NEVER_READ)],
    "games:show-hands": [("/matches/{match}/show-hands", NEVER_READ)],
    "games:hint": [("/matches/{match}/hint", NEVER_READ)],
    "games:events": [  # what comes down them: tests/games/test_live_streams.py
        ("/matches/{match}/events", ALL),
        ("/matches/none/events", "404 404 404 404 404 404"),
    ],
    "games:my-events": [("/me/events", "401 200 200 200 200 200")],
    "games:learn": [("/learn/", ALL)],
    "games:first-game": [("/learn/first-game/", ALL)],
    "games:rules": [("/learn/rules/", ALL), ("/learn/rules/?rules=n%3D4+redraw%3DA3", ALL)],
    "games:how-to-play": [("/learn/how-to-play/", ALL)],
    "games:scoring": [("/learn/scoring/", ALL)],
    "games:tips": [("/learn/tips/", ALL)],
    "games:pairs": [("/learn/pairs/", ALL)],
    "games:presets": [("/learn/presets/", ALL)],
    "games:glossary": [("/learn/glossary/", ALL)],
    # -- bots
    "bots:learn": [("/learn/bots/", ALL)],
    "bots:learn-schema": [("/learn/bots/protocol.schema.json", ALL)],
    "bots:learn-file": [("/learn/bots/my_bot.py", ALL), ("/learn/bots/nobody.py", "404 404 404 404 404 404")],
    "bots:learn-source": [("/learn/bots/esperto/", ALL), ("/learn/bots/nobody/", "404 404 404 404 404 404")],
    "bots:mine": [("/my/bots/", SIGNED_IN)],
    "bots:manage": [("/my/bots/{bot}/", OWNERS)],
    "bots:version": [("/bots/{checked}/versions/1/", ALL), ("/bots/{bot}/versions/9/", "404 404 404 404 404 404")],
    "bots:checks": [("/bots/{checked}/versions/1/checks/", "404 404 404 200 404 200")],
    "bots:source": [("/bots/{checked}/versions/1/source/", "403 403 403 200 403 200")],
    "bots:code": [("/bots/{checked}/versions/1/code/", "403 403 403 200 403 200")],
    "bots:diff": [("/bots/{checked}/versions/1/diff/", "403 403 403 404 403 404")],
    "bots:faults": [("/my/bots/{bot}/faults/", "404 404 404 200 404 200")],
    "bots:log": [
        ("/matches/{faulty}/logs/", "403 403 403 200 403 200"),
        ("/matches/none/logs/", "404 404 404 404 404 404"),
    ],
    "bots:log-jsonl": [("/matches/{faulty}/logs.jsonl", "403 403 403 200 403 200")],
    "bots:settings": [("/my/bots/{bot}/settings/", OWNERS)],
    "bots:ask-mate": [("/my/bots/{bot}/team/", POST_ONLY)],
    "bots:accept-mate": [("/my/bots/{bot}/team/accept/", POST_ONLY)],
    "bots:end-mate": [("/my/bots/{bot}/team/1/end/", POST_ONLY)],
    "bots:delete": [("/my/bots/{bot}/delete/", POST_ONLY)],
    "bots:tests": [("/my/bots/{bot}/tests/", OWNERS)],
    "bots:test-game": [("/my/bots/{bot}/tests/{test_game}/", OWNERS)],
    "bots:cancel-test": [("/my/bots/{bot}/tests/{test_game}/cancel/", POST_ONLY)],
    "bots:game": [("/bots/{checked}/versions/1/games/{game}/", "404 404 404 200 404 200")],
    "bots:activate": [("/bots/{checked}/versions/1/activate/", POST_ONLY)],
    "bots:retire": [("/bots/{checked}/versions/1/retire/", POST_ONLY)],
    "bots:check": [("/bots/{checked}/versions/1/check/", POST_ONLY)],
    # -- leagues, tournaments, matches, rankings
    "league:home": [("/", ALL)],
    "league:now": [("/now/", ALL)],
    "league:practice": [("/practice/", NEVER_READ)],
    "league:play": [("/play/", ALL), ("/play/?with=velabot", ALL)],
    "league:play-open": [("/play/open/", ALL)],
    "league:keep-games": [("/play/keep/", POST_ONLY)],
    "league:invitation-make": [("/play/invitations/", POST_ONLY)],
    "league:invitation": [
        ("/play/invitations/{invitation}/", ALL),
        ("/play/invitations/nobody/", "404 404 404 404 404 404"),
    ],
    "league:invitation-accept": [("/play/invitations/{invitation}/accept/", NEVER_READ)],
    "league:invitation-decline": [("/play/invitations/{invitation}/decline/", NEVER_READ)],
    "league:invitation-withdraw": [("/play/invitations/{invitation}/withdraw/", NEVER_READ)],
    "league:rematch": [("/matches/{match}/rematch", NEVER_READ)],
    "league:leagues": [("/leagues/", ALL), ("/leagues/?q=nord&audience=bots", ALL)],
    "league:league-new": [("/leagues/new/", SIGNED_IN)],
    "league:league": [("/leagues/{league}/", ALL), ("/leagues/{private}/", "404 404 404 404 200 200")],
    "league:league-members": [
        ("/leagues/{league}/members/", ALL),
        ("/leagues/{private}/members/", "404 404 404 404 200 200"),
    ],
    "league:league-tournaments": [
        ("/leagues/{league}/tournaments/", ALL),
        ("/leagues/{private}/tournaments/", "404 404 404 404 200 200"),
    ],
    "league:league-log": [("/leagues/{league}/log/", ALL), ("/leagues/{private}/log/", "404 404 404 404 200 200")],
    "league:join": [("/leagues/{league}/join/", SIGNED_IN), ("/leagues/{private}/join/", "302 404 404 404 200 200")],
    "league:leave": [("/leagues/{league}/leave/", POST_ONLY)],
    "league:tournaments": [("/tournaments/", ALL), ("/tournaments/?state=over&q=coppa", ALL)],
    "league:tournament": [
        ("/tournaments/{tournament}/", ALL),
        ("/tournaments/{running}/", ALL),
        ("/tournaments/{open}/", ALL),
        ("/tournaments/{draft}/", "404 404 404 404 200 200"),
        ("/tournaments/{hidden}/", "404 404 404 404 200 200"),
    ],
    "league:tournament-csv": [
        ("/tournaments/{tournament}/standings.csv", ALL),
        ("/tournaments/{open}/standings.csv", ALL),
    ],
    "league:tournament-explained": [("/tournaments/{tournament}/standings/{entry}/", ALL)],
    "league:tournament-rounds": [("/tournaments/{tournament}/rounds/", ALL), ("/tournaments/{open}/rounds/", ALL)],
    "league:tournament-matches": [("/tournaments/{tournament}/matches/", ALL), ("/tournaments/{open}/matches/", ALL)],
    "league:tournament-entries": [
        ("/tournaments/{tournament}/entries/", ALL),
        ("/tournaments/{open}/entries/", ALL),
        ("/tournaments/{draft}/entries/", "404 404 404 404 200 200"),
    ],
    "league:enter": [("/tournaments/{open}/enter/", POST_ONLY)],
    "league:withdraw": [("/tournaments/{open}/entries/{open_entry}/withdraw/", POST_ONLY)],
    "league:tournament-rules": [
        ("/tournaments/{tournament}/rules/", ALL),
        ("/tournaments/{draft}/rules/", "404 404 404 404 200 200"),
    ],
    "league:tournament-log": [("/tournaments/{tournament}/log/", ALL)],
    "league:matches": [("/matches/", ALL), ("/matches/?state=waiting", ALL)],
    "league:matches-csv": [("/matches/export.csv", ALL)],
    "league:matches-json": [("/matches/export.json", ALL)],
    "league:match": [
        ("/matches/{match}/", ALL),
        ("/matches/{waiting_match}/", ALL),
        ("/matches/none/", "404 404 404 404 404 404"),
    ],
    "league:replay": [("/matches/{match}/replay/", ALL), ("/matches/{waiting_match}/replay/", ALL)],
    "league:table": [
        ("/matches/{table}/table/", ALL),
        ("/matches/{match}/table/", "302 302 302 302 302 302"),
        ("/matches/none/table/", "404 404 404 404 404 404"),
    ],
    "league:rankings": [("/rankings/", ALL)],
    "league:rankings-csv": [("/rankings/export.csv", ALL)],
    "league:rankings-json": [("/rankings/export.json", ALL)],
    "league:bots": [("/bots/", ALL)],
    "league:bot": [("/bots/{bot}/", ALL), ("/bots/nobody/", "404 404 404 404 404 404")],
    "league:player": [("/players/{player}/", ALL)],
    "league:status": [("/status/", ALL)],
    # -- organisers
    "league:organise": [("/organise/", SIGNED_IN)],
    "league:match-rerun": [("/organise/matches/{match}/rerun/", ORGANISERS)],
    "league:organise-league": [
        ("/organise/{league}/", ORGANISERS),
        ("/organise/{private}/", "302 404 404 404 200 200"),
    ],
    "league:organise-invitation": [("/organise/{league}/invitation/", ORGANISERS)],
    "league:organise-settings": [("/organise/{league}/settings/", ORGANISERS)],
    "league:organise-league-deed": [
        ("/organise/{league}/league/pause/", ORGANISERS),
        ("/organise/{league}/league/nothing/", "302 403 403 403 404 404"),
    ],
    "league:organise-members": [("/organise/{league}/members/", ORGANISERS)],
    "league:organise-role": [("/organise/{league}/members/{member}/role/", ORGANISERS)],
    "league:organise-member-deed": [
        ("/organise/{league}/members/{bot}/suspend/", ORGANISERS),
        ("/organise/{league}/members/{bot}/ban/", ORGANISERS),
    ],
    "league:organise-tournament-new": [("/organise/{league}/tournaments/new/", ORGANISERS)],
    "league:organise-tournament": [
        (f"/organise/{{league}}/tournaments/{{{state}}}/", ORGANISERS)
        for state in ("draft", "open", "ready", "running", "tournament", "hand")
    ],
    "league:organise-preview": [
        ("/organise/{league}/tournaments/{ready}/preview/", ORGANISERS),
        ("/organise/{league}/tournaments/{open}/preview/", "302 403 403 403 409 409"),
    ],
    "league:organise-tournament-settings": [
        (f"/organise/{{league}}/tournaments/{{{state}}}/settings/", ORGANISERS)
        for state in ("draft", "open", "running")
    ],
    "league:organise-release": [("/organise/{league}/tournaments/{hand}/rounds/1/release/", ORGANISERS)],
    "league:organise-refuse-entry": [
        ("/organise/{league}/tournaments/{open}/entries/{open_entry}/refuse/", ORGANISERS)
    ],
    "league:organise-tournament-deed": [
        ("/organise/{league}/tournaments/{running}/pause/", ORGANISERS),
        ("/organise/{league}/tournaments/{running}/cancel/", ORGANISERS),
    ],
}
#: Addresses that allauth has and this site does not use: no code by mail instead of a password.
ELSEWHERE = {
    "account_request_reauthentication_code", "account_confirm_reauthentication_code", "account_confirm_login_code",
}  # fmt: skip

REASON = {"reason": "The hall is closed for an hour."}
#: Address of a POST, its form -> the status for each of VIEWERS; each finds the site as it was made.
WRITE: list[tuple[str, dict[str, str], str]] = [
    ("/preferences/", {"theme": "dark", "next": "/"}, "303 303 303 303 303 303"),
    ("/settings/", {}, "302 422 422 422 422 422"),
    ("/settings/tokens/", {"name": "x", "scopes": "read", "days": "30"}, "302 200 200 200 200 200"),
    ("/settings/tokens/{token}/revoke/", {}, "302 302 302 302 302 302"),
    ("/inbox/read/", {}, "302 302 302 302 302 302"),
    ("/inbox/{notice}/", {}, "302 404 404 302 404 404"),
    ("/inbox/999999/", {}, "302 404 404 404 404 404"),
    ("/my/bots/", {"name": "Nuovo", "source": "def play(view):\n    return view.hand[0]\n"}, "302 302 302 302 302 302"),
    ("/my/bots/{checked}/", {"source": "def play(view):\n    return view.hand[1]\n"}, "302 404 404 302 404 403"),
    ("/my/bots/{bot}/settings/", {"about": "x"}, "302 404 404 302 404 302"),
    ("/my/bots/{bot}/team/", {"name": "Sara Neri"}, "302 404 404 302 404 302"),
    ("/my/bots/{bot}/team/accept/", {}, "302 302 302 302 302 302"),
    ("/my/bots/{bot}/team/0/end/", {}, "302 404 404 302 404 302"),
    ("/my/bots/{bot}/tests/", {"pairs": "99"}, "302 404 404 422 404 422"),
    ("/my/bots/{bot}/tests/{test_game}/cancel/", {}, "302 404 404 302 404 302"),
    ("/my/bots/{bot}/delete/", {"confirm": "no"}, "302 404 404 302 404 302"),
    ("/bots/{checked}/versions/1/activate/", {}, "302 404 404 302 404 302"),
    ("/bots/{checked}/versions/1/retire/", {"confirm": "v1"}, "302 404 404 302 404 302"),
    ("/bots/{checked}/versions/1/check/", {}, "302 404 404 302 404 302"),
    ("/leagues/new/", {"name": "Lega Nuova", "audience": "bots", "joining": "open", "visibility": "public",
                       "bots_per_owner": "2", "redraw": "none", "tie": "draw"}, "302 302 302 302 302 302"),
    ("/leagues/{league}/join/", {"player": "{free_bot}"}, "302 404 404 302 404 404"),
    ("/leagues/{league}/join/", {"player": "{bot}"}, "302 404 404 409 404 404"),
    ("/leagues/{league}/leave/", {"player": "{member}"}, "302 404 302 404 404 404"),
    ("/tournaments/{open}/enter/", {"player": "{free_bot}"}, "302 404 404 409 404 404"),
    ("/tournaments/{open}/entries/{open_entry}/withdraw/", {}, "302 403 403 302 403 302"),
    ("/organise/matches/{match}/rerun/", REASON, "302 403 403 403 302 302"),
    ("/organise/{league}/settings/", {"audience": "cats"}, "302 403 403 403 422 422"),
    ("/organise/{private}/invitation/", {}, "302 404 404 404 302 302"),
    ("/organise/{league}/league/pause/", REASON, "302 403 403 403 302 302"),
    ("/organise/{league}/members/{member}/role/", {"role": "arbiter"}, "302 403 403 403 302 302"),
    ("/organise/{league}/members/{bot}/suspend/", REASON, "302 403 403 403 302 302"),
    ("/organise/{league}/members/{bot}/ban/", REASON, "302 403 403 403 302 302"),
    ("/organise/{league}/members/{bot}/accept/", {}, "302 403 403 403 409 409"),
    ("/organise/{league}/tournaments/new/", {
        "name": "Nuova", "double": "no", "encounter": "2", "mirrored": "on", "best_of": "3",
        "encounter_scoring": "outcome", "control": "automatic", "release_every_s": "0", "min_entries": "3",
        "redraw": "none", "tie": "draw",
     }, "302 403 403 403 302 302"),
    ("/organise/{league}/tournaments/{open}/entries/{open_entry}/refuse/", REASON, "302 403 403 403 302 302"),
    ("/organise/{league}/tournaments/{hand}/rounds/1/release/", {}, "302 403 403 403 302 302"),
    ("/organise/{league}/tournaments/{draft}/open/", {}, "302 403 403 403 302 302"),
    ("/organise/{league}/tournaments/{open}/close/", {}, "302 403 403 403 409 409"),
    ("/organise/{league}/tournaments/{ready}/start/", {}, "302 403 403 403 302 302"),
    ("/organise/{league}/tournaments/{running}/pause/", REASON, "302 403 403 403 302 302"),
    ("/organise/{league}/tournaments/{running}/resume/", {}, "302 403 403 403 409 409"),
    ("/organise/{league}/tournaments/{running}/cancel/", REASON | {"typed": "Coppa d’Inverno"},
     "302 403 403 403 302 302"),
    *((f"/matches/{{match}}/{verb}", {}, "401 403 403 403 403 403") for verb in (
        "plays", "ready", "resign", "claim-absence", "call", "signs", "undo", "show-hands", "hint",
    )),
    ("/practice/", {"level": "medio", "players": "2", "first_to": "2", "clock": "none"}, "409 409 409 409 409 409"),
    ("/play/keep/", {"keep": "yes"}, "302 302 302 302 302 302"),
    ("/play/invitations/", {"how": "link", "players": "2", "preset": "fantacarte", "length": "first_to:2",
                            "clock": "180+5"}, "302 303 303 303 303 303"),
    ("/play/invitations/{invitation}/accept/", {}, "302 303 303 409 303 303"),
    ("/play/invitations/{invitation}/decline/", {}, "302 403 403 403 403 403"),
    ("/play/invitations/{invitation}/withdraw/", {}, "302 403 403 303 403 403"),
    ("/matches/{match}/rematch", {}, "401 403 403 403 403 403"),
    ("/account/logout/", {}, "302 302 302 302 302 302"),
]  # fmt: skip


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
