"""The one sender to the arena: what it sends, and what it never shows."""

import json
import logging

import pytest
from celery import current_app

from bots import doorbell
from bots import tasks as bots_tasks
from bots.services import dispatch
from league import tasks as league_tasks
from tests.bots.messages import arena_messages
from tests.factories import make_bot_match

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_valkey")]

SEED = bytes.fromhex("5eed" * 16)


@pytest.fixture
def everything_logged(caplog):
    with caplog.at_level(logging.DEBUG):
        yield caplog


def test_the_seed_is_in_the_body_of_the_message_and_nowhere_else(everything_logged):
    make_bot_match(seed=SEED)
    dispatch.fill()

    (message,) = arena_messages()
    assert message.jobs[0].seed == SEED.hex()
    assert message.raw["headers"]["argsrepr"] == "<1 jobs>"
    without_body = {name: value for name, value in message.raw.items() if name != "body"}
    for hidden in (SEED.hex(), str(SEED), repr(SEED)):
        assert hidden not in json.dumps(without_body)
        assert hidden not in everything_logged.text
        assert hidden not in repr(message.jobs)
    assert "arena.play" in everything_logged.text or everything_logged.records


def test_the_site_sends_from_an_application_of_its_own():
    make_bot_match()
    dispatch.fill()
    (message,) = arena_messages()
    assert message.raw["headers"]["task"] == "arena.play"
    assert current_app.main == "bella"
    assert doorbell._producer().main == "arena-producer"
    # The site's own tasks go where its worker reads, not to the queues of the arena.
    assert {task.app.main for task in (bots_tasks.dispatch, league_tasks.tick)} == {"bella"}


def test_every_key_of_the_hand_over_is_one_of_the_arenas():
    """The arena's user may touch arena:* only, so what it needs must lie there."""
    make_bot_match()
    dispatch.fill()
    doorbell.stop("run")
    doorbell.report({"type": "lease_lost", "run_id": "run"})
    keys = {key.decode() for key in doorbell.valkey().scan_iter("*")}
    assert {"arena:arena", "arena:stop:run", "arena:reports"} <= keys
    others = {key for key in keys if not key.startswith(("arena:", "bots:", "cache", "_kombu", "default"))}
    assert others == set()


def test_leases_are_read_together():
    doorbell.valkey().set("arena:run:a", "nonce")
    assert doorbell.leases(["a", "b"]) == {"a": "nonce"}
    assert doorbell.leases([]) == {}


def test_missing_files_are_found_and_the_others_kept():
    doorbell.put_bot("aa", b"zip")
    doorbell.valkey().expire("arena:bot:aa", 3)
    assert doorbell.missing_bots(["aa", "bb", "bb"]) == ["bb"]
    assert doorbell.valkey().ttl("arena:bot:aa") > 80_000
