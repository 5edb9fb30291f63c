"""What the arena says about a check, and what becomes of the version."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import Notice
from bots import doorbell
from bots.arena.jobs import QualifyJob
from bots.arena.reports import DealReport, Refused, Returned
from bots.arena.trials import RULES
from bots.errors import BotsError
from bots.models import Bot, QualifyGame, QualifyRun
from bots.services import activation, qualifying, qualifying_runs, runs
from bots.services.runs.answers import Verdict
from bots.services.runs.lines import LeaseLost
from games.engine import Deal, shuffled
from tests.accounts.factories import make_user
from tests.bots.uploading import Arena, give_verdict, qualified, upload

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]


@pytest.fixture
def version():
    return upload(make_user())


@pytest.fixture
def arena(version):
    # Deals of this seed are not drawn, so that every change of a true report is a lie.
    version.checks.update(seed=bytes(range(32)))
    return Arena(version.checks.get())


def check(arena, verdict="qualified", **games):
    """A whole check, told report by report."""
    told = [
        arena.started(),
        arena.step(),
        arena.step("against_random", code="check.games_ok", games=arena.games(**games)),
    ]
    return [arena.tell(report).verdict for report in [*told, arena.verdict(verdict)]]


def test_a_whole_check_is_stored_in_order_and_qualifies_the_version(version, arena):
    assert set(check(arena)) == {Verdict.ACCEPTED}
    version.refresh_from_db()
    assert version.state == "qualified"
    assert version.checked_at is not None
    assert [row["check"] for row in version.report] == ["unpack", "syntax", "against_random", "verdict"]
    assert set(version.report[2]) == {
        "check", "ok", "file", "line", "code", "params", "what_to_do", "ms", "log", "request", "answer",
    }  # fmt: skip
    run = QualifyRun.objects.get()
    assert (run.state, run.worker, run.tier, run.next_seq) == ("done", "w1", "landlock", 4)
    assert list(QualifyGame.objects.values_list("step", "number", "seat")) == [
        ("against_random", 1, 0),
        ("against_random", 2, 1),
    ]
    assert Bot.objects.get().active_version == version
    assert Notice.objects.get().kind == "version_qualified_active"


def test_a_rejected_version_changes_nothing_but_itself(version, arena):
    check(arena)
    newer = upload(version.bot.owner)
    other = Arena(newer.checks.get())
    other.tell(other.started())
    fault = {"ok": False, "code": "upload.syntax", "file": "bot.py", "line": 14, "what_to_do": "fix.syntax"}
    other.tell(other.step(**fault, params={"file": "bot.py", "line": 14, "detail": "expected ':'"}))
    other.tell(other.verdict("rejected"))
    newer.refresh_from_db()
    assert newer.state == "rejected"
    assert (newer.report[1]["file"], newer.report[1]["line"]) == ("bot.py", 14)
    assert Bot.objects.get().active_version == version
    assert list(Notice.objects.order_by("id").values_list("kind", flat=True)) == [
        "version_qualified_active",
        "version_rejected",
    ]


def test_the_same_report_again_gets_the_same_answer_and_changes_nothing(version, arena):
    reports = [arena.started(), arena.step(games=arena.games()), arena.verdict()]
    first = [arena.tell(report) for report in reports]
    after = (Notice.objects.count(), QualifyGame.objects.count(), qualifying.QualifyRun.objects.values().get())
    assert [arena.tell(report) for report in reports] == first
    assert (Notice.objects.count(), QualifyGame.objects.count(), QualifyRun.objects.values().get()) == after
    version.refresh_from_db()
    assert len(version.report) == 3


def test_a_gap_another_nonce_an_ended_and_an_unknown_run_change_nothing(version, arena):
    started, step, late = arena.started(), arena.step(), arena.step()
    assert arena.tell(step).verdict is Verdict.STALE  # not bound yet, and not its first
    assert arena.tell(started).verdict is Verdict.ACCEPTED
    assert arena.tell(late).verdict is Verdict.GAP
    forger = Arena(arena.run)
    forger.seq = 1
    assert forger.tell(forger.step()).verdict is Verdict.STALE
    forger.seq = 0
    assert forger.tell(forger.started()).verdict is Verdict.STALE
    version.refresh_from_db()
    assert [row["check"] for row in version.report] == ["unpack"]
    QualifyRun.objects.update(state="lost")
    assert arena.tell(step).verdict is Verdict.STALE
    QualifyRun.objects.all().delete()
    assert arena.tell(step).verdict is Verdict.STALE


def test_the_first_report_binds_the_run_only_while_its_delivery_holds_the_key(version, arena):
    other = Arena(arena.run)  # its key is the present one
    assert arena.tell(arena.started()).verdict is Verdict.STALE
    assert other.tell(other.started()).verdict is Verdict.ACCEPTED


@pytest.mark.parametrize(
    "change",
    [
        {"points": (60, 60)},
        {"winner_side": None},
        {"deck": "AD3D"},
        {"plays": "AD3C"},
        {"think_us": (1,)},
        {"dealer": 0},
        {"rules": "n=2,first_to=9"},
        {"termination": "crash"},
        {"fault_seat": 0},
    ],
)
def test_a_worker_that_lies_about_a_game_is_refused_and_the_check_made_again(version, arena, change):
    arena.tell(arena.started())
    answer = arena.tell(arena.step("against_random", games=arena.games([1], **change)))
    assert answer.verdict is Verdict.REFUSED
    version.refresh_from_db()
    assert version.state == "checking"
    assert [row["check"] for row in version.report] == ["unpack"]
    assert QualifyGame.objects.count() == 0
    assert list(QualifyRun.objects.order_by("id").values_list("state", flat=True)) == ["lost", "queued"]


@pytest.mark.parametrize(
    "figures",
    [
        {"moves": 40},
        {"moves": 40, "p50_us": 1, "p95_us": "2", "max_us": 3},
        {"moves": True, "p50_us": 1, "p95_us": 2, "max_us": 3},
        {"moves": 40, "p50_us": 1, "p95_us": 2, "max_us": 3, "deals_random": None},
        {"moves": 40, "p50_us": 1, "p95_us": 2, "max_us": 3, "deals_random": 2, "score_random": "all"},
    ],
)
def test_a_verdict_without_its_figures_is_refused(version, arena, figures, client):
    arena.tell(arena.started())
    answer = arena.tell(arena.step("verdict", code="verdict.qualified", verdict="qualified", params=figures))
    assert answer.verdict is Verdict.REFUSED
    version.refresh_from_db()
    assert version.state == "checking"
    assert client.get(f"/bots/{version.bot.player.slug}/versions/1/").status_code in {200, 404}


def test_a_deal_that_a_fault_ended_is_kept_and_awarded(version, arena):
    whole = arena.game(1)
    games = (arena.game(1, plays=whole.plays[:6], think_us=(1, 2, 3), points=points_of(arena, 3), winner_side=1,
                        termination="crash", fault_seat=0),)  # fmt: skip
    arena.tell(arena.started())
    fault = {"ok": False, "code": "fault.crash", "what_to_do": "fix.crash", "file": "bot.py", "line": 3}
    assert arena.tell(arena.step("against_random", games=games, **fault)).verdict is Verdict.ACCEPTED
    stored = QualifyGame.objects.get()
    assert (stored.termination, stored.fault_seat, stored.winner_side, len(stored.plays)) == ("crash", 0, 1, 6)


def points_of(arena, plays):
    deal = Deal(RULES, shuffled(RULES, bytes(arena.run.seed), "", 1).deck, 1)
    for _ in range(plays):
        deal.play(deal.legal()[0])
    return tuple(deal.points)


def test_reports_of_another_kind_end_the_run(version, arena):
    arena.tell(arena.started())
    report = DealReport(
        **arena.head(), deal=1, plays="", points=(0, 0), winner_side=0, termination="crash", think_cpu_us=(),
        think_wall_us=(), bank_left_us=(1, 1), plays_sha256="0" * 64,
    )  # fmt: skip
    assert arena.tell(report).verdict is Verdict.REFUSED
    assert sorted(QualifyRun.objects.values_list("state", flat=True)) == ["lost", "queued"]


def test_reports_come_through_the_same_door_as_those_of_matches(version, arena):
    assert runs.receive(arena.started().to_dict()).verdict is Verdict.ACCEPTED
    assert QualifyRun.objects.get().state == "playing"


def test_a_fault_of_the_machine_repeats_the_check_three_times_without_blame(version):
    for _ in range(qualifying_runs.MAX_LOST):
        arena = Arena(version.checks.get(state="queued"))
        arena.tell(arena.started())
        arena.tell(arena.step(games=arena.games()))
        assert arena.tell(arena.verdict("again")).verdict is Verdict.ACCEPTED
    version.refresh_from_db()
    assert version.state == "uploaded"
    assert version.checks.filter(state="lost").count() == qualifying_runs.MAX_LOST
    assert Notice.objects.count() == 0
    assert qualifying.sweep() == 0  # it waits
    later = upload(version.bot.owner)
    assert later.state == "checking"  # and does not hold up the next one
    give_verdict(later)
    assert qualifying.start(version=version) is not None  # the owner asks
    give_verdict(version)
    QualifyRun.objects.update(ended_at=timezone.now() - qualifying_runs.LOST_WINDOW)
    assert version.state == "qualified"
    assert Bot.objects.get().active_version == later  # an older version does not push the newer one aside


def test_a_check_that_was_given_back_does_not_count_as_lost(version):
    for _ in range(qualifying_runs.MAX_LOST + 1):
        arena = Arena(version.checks.get(state="queued"))
        arena.tell(arena.started())
        arena.tell(Returned(**arena.head(), next_deal=1, reason="drain"))
    assert version.checks.filter(state="queued").count() == 1


def test_a_refused_job_is_tried_again(version, arena):
    arena.tell(Refused(**arena.head(), reason="no_files"))
    assert sorted(version.checks.values_list("state", flat=True)) == ["lost", "queued"]


def test_the_job_carries_files_and_the_baselines_and_its_header_no_seed(version, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        newer = upload(version.bot.owner, "Altro")
    run = newer.checks.get()
    assert run.rung_at is not None
    (message,) = doorbell.valkey().lrange("arena:qualify", 0, -1)
    seed = bytes(run.seed).hex().encode()
    import base64
    import json

    envelope = json.loads(message)
    assert seed not in json.dumps(envelope["headers"]).encode()
    (job,), _, _ = json.loads(base64.b64decode(envelope["body"]))
    parsed = QualifyJob.from_dict(job)
    assert (parsed.run_id, parsed.seed, parsed.bot.sha256) == (str(run.run_id), seed.decode(), newer.sha256)
    assert [baseline.name for baseline in parsed.baselines] == ["random", "greedy"]
    assert doorbell.missing_bots([parsed.bot.sha256, *(b.sha256 for b in parsed.baselines)]) == []
    assert seed.decode() not in repr(parsed)


def test_the_sweep_rings_what_nobody_took_once_the_queue_is_empty(version):
    QualifyRun.objects.update(created_at=timezone.now() - timedelta(seconds=5))
    assert qualifying.sweep() == 1
    assert doorbell.waiting_checks() == 1
    QualifyRun.objects.update(rung_at=timezone.now() - timedelta(seconds=90))
    assert qualifying.sweep() == 0  # it still lies in the queue
    doorbell.valkey().delete("arena:qualify")
    assert qualifying.sweep() == 1
    assert qualifying.sweep() == 0


def test_a_lost_lease_is_decided_in_the_order_of_the_reports(version, arena):
    arena.tell(arena.started())
    assert qualifying.sweep() == 0
    doorbell.valkey().delete(f"arena:run:{arena.run.run_id}")
    assert qualifying.sweep() == 1
    ((_, fields),) = doorbell.valkey().xrange("arena:reports")
    assert runs.receive(fields[b"report"]).verdict is Verdict.ACCEPTED
    assert sorted(version.checks.values_list("state", flat=True)) == ["lost", "queued"]
    assert runs.receive(fields[b"report"]).verdict is Verdict.STALE


def test_a_lease_that_came_back_is_not_lost(version, arena):
    arena.tell(arena.started())
    assert qualifying.receive(LeaseLost(str(arena.run.run_id))).verdict is Verdict.STALE
    assert QualifyRun.objects.get().state == "playing"


def test_a_check_past_its_deadline_is_to_be_repeated(version, arena):
    arena.tell(arena.started())
    QualifyRun.objects.update(started_at=timezone.now() - timedelta(seconds=301))
    assert qualifying.sweep() == 1
    assert sorted(version.checks.values_list("state", "reason")) == [("lost", "deadline"), ("queued", "")]
    assert doorbell.valkey().exists(f"arena:stop:{arena.run.run_id}") == 0  # sent after commit
    version.refresh_from_db()
    assert (version.state, Notice.objects.count()) == ("checking", 0)


def test_a_retired_version_is_checked_no_more(version, arena):
    arena.tell(arena.started())
    activation.retire(version=version, actor=version.bot.owner)
    assert arena.tell(arena.verdict()).verdict is Verdict.STALE
    version.refresh_from_db()
    assert version.state == "retired"


@pytest.mark.parametrize("state", ["checking", "qualified", "rejected", "retired"])
def test_only_a_waiting_or_suspended_version_is_checked(version, state):
    version.checks.update(state="done")
    type(version).objects.update(state=state)
    with pytest.raises(BotsError) as caught:
        qualifying.start(version=version)
    assert caught.value.code == "version.not_waiting"


@pytest.mark.parametrize(("is_qualified", "state"), [(True, "qualified"), (False, "suspended")])
def test_a_suspended_version_comes_back_by_qualifying_again(is_qualified, state):
    version = qualified(make_user())
    activation.suspend(version=version, kind="version_suspended_faults", faults=7, deals=100)
    assert Bot.objects.get().active_version is None
    version.refresh_from_db()
    assert version.state == "suspended"
    qualifying.start(version=version)
    give_verdict(version, is_qualified=is_qualified)
    assert version.state == state
    assert (Bot.objects.get().active_version == version) is is_qualified


def test_the_owner_chooses_the_version_at_most_three_times_a_day():
    owner = make_user()
    first, second = qualified(owner), qualified(owner)
    bot = Bot.objects.get()
    assert bot.active_version == second
    activation.activate(version=first, actor=owner)
    activation.activate(version=first, actor=owner)  # no change, not counted
    with pytest.raises(BotsError) as caught:
        activation.activate(version=second, actor=owner)
    assert (caught.value.code, caught.value.status) == ("version.activations", 429)
    third = qualified(owner)  # qualifies, but today it cannot take the place by itself
    bot.refresh_from_db()
    assert bot.active_version == first
    assert Notice.objects.order_by("-id")[0].kind == "version_qualified"
    bot.activations.update(created_at=timezone.now() - timedelta(days=1, seconds=1))
    activation.activate(version=third, actor=owner)
    bot.refresh_from_db()
    assert bot.active_version == third


def test_a_version_that_shall_not_play_by_itself_waits_for_its_owner():
    owner = make_user()
    first = qualified(owner)
    second = qualified(owner, activates=False)
    assert Bot.objects.get().active_version == first
    assert second.state == "qualified"


@pytest.mark.parametrize("state", ["uploaded", "checking", "rejected", "suspended", "retired"])
def test_nothing_but_a_qualified_version_becomes_active(state):
    version = qualified(make_user())
    Bot.objects.update(active_version=None)
    type(version).objects.update(state=state)
    with pytest.raises(BotsError) as caught:
        activation.activate(version=version, actor=version.bot.owner)
    assert caught.value.code == "version.not_qualified"
    assert Bot.objects.get().active_version is None


def test_who_may_choose_and_retire():
    owner = make_user()
    qualified(owner)
    version = qualified(owner)
    for actor, is_allowed in ((make_user(), False), (make_user(is_staff=True), True), (owner, True)):
        for verb in (activation.activate, activation.retire):
            if is_allowed and verb is activation.retire and actor is not owner:
                continue
            if is_allowed:
                verb(version=version, actor=actor)
            else:
                with pytest.raises(BotsError) as caught:
                    verb(version=version, actor=actor)
                assert caught.value.code == "bot.not_yours"
    version.refresh_from_db()
    assert version.state == "retired"
    assert Bot.objects.get().active_version is None


@pytest.mark.django_db(transaction=True)
def test_simultaneous_duplicates_of_every_report_count_once(version):
    arena = Arena(version.checks.get())
    reports = [arena.started(), arena.step(games=arena.games()), arena.verdict()]

    def tell(report):
        try:
            return arena.tell(report).verdict
        finally:
            connection.close()

    for report in reports:
        with ThreadPoolExecutor(4) as pool:
            assert set(pool.map(tell, [report] * 4)) == {Verdict.ACCEPTED}
    version.refresh_from_db()
    assert [row["check"] for row in version.report] == ["unpack", "syntax", "verdict"]
    assert (QualifyGame.objects.count(), Notice.objects.count(), version.bot.activations.count()) == (2, 1, 1)
