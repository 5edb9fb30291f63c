"""Numbers of system calls, from the kernel's unistd headers: x86-64 and aarch64 (None: that machine has no such call).

The lists are the policy: what is in `ALLOWED` an interpreted bot may call with any argument, what is in `GUARDED`
only as `layers.seccomp` says, and nothing else.
"""

import os
from typing import NamedTuple


class Numbers(NamedTuple):
    """One call on the two machines."""

    x86_64: int | None
    aarch64: int | None


class Machine(NamedTuple):
    """A kind of processor: column of the tables and the audit constant that a filter sees."""

    name: str
    audit_arch: int


MACHINES = {"x86_64": Machine("x86_64", 0xC000003E), "aarch64": Machine("aarch64", 0xC00000B7)}

ALLOWED = {
    # reading what is open, and waiting for it
    "read": Numbers(0, 63),
    "write": Numbers(1, 64),
    "readv": Numbers(19, 65),
    "writev": Numbers(20, 66),
    "pread64": Numbers(17, 67),
    "lseek": Numbers(8, 62),
    "close": Numbers(3, 57),
    "close_range": Numbers(436, 436),
    "dup": Numbers(32, 23),
    "dup2": Numbers(33, None),
    "dup3": Numbers(292, 24),
    "pipe": Numbers(22, None),
    "pipe2": Numbers(293, 59),
    "poll": Numbers(7, None),
    "ppoll": Numbers(271, 73),
    "select": Numbers(23, None),
    "pselect6": Numbers(270, 72),
    "epoll_create": Numbers(213, None),
    "epoll_create1": Numbers(291, 20),
    "epoll_ctl": Numbers(233, 21),
    "epoll_wait": Numbers(232, None),
    "epoll_pwait": Numbers(281, 22),
    "epoll_pwait2": Numbers(441, 441),
    "eventfd2": Numbers(290, 19),
    "timerfd_create": Numbers(283, 85),
    "timerfd_settime": Numbers(286, 86),
    "timerfd_gettime": Numbers(287, 87),
    # finding and opening files: which ones is Landlock's word
    "open": Numbers(2, None),
    "openat": Numbers(257, 56),
    "access": Numbers(21, None),
    "faccessat": Numbers(269, 48),
    "faccessat2": Numbers(439, 439),
    "stat": Numbers(4, None),
    "lstat": Numbers(6, None),
    "fstat": Numbers(5, 80),
    "newfstatat": Numbers(262, 79),
    "statx": Numbers(332, 291),
    "statfs": Numbers(137, 43),
    "fstatfs": Numbers(138, 44),
    "readlink": Numbers(89, None),
    "readlinkat": Numbers(267, 78),
    "getdents": Numbers(78, None),
    "getdents64": Numbers(217, 61),
    "getcwd": Numbers(79, 17),
    "chdir": Numbers(80, 49),
    "umask": Numbers(95, 166),
    # memory: how much is the address-space limit's word
    "mmap": Numbers(9, 222),
    "munmap": Numbers(11, 215),
    "mprotect": Numbers(10, 226),
    "mremap": Numbers(25, 216),
    "madvise": Numbers(28, 233),
    "brk": Numbers(12, 214),
    "membarrier": Numbers(324, 283),
    # signals and timers of the process itself
    "rt_sigaction": Numbers(13, 134),
    "rt_sigprocmask": Numbers(14, 135),
    "rt_sigreturn": Numbers(15, 139),
    "rt_sigpending": Numbers(127, 136),
    "rt_sigtimedwait": Numbers(128, 137),
    "sigaltstack": Numbers(131, 132),
    "pause": Numbers(34, None),
    "alarm": Numbers(37, None),
    "setitimer": Numbers(38, 103),
    "getitimer": Numbers(36, 102),
    "restart_syscall": Numbers(219, 128),
    # time
    "nanosleep": Numbers(35, 101),
    "gettimeofday": Numbers(96, 169),
    "time": Numbers(201, None),
    "times": Numbers(100, 153),
    # who and where am I
    "getpid": Numbers(39, 172),
    "getppid": Numbers(110, 173),
    "gettid": Numbers(186, 178),
    "getuid": Numbers(102, 174),
    "geteuid": Numbers(107, 175),
    "getgid": Numbers(104, 176),
    "getegid": Numbers(108, 177),
    "getresuid": Numbers(118, 148),
    "getresgid": Numbers(120, 150),
    "getgroups": Numbers(115, 158),
    "getpgrp": Numbers(111, None),
    "capget": Numbers(125, 90),
    "uname": Numbers(63, 160),
    "sysinfo": Numbers(99, 179),
    "getrlimit": Numbers(97, 163),
    "getrusage": Numbers(98, 165),
    "getrandom": Numbers(318, 278),
    "getcpu": Numbers(309, 168),
    "sched_yield": Numbers(24, 124),
    "sched_getaffinity": Numbers(204, 123),
    "sched_get_priority_min": Numbers(147, 126),
    "sched_get_priority_max": Numbers(146, 125),
    # the thread that there is, and its end
    "set_robust_list": Numbers(273, 99),
    "get_robust_list": Numbers(274, 100),
    "set_tid_address": Numbers(218, 96),
    "rseq": Numbers(334, 293),
    "arch_prctl": Numbers(158, None),
    "wait4": Numbers(61, 260),
    "waitid": Numbers(247, 95),
    "exit": Numbers(60, 93),
    "exit_group": Numbers(231, 94),
}

GUARDED = {
    "clock_getres": Numbers(229, 114),
    "clock_gettime": Numbers(228, 113),
    "clock_nanosleep": Numbers(230, 115),
    "futex": Numbers(202, 98),
    "fcntl": Numbers(72, 25),
    "ioctl": Numbers(16, 29),
    "prctl": Numbers(157, 167),
    "prlimit64": Numbers(302, 261),
    "tgkill": Numbers(234, 131),
    "clone3": Numbers(435, 435),
}

OWN = {
    "clone": Numbers(56, 220),
    "pivot_root": Numbers(155, 41),
    "mount_setattr": Numbers(442, 442),
    "landlock_create_ruleset": Numbers(444, 444),
    "landlock_add_rule": Numbers(445, 445),
    "landlock_restrict_self": Numbers(446, 446),
}
"""What the zygote calls itself."""


def machine(name: str | None = None) -> Machine:
    """This machine, or the named one. Raises `OSError` for one without a policy."""
    name = name or os.uname().machine
    if name not in MACHINES:
        raise OSError(f"no system-call policy for the machine {name!r}")
    return MACHINES[name]


def number(call: str, on: Machine | None = None) -> int:
    """Number of one call on this machine, or on `on`. Raises `OSError` where it does not exist."""
    found: int | None = getattr((OWN | GUARDED | ALLOWED)[call], (on or machine()).name)
    if found is None:
        raise OSError(f"no system call {call}")
    return found
