"""The arena's user may write what it likes under `arena:*`: neither the registrar nor the dispatcher stops for it."""

import json
import uuid

import pytest
import redis

from bots import doorbell
from bots.arena import names
from bots.arena.reports import Refused
from bots.models import BotVersion, MatchRun, RunState
from bots.services import dispatch, sweeps
from bots.services import registrar as role
from bots.services.registrar import GROUP, LAST_ID, Registrar
from bots.services.runs import receive
from games.models import MatchState
from tests.bots.runs_fixtures import queued
from tests.factories import make_bot_match

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_valkey")]

NO_TEXT = b"\xff\xfe"


@pytest.fixture
def leader():
    """A registrar that leads, driven by hand."""
    one = Registrar()
    one._turn()
    yield one
    one._step_down()


def append(*reports) -> None:
    for report in reports:
        doorbell.valkey().xadd(names.REPORTS, {names.REPORT_FIELD: json.dumps(report.to_dict())})


def read(one: Registrar) -> None:
    for _ in range(5):
        one.read_once(block_ms=10)


def play_on(one: Registrar) -> None:
    """A whole match, from the dispatcher to its result."""
    match, worker = queued()
    append(*worker.play())
    read(one)
    match.refresh_from_db()
    assert match.state == MatchState.FINISHED
    assert doorbell.valkey().xpending(names.REPORTS, GROUP)["pending"] == 0


def test_a_lease_that_is_no_text_is_nobodys(leader):
    run_id = str(uuid.uuid4())
    doorbell.valkey().set(names.run_key(run_id), NO_TEXT)
    doorbell.report({"type": "lease_lost", "run_id": run_id})
    play_on(leader)


def test_a_run_whose_lease_is_no_text_is_lost_and_played_again(leader):
    match, worker = queued()
    append(worker.started(), worker.deal())
    read(leader)
    doorbell.valkey().set(names.run_key(worker.job.run_id), NO_TEXT)
    assert sweeps.sweep_leases() == 1
    read(leader)
    assert MatchRun.objects.get(run_id=worker.job.run_id).state == RunState.LOST
    assert match.runs.filter(state=RunState.QUEUED).count() == 1


@pytest.mark.parametrize("kind", ["text", "list", "nothing"])
def test_the_stream_is_made_again_when_something_else_lies_there(leader, kind):
    valkey = doorbell.valkey()
    valkey.delete(names.REPORTS)
    if kind == "text":
        valkey.set(names.REPORTS, NO_TEXT)
    if kind == "list":
        valkey.lpush(names.REPORTS, "x")
    read(leader)
    assert valkey.type(names.REPORTS) == b"stream"
    play_on(leader)


def test_a_registrar_that_begins_finds_no_stream_there_either():
    doorbell.valkey().set(names.REPORTS, "x")
    one = Registrar()
    one._turn()
    try:
        play_on(one)
    finally:
        one._step_down()


def test_a_stream_that_takes_no_more_entries_is_begun_anew(leader):
    valkey = doorbell.valkey()
    valkey.xadd(names.REPORTS, {"report": "x"}, id=LAST_ID)
    with pytest.raises(redis.ResponseError, match="exhausted"):
        valkey.xadd(names.REPORTS, {"report": "x"})
    read(leader)
    play_on(leader)


def test_a_report_that_cannot_be_taken_is_dropped_and_the_others_are_stored(leader, monkeypatch, caplog):
    def fails_at_one(reports):
        if any(b"poison" in report for report in reports):
            raise TypeError("a bug")
        return receive_many(reports)

    receive_many = role.receive_many
    monkeypatch.setattr(role, "receive_many", fails_at_one)
    doorbell.valkey().xadd(names.REPORTS, {"report": "poison"})
    play_on(leader)
    assert "report.dropped" in caplog.text


def test_no_error_ends_the_role(monkeypatch):
    one = Registrar()
    turns = []

    def turn():
        turns.append(1)
        if len(turns) == 3:
            one.stop()
        raise TypeError("a bug")

    monkeypatch.setattr(role, "RETRY_S", 0.01)
    monkeypatch.setattr(one, "_turn", turn)
    one.run()
    assert len(turns) == 3


@pytest.mark.parametrize(
    ("queue", "length"), [("arena", doorbell.waiting_blocks), ("qualify", doorbell.waiting_checks)]
)
def test_what_lies_in_the_place_of_a_queue_is_taken_away(queue, length):
    doorbell.valkey().set(names.KEY_PREFIX + queue, NO_TEXT)
    assert length() == 0
    assert not doorbell.valkey().exists(names.KEY_PREFIX + queue)


def test_matches_are_handed_out_although_their_queue_was_something_else():
    doorbell.valkey().set(names.KEY_PREFIX + names.PLAY_QUEUE, "x")
    make_bot_match()
    assert dispatch.fill() == 1
    assert doorbell.waiting_blocks() == 1


def test_a_key_that_holds_no_file_counts_as_missing():
    doorbell.put_bot("aa", b"zip")
    doorbell.valkey().lpush(names.bot_key("bb"), "x")
    doorbell.valkey().set(names.bot_key("cc"), b"")
    assert doorbell.missing_bots(["aa", "bb", "cc", "dd"]) == ["bb", "cc", "dd"]
    doorbell.put_bot("bb", b"zip")
    assert doorbell.missing_bots(["aa", "bb"]) == []


@pytest.mark.parametrize("reason", ["no_files", "wrong_files"])
def test_files_that_the_arena_calls_wrong_are_laid_down_again(reason):
    match, worker = queued()
    keys = [names.bot_key(seat.sha256) for seat in worker.job.seats]
    for key in keys:
        doorbell.valkey().set(key, b"poison")
    receive(Refused(run_id=worker.job.run_id, nonce=worker.nonce, seq=0, reason=reason).to_dict())
    laid = [doorbell.valkey().get(key) for key in keys]
    assert b"poison" not in laid
    assert match.runs.filter(state=RunState.QUEUED).count() == 1
    assert BotVersion.objects.filter(sha256__in=[seat.sha256 for seat in worker.job.seats]).count() == 2
    assert all(value is not None and value.startswith(b"PK") for value in laid)
