"""The figure of a core's speed: the same work everywhere, and CPU time of this thread alone."""

import threading
import time

import pytest

from bots.arena import calibration


def test_the_work_is_the_same_on_every_machine() -> None:
    assert calibration._rounds(calibration.ROUNDS) == 17_528
    assert calibration._rounds(20_000) == 69_241


def test_the_figure_is_rounds_a_millisecond() -> None:
    began = time.thread_time_ns()
    calibration._rounds(50_000)
    seen = 50_000 * 1_000_000 / (time.thread_time_ns() - began)
    assert 0.5 * seen < calibration.speed() < 10 * seen


def test_what_other_threads_do_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = calibration.speed()
    over = threading.Event()
    other = threading.Thread(target=lambda: [None for _ in iter(over.is_set, True)])
    other.start()
    try:
        assert calibration.speed() > alone / 3
    finally:
        over.set()
        other.join()


def test_half_as_fast_is_half_the_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    fast, rounds = calibration.speed(), calibration._rounds
    monkeypatch.setattr(calibration, "_rounds", lambda count: rounds(count) + rounds(count))
    assert 0.3 * fast < calibration.speed() < 0.75 * fast
