"""Live updates: from a card's POST to its event at the opponent's browser; what a thousand idle streams cost.

    python -m config.devservices test -- python -m benchmarks.live [--tables 50] [--streams 100 400] [--seconds 20]

One uvicorn process with a database of its own and 8 connections; tables of two people, each of whom plays a card every
two seconds through every middleware and transaction of the site. Players watch their own seats, the other streams are
spectators. A card's time ends when the whole event has come down the opponent's stream, in this process, on the same
machine. The idle streams are opened with a pool of a single connection: if one held it, no other would open.
Exit status 1 when a figure is missed.
"""

import argparse
import asyncio
import json
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django
from django.db import connection

from benchmarks.pages import scratch

PACE_S = 2.0
IDLE = 1_000
MOST_IDLE_MIB = 300
#: Streams -> what the median and 95 % of the cards must not exceed, ms.
MUST = {100: (20.0, 100.0), 400: (40.0, 100.0)}


@dataclass
class Table:
    """A match as its two browsers know it."""

    code: str
    cookies: tuple[str, str]
    deal: int = 1
    ply: int = 0
    turn: int = 0
    hands: list[list[str]] = field(default_factory=lambda: [[], []])
    came: asyncio.Event = field(default_factory=asyncio.Event)
    wanted: int = -1
    arrived: float = 0.0

    def hear(self, seat: int, kind: str, data: dict[str, Any]) -> None:
        """An event on the stream of a seat."""
        if kind == "state":
            self.deal, self.ply, self.turn = data["deal"], data["ply"], data["turn"]
            self.hands[seat] = data["hand"]
        elif kind == "play":
            if data["seat"] == seat:
                self.hands[seat].remove(data["card"])
            elif data["ply"] == self.wanted:
                self.arrived = time.perf_counter()
                self.came.set()
        elif kind == "trick" and data.get("drew"):
            self.hands[seat].append(data["drew"])
        if kind in {"play", "trick"} and data.get("turn") is not None:
            self.turn = data["turn"]


class Client:
    """All browsers of the benchmark."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.host, self.port = str(parts.hostname), int(parts.port or 80)
        self.events = 0
        self.tasks: set[asyncio.Task[None]] = set()

    async def ask(self, head: str, body: bytes = b"") -> tuple[asyncio.StreamReader, asyncio.StreamWriter, int]:
        """Send a request; the connection, and the status of the answer."""
        reader, writer = await asyncio.open_connection(self.host, self.port)
        writer.write(f"{head}\r\nHost: {self.host}:{self.port}\r\n".encode() + body)
        status = int((await reader.readline()).split()[1])
        while (await reader.readline()).strip():
            pass
        return reader, writer, status

    async def listen(self, code: str, table: Table | None = None, seat: int = 0) -> None:
        """Open a stream and hear it until the end of the run; returns when its first events have come."""
        cookie = f"Cookie: {table.cookies[seat]}\r\n" if table else ""
        head = f"GET /matches/{code}/events HTTP/1.1\r\nAccept: text/event-stream\r\n{cookie}".rstrip("\r\n")
        reader, writer, status = await self.ask(head, b"\r\n")
        assert status == 200, status
        began = asyncio.Event()

        async def read() -> None:
            kind = ""
            try:
                while line := await reader.readline():
                    if line.startswith(b"event: "):
                        kind = line[7:-1].decode()
                        self.events += 1
                    elif line.startswith(b"data: "):
                        if table is not None:
                            table.hear(seat, kind, json.loads(line[6:]))
                        began.set()
            finally:
                writer.close()

        task = asyncio.create_task(read())
        self.tasks.add(task)
        await asyncio.wait_for(began.wait(), 30)

    async def play(self, table: Table, times: list[float], until: float) -> None:
        """Play card after card at a table; the ms of each from POST to the opponent's stream."""
        await asyncio.sleep(secrets.randbelow(1000) / 1000 * PACE_S)
        while time.perf_counter() < until and table.ply < 39:
            began = time.perf_counter()
            seat = table.turn
            card = table.hands[seat][0]
            table.came.clear()
            table.wanted = table.ply
            body = json.dumps({"deal": table.deal, "ply": table.ply, "card": card}).encode()
            head = (
                f"POST /matches/{table.code}/plays HTTP/1.1\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\nCookie: {table.cookies[seat]}\r\nConnection: close\r\n"
                f"X-CSRFToken: {TOKEN}"
            )
            _reader, writer, status = await self.ask(head, b"\r\n" + body)
            writer.close()
            assert status == 200, status
            await asyncio.wait_for(table.came.wait(), 10)
            times.append(1000 * (table.arrived - began))
            table.ply += 1
            await asyncio.sleep(max(0.0, PACE_S - (time.perf_counter() - began)))

    async def close(self) -> None:
        """Leave every stream."""
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


