"""Threads that begin together, each with a database connection of its own (not one of the pool's eight)."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from django.db import connection

Together = Callable[[Callable[[int], Any]], list[Any]]


def _own_connection() -> None:
    options = {name: value for name, value in connection.settings_dict["OPTIONS"].items() if name != "pool"}
    connection.settings_dict = connection.settings_dict | {"OPTIONS": options}
    connection.ensure_connection()


@contextmanager
def threads(count: int) -> Iterator[Together]:
    """`together(act)` calls `act(0)` .. `act(count - 1)` in as many threads at once: the answers, or an error."""
    gate = threading.Barrier(count)

    def run(act: Callable[[int], Any], index: int) -> Any:
        gate.wait(30)
        return act(index)

    def together(act: Callable[[int], Any]) -> list[Any]:
        running: list[Future[Any]] = [pool.submit(run, act, index) for index in range(count)]
        return [future.result(60) for future in running]

    with ThreadPoolExecutor(count, initializer=_own_connection) as pool:
        try:
            yield together
        finally:
            for future in [pool.submit(run, lambda _index: connection.close(), index) for index in range(count)]:
                future.result(30)
