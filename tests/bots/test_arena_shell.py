"""config/arena as it runs: a real Celery worker under the arena's user, the real broker, real bots."""

import json
import subprocess
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from bots import house
from bots.arena import (
    Baseline,
    BotRef,
    JobLimits,
    MatchReport,
    MoveReport,
    QualifyJob,
    Refused,
    Report,
    Returned,
    Started,
    names,
    unpack,
)
from config.devservices.arena import ArenaHome
from tests.bots.arena_driver import FIRST, deals, steps, verify
from tests.bots.arena_worker import SLOW, Site, a_site, worker
from tests.bots.moving import move_job, view_after
from tests.conftest import poll

pytestmark = [pytest.mark.xdist_group("arena_shell")]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("arena") / "log"
    path.touch()
    return path


@pytest.fixture(scope="module")
def running(arena: ArenaHome, log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """One worker for the tests that leave it alive."""
    with worker(arena, log) as started:
        yield started


@pytest.fixture
def site(clean_valkey: None) -> Iterator[Site]:
    with a_site() as made:
        yield made


def sequence(reports: Sequence[Report]) -> list[int]:
    return [report.seq for report in reports]


def test_each_match_of_a_block_is_played_once_although_the_block_is_delivered_three_times(
    running: "subprocess.Popen[bytes]", site: Site
) -> None:
    jobs = [site.job(house.source("greedy"), FIRST, match=f"M{number}") for number in range(6)]
    for _ in range(3):
        site.ring(*jobs)
    site.wait_until_done(*(job.run_id for job in jobs))
    poll(lambda: site.valkey.llen("arena:arena") == 0 and site.valkey.zcard("arena:unacked_index") == 0)
    for job in jobs:
        reports = site.reports(job.run_id)
        assert isinstance(reports[-1], MatchReport)
        assert sequence(reports) == list(range(len(reports)))
        assert len({report.nonce for report in reports}) == 1
        verify(job, reports)
        assert 3_500 < site.valkey.ttl(names.run_key(job.run_id)) <= 3_600


def test_a_run_that_was_reported_is_played_by_no_other_delivery_also_when_its_lease_has_ended(
    running: "subprocess.Popen[bytes]", site: Site
) -> None:
    job, other = site.job(FIRST, FIRST), site.job(FIRST, FIRST)
    site.ring(job)
    site.wait_until_done(job.run_id)
    before = site.reports(job.run_id)
    site.valkey.delete(names.run_key(job.run_id))  # as when its worker was killed, before the site noticed
    site.ring(job, other)
    site.wait_until_done(other.run_id)
    assert site.reports(job.run_id) == before


def test_a_seed_is_in_no_log_and_no_header(running: "subprocess.Popen[bytes]", site: Site, log: Path) -> None:
    good, bad = site.job(FIRST, FIRST), site.job(FIRST, FIRST)
    site.ring(bad.to_dict() | {"attempt": "x"}, good)
    site.celery.send_task("arena.unknown", [[good.to_dict()]], queue="arena", argsrepr="<jobs>")
    site.wait_until_done(good.run_id)
    poll(lambda: "Received unregistered task" in log.read_text())
    text = log.read_text()
    assert "<64 hex digits>" in text  # there Celery would have written the whole job
    assert "a job cannot be read: MatchJob.attempt: an integer from 0 to 1000" in text
    assert good.seed not in text
    assert bad.seed not in text
    assert site.reports(bad.run_id) == []


def test_a_stopped_run_is_given_back_before_its_first_card_or_soon_after(
    running: "subprocess.Popen[bytes]", site: Site
) -> None:
    before, during = site.job(SLOW, SLOW), site.job(SLOW, SLOW)
    site.valkey.set(names.stop_key(before.run_id), "1", ex=60)
    site.ring(before, during)
    assert [report.type for report in site.wait_for(Returned, before.run_id)] == ["returned"]
    site.wait_for(Started, during.run_id)
    site.valkey.set(names.stop_key(during.run_id), "1", ex=60)
    reports = site.wait_for(Returned, during.run_id, limit=3)  # a deal of these bots lasts four seconds
    assert [(report.type, report.seq) for report in reports] == [("started", 0), ("returned", 1)]
    site.wait_until_done(before.run_id, during.run_id)


def test_a_run_that_another_delivery_holds_is_left_alone(running: "subprocess.Popen[bytes]", site: Site) -> None:
    job = site.job(SLOW, SLOW)
    site.ring(job)
    site.wait_for(Started, job.run_id)
    site.valkey.set(names.run_key(job.run_id), "another", ex=60)
    other = site.job(FIRST, FIRST)
    site.ring(other, other)
    site.wait_until_done(other.run_id)
    poll(lambda: site.valkey.zcard("arena:unacked_index") == 0)
    assert [report.type for report in site.reports(job.run_id)] == ["started"]
    assert site.lease(job.run_id) == b"another"


def test_a_lease_that_the_broker_forgot_is_taken_again(running: "subprocess.Popen[bytes]", site: Site) -> None:
    job = site.job(SLOW, SLOW, rules="n=2 format=deals:1")
    site.ring(job)
    (started,) = site.wait_for(Started, job.run_id)
    site.valkey.delete(names.run_key(job.run_id))
    poll(lambda: site.lease(job.run_id) == started.nonce.encode(), limit=3)
    reports = site.wait_for(MatchReport, job.run_id)
    verify(job, reports)


def test_a_lease_is_renewed_while_a_bot_thinks(running: "subprocess.Popen[bytes]", site: Site) -> None:
    sleeper = "import time\ndef play(view):\n    time.sleep(4.5 * (not view.tricks))\n    return view.legal[0]\n"
    job = site.job(sleeper, FIRST, rules="n=2 format=deals:1", limits=JobLimits(move_wall_ms=9_000))
    site.ring(job)
    assert isinstance(site.wait_for(MatchReport, job.run_id)[-1], MatchReport)
    assert len(deals(site.reports(job.run_id))[0].plays) == 80


def test_files_that_are_missing_or_others_refuse_the_job(running: "subprocess.Popen[bytes]", site: Site) -> None:
    missing, wrong = site.job(FIRST, "x = 1\n" + FIRST), site.job(FIRST, "x = 2\n" + FIRST)
    site.valkey.delete(names.bot_key(missing.seats[1].sha256))
    site.valkey.set(names.bot_key(wrong.seats[1].sha256), unpack(FIRST.encode()).stored())
    site.ring(missing, wrong)
    for job, reason in ((missing, "no_files"), (wrong, "wrong_files")):
        (report,) = site.wait_for(Refused, job.run_id)
        assert (report.reason, report.seq) == (reason, 0)
        assert job.seats[1].sha256 in report.detail


def test_a_version_is_checked_on_its_own_queue(running: "subprocess.Popen[bytes]", site: Site) -> None:
    baselines = tuple(Baseline(name=name, sha256=site.put(house.source(name))) for name in house.BASELINES)
    bot = BotRef(sha256=site.put(house.source("medio")))
    job = QualifyJob(run_id=str(uuid.uuid4()), bot=bot, seed="ab" * 32, baselines=baselines, budget_s=0, lease_s=3)
    site.celery.send_task("arena.qualify", [job.to_dict()], queue="qualify", argsrepr="<1 check>")
    site.wait_until_done(job.run_id)
    found = steps(site.reports(job.run_id))
    assert found["verdict"].verdict == "qualified"


def test_a_card_is_played_once_on_a_queue_of_its_own(running: "subprocess.Popen[bytes]", site: Site, log: Path) -> None:
    view = view_after(6)
    job = move_job(site.put(house.source("greedy")), view, lease_s=3)
    for _ in range(3):
        site.celery.send_task(names.MOVE_TASK, [job.to_dict()], queue=names.MOVE_QUEUE, argsrepr="<1 move>")
    site.wait_until_done(job.run_id)
    poll(lambda: site.valkey.llen("arena:moves") == 0 and site.valkey.zcard("arena:unacked_index") == 0)
    started, report = site.reports(job.run_id)
    assert isinstance(started, Started)
    assert isinstance(report, MoveReport)
    assert report.card in view.legal
    assert "arena+moves+qualify" in started.worker
    assert started.speed is not None
    assert started.speed > 100
    assert str(json.loads(job.start)["seed"]) not in log.read_text()


def test_a_card_whose_files_are_missing_and_a_job_without_sense_are_refused(
    running: "subprocess.Popen[bytes]", site: Site
) -> None:
    missing = move_job("ab" * 32, view_after(6), lease_s=3)
    senseless = move_job(site.put(FIRST), view_after(6), lease_s=3, deal=2)
    for job, reason in ((missing, "no_files"), (senseless, "bad_job")):
        site.celery.send_task(names.MOVE_TASK, [job.to_dict()], queue=names.MOVE_QUEUE, argsrepr="<1 move>")
        (report,) = site.wait_for(Refused, job.run_id)
        assert report.reason == reason