TOKEN = "a" * 32


def make_tables(count: int) -> list[Table]:
    """Matches of two people who have signed in, the first card to be played."""
    from tests.games.streaming import session_of
    from tests.games.tables import make_table

    made = []
    for _ in range(count):
        match = make_table(clock="600+10")
        users = [seat.player.user for seat in match.seats.select_related("player__user").order_by("index")]
        cookies = [f"sessionid={session_of(user)['sessionid']}; csrftoken={TOKEN}" for user in users if user]
        made.append(Table(match.code, (cookies[0], cookies[1])))
    return made


@contextmanager
def web(log: Path, pool: int = 8) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """One web process on the database of the benchmark, with so many connections to it."""
    from tests.conftest import web_process

    url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    own = {"DATABASE_URL": url, "DATABASE_POOL": str(pool), "LOG_LEVEL": "ERROR"}
    with web_process(os.environ | own | {"DJANGO_SETTINGS_MODULE": "benchmarks.live_settings"}, log) as found:
        yield found


async def latency(
    address: str, pid: int, tables: Sequence[Table], streams: int, seconds: float
) -> tuple[list[float], float]:
    """The ms of every card that was played, and the CPU time of the web process a card, ms."""
    client = Client(address)
    for table in tables:
        table.ply = 0
        await asyncio.gather(client.listen(table.code, table, 0), client.listen(table.code, table, 1))
    for place in range(streams - 2 * len(tables)):
        await client.listen(tables[place % len(tables)].code)
    times: list[float] = []
    until, before = time.perf_counter() + seconds, cpu_of(pid)
    await asyncio.gather(*(client.play(table, times, until) for table in tables))
    cpu = 1000 * (cpu_of(pid) - before) / len(times)
    await client.close()
    return times, cpu


async def idle(address: str, pid: int, codes: Sequence[str], seconds: float) -> tuple[float, float]:
    """MiB of the process and ms of a page that asks the database, with a thousand streams open."""
    client = Client(address)
    for start in range(0, IDLE, 50):
        await asyncio.gather(*(client.listen(codes[place % len(codes)]) for place in range(start, start + 50)))
    await asyncio.sleep(seconds)
    began = time.perf_counter()
    _reader, writer, status = await client.ask("GET /matches/ HTTP/1.1", b"Connection: close\r\n\r\n")
    page = 1000 * (time.perf_counter() - began)
    writer.close()
    assert status == 200, status
    size = size_of(pid)
    assert not [task for task in client.tasks if task.done()], "a stream ended"
    await client.close()
    return size, page


def size_of(pid: int) -> float:
    """MiB of memory that a process has."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def cpu_of(pid: int) -> float:
    """Seconds of CPU time that a process took so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; 1 when a figure is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--streams", type=int, nargs="*", default=list(MUST))
    parser.add_argument("--seconds", type=float, default=20.0, help="of play a row (default: 20)")
    chosen = parser.parse_args(arguments)
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.live_settings"
    django.setup()
    missed = False
    with scratch(), tempfile.TemporaryDirectory() as folder:
        print(f"{chosen.tables} tables, a card each every {PACE_S:g} s; load of the machine {os.getloadavg()[0]:.1f}")
        for streams in chosen.streams:
            tables = make_tables(chosen.tables)
            connection.close()
            with web(Path(folder) / "web.log") as (address, process):
                times, cpu = asyncio.run(latency(address, process.pid, tables, streams, chosen.seconds))
            median, high = statistics.median(times), statistics.quantiles(times, n=20)[-1]
            most = MUST.get(streams, MUST[400])
            is_met = median <= most[0] and high <= most[1]
            missed |= not is_met
            print(
                f"{streams:>5} streams: {len(times)} cards, all came; median {median:.1f} ms (<= {most[0]:g}), 95 % "
                f"{high:.1f} ms (<= {most[1]:g}), most {max(times):.1f} ms; {cpu:.1f} ms of CPU a card: "
                f"{'met' if is_met else 'MISSED'}"
            )
        tables = make_tables(10)
        connection.close()
        with web(Path(folder) / "web.log", pool=1) as (address, process):
            size, page = asyncio.run(idle(address, process.pid, [table.code for table in tables], 3))
        is_met = size <= MOST_IDLE_MIB
        missed |= not is_met
        print(
            f"{IDLE:>5} idle streams: {size:.0f} MiB (<= {MOST_IDLE_MIB}), none holds a connection: with a pool of one "
            f"a page came in {page:.0f} ms: {'met' if is_met else 'MISSED'}"
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
