"""Jobs and reports: exact round trips, strict reading, and no seed in a text."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.arena import (
    MAX_REPORT,
    Baseline,
    BotRef,
    DealReport,
    DoneDeal,
    Fault,
    LogPart,
    MatchJob,
    MatchReport,
    MoveJob,
    MoveReport,
    QualifyGame,
    QualifyJob,
    QualifyStep,
    Refused,
    Returned,
    SeatJob,
    Started,
    WireError,
    read_report,
    write_report,
)
from bots.arena.reports import MAX_REQUEST, MAX_STDERR_TAIL
from bots.arena.sentences import MESSAGES, WHAT_TO_DO

RUN = "01234567-89ab-cdef-0123-456789abcdef"
SEED = "5eed" * 16
SHA = "ab" * 32
HEAD: dict[str, Any] = {"run_id": RUN, "nonce": "nonce-123", "seq": 3}
FAULT = Fault(
    seat=1, kind="illegal", detail="AD", ply=5, request_sha256=SHA, request="{}", answer="x", stderr_tail="perché\n"
)
DEAL = DealReport(
    **HEAD,
    deal=2,
    plays="AD3C",
    points=(21, 0),
    winner_side=0,
    termination="illegal",
    think_cpu_us=(100, 200),
    think_wall_us=(110, 210),
    bank_left_us=(3_000_000, 2_999_000),
    notes=(None, "tengo"),
    faults=(FAULT,),
    logs=((LogPart(ply=0, text="a\n"),), ()),
    plays_sha256=SHA,
)
STARTED = Started(**HEAD, attempt=0, worker="w/0", tier="landlock", policy="p", kernel="6.1", python="3.11.2")
REPORTS = [
    STARTED,
    DEAL,
    MatchReport(**HEAD, outcome=None, termination="void", score=(1, 1), deals=2, reason="faults", faults=(FAULT,)),
    Returned(**HEAD, next_deal=3, reason="drain"),
    Refused(**HEAD, reason="no_tier", detail="why"),
    replace(STARTED, speed=12_345),
    MoveReport(**HEAD, card="AD", cpu_us=5, wall_us=9, bank_left_us=7, note="tengo", log="a\n"),
    MoveReport(**HEAD, fault=FAULT),
    MoveReport(**HEAD, trouble="no zygote"),
    QualifyStep(
        **HEAD,
        check="self_play",
        ok=True,
        code="check.games_ok",
        params={"deals": 4, "name": "x", "yes": True, "none": None},
        games=(
            QualifyGame(
                number=1,
                opponent="random",
                seat=0,
                rules="n=2",
                dealer=1,
                deck="AD",
                plays="AD",
                think_us=(5,),
                points=(11, 0),
                winner_side=None,
                termination="normal",
            ),
        ),
    ),
]


def match_job(**changes: Any) -> MatchJob:
    seats = tuple(SeatJob(seat=seat, side=seat, sha256=SHA) for seat in (0, 1))
    values = {"run_id": RUN, "match": "K7Q2", "rules": "n=2", "seed": SEED, "first_dealer": 0, "seats": seats}
    return MatchJob(**values | changes)


JOBS = [
    match_job(done=(DoneDeal(deal=1, winner_side=None, points=(60, 60)),), mode="test", salt="a-b"),
    QualifyJob(run_id=RUN, bot=BotRef(sha256=SHA), seed=SEED, baselines=(Baseline(name="random", sha256=SHA),)),
    MoveJob(run_id=RUN, match="K", deal=1, seat=0, bot=BotRef(sha256=SHA), start="{}", request="{}", bank_cpu_us=5),
]


@pytest.mark.parametrize("job", JOBS, ids=lambda job: type(job).__name__)
def test_a_job_comes_back_from_json_as_it_was(job: Any) -> None:
    assert type(job).from_dict(json.loads(json.dumps(job.to_dict()))) == job


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.type)
def test_a_report_comes_back_from_json_as_it_was(report: Any) -> None:
    assert read_report(write_report(report)) == report
    assert read_report(write_report(report).decode()) == report


@pytest.mark.parametrize(
    "change",
    [
        {"seed": SEED[:-2]},
        {"seed": SEED.upper()},
        {"seed": None},
        {"run_id": "1"},
        {"attempt": True},
        {"attempt": 1.0},
        {"attempt": -1},
        {"rules": ""},
        {"match": "../x"},
        {"salt": "è"},
        {"version": 2},
        {"mode": "practice"},
        {"tier_min": "auto"},
        {"first_dealer": 2},
        {"seats": []},
        {"seats": [{"seat": 1, "side": 0, "sha256": SHA}, {"seat": 0, "side": 1, "sha256": SHA}]},
        {"seats": [{"seat": 0, "side": 0, "sha256": SHA}] * 9},
        {"done": [{"deal": 2, "winner_side": 0, "points": [61, 59]}]},
        {"done": [{"deal": 1, "winner_side": 0, "points": [61, 59], "x": 1}]},
        {"done": [{"deal": 1, "winner_side": 0}]},
        {"limits": {"memory_mb": 0}},
        {"unknown": 1},
    ],
    ids=str,
)
def test_a_job_that_breaks_its_schema_is_refused_and_its_seed_is_not_repeated(change: dict[str, Any]) -> None:
    with pytest.raises(WireError) as refused:
        MatchJob.from_dict(match_job().to_dict() | change)
    assert "5eed" not in str(refused.value).lower()


def test_a_seed_is_in_no_repr() -> None:
    for job in JOBS:
        assert "5eed" not in repr(job)


@pytest.mark.parametrize(
    "change",
    [
        {"type": "match"},
        {"type": "lease_lost"},
        {"type": None},
        {"run_id": RUN + "\n"},
        {"nonce": ""},
        {"seq": "3"},
        {"plays": "AD3"},
        {"plays": "AD" * 41},
        {"points": [121, 0]},
        {"winner_side": 8},
        {"termination": "infrastructure"},
        {"think_cpu_us": [1] * 41},
        {"notes": ["x" * 201]},
        {"notes": ["\0"]},
        {"notes": ["\ud800"]},
        {"logs": [[{"ply": 0, "text": "x" * 3000}]]},
        {"faults": [{"seat": 0}]},
        {"plays_sha256": "AB" * 32},
        {"more": 1},
    ],
    ids=str,
)
def test_a_report_that_breaks_its_schema_is_refused(change: dict[str, Any]) -> None:
    data = DEAL.to_dict() | change
    with pytest.raises(WireError):
        read_report(json.dumps(data))


@given(st.binary(max_size=100) | st.text(max_size=100))
def test_any_text_is_a_report_or_a_wire_error(data: bytes | str) -> None:
    with pytest.raises(WireError):
        read_report(data)


def test_a_worker_of_an_earlier_version_told_no_speed() -> None:
    told = STARTED.to_dict()
    del told["speed"]
    assert read_report(json.dumps(told)) == STARTED
    assert STARTED.speed is None


def test_the_messages_of_a_card_are_in_no_repr() -> None:
    """The start message holds a seed."""
    assert "{}" not in repr(JOBS[-1])


def test_a_deep_or_long_text_is_a_wire_error() -> None:
    for data in ("[" * 100_000, "x" * (MAX_REPORT + 1), '{"type":"deal","a":' + "[" * 5000 + "]" * 5000 + "}"):
        with pytest.raises(WireError):
            read_report(data)


def test_logs_are_cut_first_and_the_newest_parts_stay() -> None:
    parts = tuple(LogPart(ply=ply, text="\u20ac" * 2048) for ply in range(40))
    fault = replace(FAULT, request="r" * MAX_REQUEST, stderr_tail="\u20ac" * MAX_STDERR_TAIL)
    written = write_report(replace(DEAL, logs=(parts, (LogPart(ply=1, text="short"),)), faults=(fault,)))
    assert MAX_REPORT * 0.6 < len(written) <= MAX_REPORT
    report = read_report(written)
    assert isinstance(report, DealReport)
    assert report.faults == (fault,)
    assert report.logs[1] == (LogPart(ply=1, text="short"),)
    kept = report.logs[0]
    assert kept[0].text == "[...]\n"
    assert kept[1:] == parts[-len(kept) + 1 :]


def test_the_largest_faults_still_fit() -> None:
    text = "\u20ac" * MAX_STDERR_TAIL
    faults = (replace(FAULT, request="\u20ac" * MAX_REQUEST, stderr_tail=text),) * 2
    with pytest.raises(WireError, match="at most"):
        write_report(replace(DEAL, faults=faults))  # no request of ours is like that: they are ASCII
    faults = (replace(FAULT, request="r" * MAX_REQUEST, stderr_tail=text),) * 3
    written = write_report(replace(DEAL, faults=faults))
    assert len(written) <= MAX_REPORT
    assert [len(fault.stderr_tail) for fault in read_report(written).faults] == [0, 0, 0]


def test_the_largest_fault_of_a_card_still_fits_without_its_log() -> None:
    worst = "\x01" * MAX_STDERR_TAIL
    fault = replace(FAULT, request="x" * MAX_REQUEST, answer="y" * 4096, stderr_tail=worst)
    report = MoveReport(**HEAD, fault=fault, log=worst)
    data = write_report(report)
    assert len(data) <= MAX_REPORT
    assert read_report(data) == replace(report, log="")
    small = MoveReport(**HEAD, fault=FAULT, log=worst)
    assert read_report(write_report(small)) == small


def test_every_kind_of_fault_has_a_sentence_and_advice() -> None:
    for kind in ("timeout", "crash", "illegal", "protocol", "memory", "output"):
        assert f"fault.{kind}" in MESSAGES
        assert f"fix.{kind}" in WHAT_TO_DO
