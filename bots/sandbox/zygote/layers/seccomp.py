"""Layer seccomp: the allow-list of `syscalls` as a classic BPF program, built with the standard library.

What is not listed answers EPERM: no sockets, processes, threads, exec, signals to others, file locks, kernel objects
that two bots could share. `clone3` answers ENOSYS: its flags lie behind a pointer, which a filter cannot read, and
the C library then falls back to `clone`, which is refused by number. Another architecture's calls (int 0x80) kill the
process.
"""

import ctypes
import errno
import struct
from typing import NamedTuple

from bots.sandbox.zygote import libc, syscalls
from bots.sandbox.zygote.syscalls import Machine

FCNTL = (0, 1, 2, 3, 4, 1030)
"""F_DUPFD F_GETFD F_SETFD F_GETFL F_SETFL F_DUPFD_CLOEXEC: no locks, leases, owners, pipe sizes."""
IOCTL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
"""TCGETS TIOCGWINSZ FIONREAD FIONBIO FIONCLEX FIOCLEX."""
PRCTL = (15, 16, 39)
"""PR_SET_NAME PR_GET_NAME PR_GET_NO_NEW_PRIVS."""
FUTEX_PRIVATE = 128
"""A futex of a shared page would be a place to meet: two bots may map the same library file."""
CLOCK_CALLS = ("clock_gettime", "clock_getres", "clock_nanosleep")
LAST_CLOCK = 11
"""CLOCK_TAI. Higher ones, as unsigned numbers, are CPU clocks of any process: the opponent's thinking."""

_LOAD, _EQUAL, _GREATER, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_DENY, _NO_SUCH_CALL = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_FILTER_MODE = 2
_NO_PID = 0x7FFF_FFFE


class Instruction(NamedTuple):
    """One step of classic BPF: operation, constant, and how many steps to skip when true or false."""

    operation: int
    constant: int
    if_true: int = 0
    if_false: int = 0


class _Program(ctypes.Structure):
    """struct sock_fprog. Made here, not where it is used: a class made in each child costs pages and time."""

    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def build(own_pid: int, machine: Machine | None = None) -> list[Instruction]:
    """The program for one bot. `own_pid` as the bot sees itself: `abort()` works, signalling others does not."""
    machine = machine or syscalls.machine()
    allowed = [n for n in (getattr(numbers, machine.name) for numbers in syscalls.ALLOWED.values()) if n is not None]
    return [
        Instruction(_LOAD, _ARCHITECTURE),
        Instruction(_EQUAL, machine.audit_arch, 1, 0),
        Instruction(_RETURN, _KILL),
        Instruction(_LOAD, _NUMBER),
        *_one_of("fcntl", 1, FCNTL, machine),
        *_one_of("ioctl", 1, IOCTL, machine),
        *_one_of("prctl", 0, PRCTL, machine),
        *_one_of("tgkill", 0, (own_pid,), machine),
        Instruction(_EQUAL, syscalls.number("clone3", machine), 0, 1),
        Instruction(_RETURN, _NO_SUCH_CALL),
        *_read_own_limits(machine),
        *_with_bits("futex", 1, FUTEX_PRIVATE, machine),
        *(step for call in CLOCK_CALLS for step in _up_to(call, 0, LAST_CLOCK, machine)),
        *_search(*_intervals(allowed)),  # numbers of the x32 convention lie above every interval
    ]


def assembled(program: list[Instruction]) -> bytes:
    """The program as an array of `struct sock_filter`."""
    return b"".join(struct.pack("<HBBI", i.operation, i.if_true, i.if_false, i.constant) for i in program)


class Template:
    """The program made once: only the bot's own pid is still to be filled in."""

    def __init__(self) -> None:
        """For this machine. Raises `OSError` where there is no policy for it."""
        program = build(_NO_PID)
        at = next(index for index, step in enumerate(program) if step.constant == _NO_PID)
        self._before = assembled(program[:at]) + assembled(program[at : at + 1])[:4]
        self._after = assembled(program[at + 1 :])

    def for_pid(self, pid: int) -> bytes:
        """The program of `build(pid)`, assembled."""
        return self._before + struct.pack("<I", pid) + self._after


def apply(program: bytes) -> None:
    """Put the calling process under `program` for good. Needs no_new_privs. Raises `OSError`."""
    buffer = ctypes.create_string_buffer(program, len(program))
    pointer = _Program(len(program) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    libc.checked(libc.prctl(libc.PR_SET_SECCOMP, _FILTER_MODE, ctypes.byref(pointer)), "seccomp")


def _one_of(call: str, argument: int, values: tuple[int, ...], machine: Machine) -> list[Instruction]:
    """If it is `call`: allowed when the low word of its argument is one of `values`, else refused."""
    steps = [Instruction(_LOAD, _ARGUMENTS + 8 * argument)]
    for value in values:
        steps += [Instruction(_EQUAL, value, 0, 1), Instruction(_RETURN, _ALLOW)]
    steps.append(Instruction(_RETURN, _DENY))
    return [Instruction(_EQUAL, syscalls.number(call, machine), 0, len(steps)), *steps]


def _with_bits(call: str, argument: int, bits: int, machine: Machine) -> list[Instruction]:
    """If it is `call`: allowed when its argument has one of `bits`, else refused."""
    return [
        Instruction(_EQUAL, syscalls.number(call, machine), 0, 4),
        Instruction(_LOAD, _ARGUMENTS + 8 * argument),
        Instruction(_ANY_BIT, bits, 0, 1),
        Instruction(_RETURN, _ALLOW),
        Instruction(_RETURN, _DENY),
    ]


def _up_to(call: str, argument: int, highest: int, machine: Machine) -> list[Instruction]:
    """If it is `call`: allowed when the low word of its argument is at most `highest`, else refused."""
    return [
        Instruction(_EQUAL, syscalls.number(call, machine), 0, 4),
        Instruction(_LOAD, _ARGUMENTS + 8 * argument),
        Instruction(_GREATER, highest, 1, 0),
        Instruction(_RETURN, _ALLOW),
        Instruction(_RETURN, _DENY),
    ]


def _read_own_limits(machine: Machine) -> list[Instruction]:
    """prlimit64 with pid 0 and no new limit (both words of the pointer zero): a bot may read its own limits."""
    words = (_ARGUMENTS, _ARGUMENTS + 16, _ARGUMENTS + 20)
    steps: list[Instruction] = []
    for left, offset in zip((5, 3, 1), words, strict=True):
        steps += [Instruction(_LOAD, offset), Instruction(_EQUAL, 0, 0, left)]
    steps += [Instruction(_RETURN, _ALLOW), Instruction(_RETURN, _DENY)]
    return [Instruction(_EQUAL, syscalls.number("prlimit64", machine), 0, len(steps)), *steps]


def _intervals(allowed: list[int]) -> tuple[list[int], list[int]]:
    """Numbers at which the verdict changes, and the verdicts between them: one more, refused first and last."""
    bounds = sorted(set(allowed) ^ {number + 1 for number in allowed})
    return bounds, [_ALLOW if index % 2 else _DENY for index in range(len(bounds) + 1)]


def _search(bounds: list[int], verdicts: list[int]) -> list[Instruction]:
    """A binary search: short ways matter, since the kernel walks the program for every number when it is installed."""
    if not bounds:
        return [Instruction(_RETURN, verdicts[0])]
    middle = len(bounds) // 2
    below = _search(bounds[:middle], verdicts[: middle + 1])
    above = _search(bounds[middle + 1 :], verdicts[middle + 1 :])
    return [Instruction(_AT_LEAST, bounds[middle], len(below), 0), *below, *above]
