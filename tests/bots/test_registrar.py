"""The registrar: reads the stream once, in order, stores before it acknowledges, and makes its group again."""

import json
import threading

import pytest
from django.db import OperationalError, connection

from bots import doorbell
from bots.arena import names
from bots.models import MatchRun, RunState
from bots.services import registrar as role
from bots.services import sweeps
from bots.services.registrar import CONSUMER, GROUP, LEADER_LOCK, Registrar
from games.models import Heartbeat, MatchState
from games.services import heartbeats
from games.services.connections import outside_pool
from tests.bots.runs_fixtures import queued
from tests.conftest import poll

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_valkey")]


def append(*reports) -> None:
    for report in reports:
        doorbell.valkey().xadd(names.REPORTS, {names.REPORT_FIELD: json.dumps(report.to_dict())})


def pending() -> int:
    return doorbell.valkey().xpending(names.REPORTS, GROUP)["pending"]


@pytest.fixture
def leader():
    """A registrar that leads, driven by hand."""
    one = Registrar()
    one._turn()
    yield one
    one._step_down()


def read(one: Registrar) -> int:
    total = 0
    for _ in range(4):
        total += one.read_once(block_ms=10)
    return total


def test_reports_in_the_stream_become_a_finished_match(leader):
    match, worker = queued()
    reports = worker.play()
    append(*reports)
    assert read(leader) == len(reports)
    match.refresh_from_db()
    assert match.state == MatchState.FINISHED
    assert pending() == 0


def test_nothing_is_acknowledged_before_it_is_stored(leader, monkeypatch):
    match, worker = queued()
    reports = worker.play()
    append(*reports)

    def fail(_reports):
        raise OperationalError("the database is away")

    with monkeypatch.context() as patch:
        patch.setattr(role, "receive_many", fail)
        leader._pending = False
        with pytest.raises(OperationalError):
            leader.read_once(block_ms=10)
    assert pending() == len(reports)
    assert not match.deals.exists()

    assert read(leader) == len(reports)  # its own pending entries first
    match.refresh_from_db()
    assert match.state == MatchState.FINISHED
    assert pending() == 0


def test_entries_that_were_stored_and_not_acknowledged_change_nothing(leader, monkeypatch):
    match, worker = queued()
    append(*worker.play())

    class Broken:
        def __getattr__(self, name):
            raise ConnectionError("the broker is away")

    original = doorbell.valkey

    def stored_then_gone(reports):
        answers = role_receive(reports)
        monkeypatch.setattr(doorbell, "valkey", Broken)
        return answers

    role_receive = role.receive_many
    monkeypatch.setattr(role, "receive_many", stored_then_gone)
    leader._pending = False
    with pytest.raises(ConnectionError):
        leader.read_once(block_ms=10)
    monkeypatch.undo()
    assert doorbell.valkey is original
    assert pending() > 0
    deals = match.deals.count()

    leader._pending = True
    read(leader)
    assert pending() == 0
    assert match.deals.count() == deals


def test_the_group_is_made_again_when_the_broker_comes_back_empty(leader):
    doorbell.valkey().flushdb()
    match, worker = queued()
    append(*worker.play())
    assert read(leader) > 0
    match.refresh_from_db()
    assert match.state == MatchState.FINISHED


def test_what_was_stored_does_not_stay_in_the_stream(leader):
    for _ in range(3):
        _, worker = queued()
        append(*[report for report in worker.play() for _ in range(60)])
    read(leader)
    assert pending() == 0
    assert doorbell.valkey().xlen(names.REPORTS) < 200


def test_lines_that_are_no_reports_do_not_stop_the_rest(leader):
    match, worker = queued()
    doorbell.valkey().xadd(names.REPORTS, {"x": b"\xff\xfe"})
    append(*worker.play())
    doorbell.valkey().xadd(names.REPORTS, {"report": "{}"})
    read(leader)
    match.refresh_from_db()
    assert match.state == MatchState.FINISHED
    assert pending() == 0


def test_the_sweep_reports_what_nobody_works_on_and_the_registrar_decides(leader):
    match, worker = queued()
    append(worker.started(), worker.deal())
    read(leader)
    assert sweeps.sweep_leases() == 0

    worker.lose_lease()
    append(worker.deal())  # reported before the sweep looked
    assert sweeps.sweep_leases() == 1
    match.refresh_from_db()
    assert match.state == MatchState.PLAYING
    read(leader)
    match.refresh_from_db()
    assert match.deals.count() == 2
    assert MatchRun.objects.get(run_id=worker.job.run_id).state in (RunState.LOST, RunState.DONE)


def test_only_one_registrar_leads_and_another_takes_over():
    heartbeats.forget()
    first, second = Registrar(), Registrar()
    threads = [threading.Thread(target=_run, args=[one]) for one in (first, second)]
    for thread in threads:
        thread.start()
    try:
        holder = poll(lambda: next((one for one in (first, second) if one._lock is not None), None))
        assert poll(lambda: Heartbeat.objects.filter(role="registrar").first())
        holder.stop()
        other = second if holder is first else first
        poll(lambda: other._lock is not None)
        match, worker = queued()
        append(*worker.play())
        poll(lambda: match.runs.get().state == RunState.DONE)
    finally:
        first.stop()
        second.stop()
        for thread in threads:
            thread.join(10)
    assert not any(thread.is_alive() for thread in threads)


def test_a_leader_whose_lock_is_gone_leads_no_more():
    one = Registrar()
    one._turn()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = %s "
            "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
            [LEADER_LOCK & 0xFFFFFFFF],
        )
    with pytest.raises(OperationalError):
        one._turn()
    one._step_down()
    lock = outside_pool()
    with lock.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [LEADER_LOCK])
        assert cursor.fetchone() == (True,)
    lock.close()


def _run(one: Registrar) -> None:
    try:
        one.run()
    finally:
        connection.close()


def test_the_consumer_has_one_name():
    assert CONSUMER == "registrar"
