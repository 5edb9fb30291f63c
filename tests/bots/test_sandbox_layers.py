"""The suite bites: with one layer off, named hostile cases escape. Only cases that harm nothing when they do."""

import socket
from collections.abc import Iterator

import pytest

from bots.sandbox import Sandbox, start_sandbox
from bots.sandbox.zygote.layers import CAPABILITIES, LANDLOCK, NAMESPACES, RLIMITS, SECCOMP
from tests.bots.sandbox_driver import HONEST, LONG, SHORT, hostile_files, play_case

# layers that are on, cases that escape, cases that stay contained
ROWS = {
    "nothing": (
        (),
        ["file_passwd", "file_environ", "net_socketpair", "net_tcp_loopback", "proc_thread", "proc_affinity",
         "proc_no_new_privs", "mem_memfd", "mem_swallows_error", "kern_inotify", "kern_message_queue", "covert_flock",
         "covert_abstract_socket", "kern_opponents_clock", "kern_shared_futex", "proc_signal_parent",
         "file_symlink", "file_tmpfile", "file_mkdir", "file_mknod", "file_own_memory", "file_handle", "net_families",
         "proc_priority", "proc_scheduler", "proc_pidfd", "proc_read_memory", "proc_outlives_the_arena",
         "proc_dumpable", "proc_signal_everybody", "proc_clone3", "mem_pipes", "mem_lock", "kern_personality",
         "kern_splice", "kern_posix_timer"],
        ["file_descriptors"],
    ),
    "no seccomp": (
        (LANDLOCK, RLIMITS, CAPABILITIES),
        ["net_socketpair", "mem_memfd", "kern_inotify", "covert_flock", "proc_affinity", "kern_opponents_clock",
         "file_handle", "net_families", "proc_priority", "proc_scheduler", "proc_pidfd", "proc_read_memory",
         "proc_outlives_the_arena", "proc_dumpable", "proc_signal_everybody", "kern_personality", "kern_splice",
         "kern_posix_timer", "kern_seccomp", "mem_shared_segment"],
        ["file_passwd", "mem_swallows_error", "proc_no_new_privs", "proc_thread", "proc_clone3", "mem_lock",
         "mem_pipes", "file_symlink", "file_tmpfile", "file_mkdir", "file_mknod", "file_own_memory"],
    ),
    "no Landlock": (
        (RLIMITS, CAPABILITIES, SECCOMP),
        ["file_passwd", "file_targets", "file_tmpfile"],
        ["net_socketpair", "mem_swallows_error", "file_symlink", "file_mkdir", "file_mknod", "file_handle"],
    ),
    "no Landlock, but namespaces": (
        (NAMESPACES, RLIMITS, CAPABILITIES, SECCOMP),
        ["file_parent_directory"],
        ["file_passwd", "file_targets", "file_proc", "covert_tmp", "file_write", "file_tmpfile", "file_own_memory"],
    ),
    "no Landlock, no seccomp, but namespaces": (
        (NAMESPACES, RLIMITS, CAPABILITIES),
        ["net_socketpair"],
        ["net_tcp_loopback", "net_udp", "covert_next_match", "file_chmod", "file_rename", "file_unlink", "file_touch",
         "file_xattr", "file_symlink", "file_mkdir", "file_mknod", "proc_signal_everybody"],
    ),
    "no limits": (
        (LANDLOCK, CAPABILITIES, SECCOMP),
        ["mem_swallows_error", "mem_pipes"],
        ["file_passwd", "net_socketpair"],
    ),
    "no namespaces": (
        (LANDLOCK, RLIMITS, CAPABILITIES, SECCOMP),
        ["file_exists"],
        ["proc_capabilities", "file_passwd", "file_parent_directory"],
    ),
    "no capabilities": (
        (NAMESPACES, LANDLOCK, RLIMITS, SECCOMP),
        ["proc_capabilities"],
        ["file_exists", "file_passwd", "net_socketpair", "kern_unshare"],
    ),
    "no capabilities, no seccomp": (
        (LANDLOCK, RLIMITS),
        ["proc_no_new_privs"],
        ["file_passwd", "mem_swallows_error"],
    ),
}  # fmt: skip
CASES = [
    (row, name, escapes)
    for row, (_, bites, holds) in ROWS.items()
    for escapes, names in ((True, bites), (False, holds))
    for name in names
]


@pytest.fixture(scope="module")
def sandboxes() -> Iterator[dict[str, Sandbox]]:
    started: dict[str, Sandbox] = {}
    yield started
    for sandbox in started.values():
        sandbox.close()


@pytest.fixture(scope="module")
def listener() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize(("row", "name", "escapes"), CASES)
def test_a_case_escapes_exactly_where_its_layer_is_off(
    sandboxes: dict[str, Sandbox], listener: int, row: str, name: str, escapes: bool
) -> None:
    if row not in sandboxes:
        sandboxes[row] = start_sandbox("unsafe", layers=ROWS[row][0])
    sandbox = sandboxes[row]
    honest = sandbox.store.put({"bot.py": HONEST})
    files = hostile_files(name, {"port": listener, "secret_files": ["/etc/hostname", "/etc/passwd"]})
    hostile = sandbox.store.put(files)
    opponent = hostile if name.startswith("covert") else honest
    ending = play_case(sandbox, [hostile, opponent], LONG if name.startswith("mem") else SHORT)
    assert ending.outcome == "ok", ending
    assert ("ESCAPED" in ending.log) is escapes, ending.log
