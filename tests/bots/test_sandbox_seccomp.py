"""The system-call policy: its numbers are the kernel's, and the program says what the lists say."""

import errno
import functools
import json
import re
from pathlib import Path

import pytest

from bots.sandbox.zygote import syscalls
from bots.sandbox.zygote.layers import seccomp
from bots.sandbox.zygote.syscalls import ALLOWED, GUARDED, MACHINES, OWN, Machine

X86_64 = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
GENERIC = Path("/usr/include/asm-generic/unistd.h")
TABLE = Path(__file__).with_name("syscall_numbers.json")

ALLOW, KILL, DENY, NO_SUCH_CALL = 0x7FFF0000, 0x80000000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
OWN_PID = 4321


def read_header(path: Path) -> dict[str, int]:
    """Numbers of a unistd header; the generic one names some calls of 64-bit machines by way of `__NR3264_`."""
    text = path.read_text()
    numbers = {name: int(number) for name, number in re.findall(r"#define (__NR\w*_\w+)\s+(\d+)", text)}
    for name, other in re.findall(r"#define (__NR_\w+)\s+(__NR3264_\w+)", text):
        if other in numbers:
            numbers[name] = numbers[other]
    return {name.removeprefix("__NR_"): number for name, number in numbers.items() if name.startswith("__NR_")}


def kernels(machine: str) -> dict[str, int]:
    """The kernel's numbers: from its header where it is installed, else from the table made of it."""
    header = {"x86_64": X86_64, "aarch64": GENERIC}[machine]
    return read_header(header) if header.exists() else json.loads(TABLE.read_text())[machine]


@pytest.mark.parametrize("machine", MACHINES)
def test_every_number_is_the_kernels(machine: str) -> None:
    ours = {name: getattr(numbers, machine) for name, numbers in (ALLOWED | GUARDED | OWN).items()}
    theirs = kernels(machine)
    assert {name: number for name, number in ours.items() if number is not None} == {
        name: theirs[name] for name, number in ours.items() if number is not None
    }
    assert [name for name, number in ours.items() if number is None and name in theirs] == []


@pytest.mark.parametrize(("machine", "header"), [("x86_64", X86_64), ("aarch64", GENERIC)])
def test_the_committed_table_is_the_header(machine: str, header: Path) -> None:
    if not header.exists():
        pytest.skip(f"no kernel header {header}")
    theirs = read_header(header)
    table = json.loads(TABLE.read_text())[machine]
    assert table == {name: theirs[name] for name in table}


@functools.cache
def program_of(machine: Machine) -> list[seccomp.Instruction]:
    return seccomp.build(OWN_PID, machine)


def run(machine: Machine, number: int, *arguments: int, arch: int | None = None) -> int:
    """What the program answers to a call: classic BPF, run here step by step."""
    words = [number, machine.audit_arch if arch is None else arch, 0, 0]
    for value in (*arguments, 0, 0, 0, 0, 0, 0)[:6]:
        words += [value & 0xFFFFFFFF, value >> 32 & 0xFFFFFFFF]
    program, at, accumulator = program_of(machine), 0, 0
    while True:
        step = program[at]
        at += 1
        match step.operation:
            case 0x20:
                accumulator = words[step.constant // 4]
            case 0x06:
                return step.constant
            case _:
                true = {
                    0x15: accumulator == step.constant,
                    0x25: accumulator > step.constant,
                    0x35: accumulator >= step.constant,
                    0x45: bool(accumulator & step.constant),
                }[step.operation]
                at += step.if_true if true else step.if_false


@pytest.mark.parametrize("machine", MACHINES.values(), ids=str)
def test_the_program_allows_the_list_and_nothing_else(machine: Machine) -> None:
    allowed = {getattr(numbers, machine.name) for numbers in ALLOWED.values()} - {None}
    guarded = {getattr(numbers, machine.name) for numbers in GUARDED.values()}
    got = {number for number in range(1024) if number not in guarded and run(machine, number) == ALLOW}
    assert got == allowed
    assert {run(machine, number) for number in range(1024) if number not in allowed | guarded} == {DENY}
    assert run(machine, 0x40000000) == DENY  # read in the x32 convention
    assert run(machine, 2**32 - 1) == DENY


@pytest.mark.parametrize("machine", MACHINES.values(), ids=str)
def test_another_architecture_kills(machine: Machine) -> None:
    for arch in {0x40000003, 0xC000003E, 0xC00000B7} - {machine.audit_arch}:
        assert run(machine, 0, arch=arch) == KILL


# call, arguments, answer
GUARDS = [
    ("fcntl", (0, 0), ALLOW), ("fcntl", (0, 1030), ALLOW), ("fcntl", (0, 6), DENY), ("fcntl", (0, 1031), DENY),
    ("fcntl", (0, 8), DENY), ("ioctl", (0, 0x5401), ALLOW), ("ioctl", (0, 0x5412), DENY), ("prctl", (15,), ALLOW),
    ("prctl", (39,), ALLOW), ("prctl", (1,), DENY), ("prctl", (4,), DENY), ("tgkill", (OWN_PID, 7, 6), ALLOW),
    ("tgkill", (OWN_PID + 1, 7, 6), DENY), ("clone3", (), NO_SUCH_CALL), ("prlimit64", (0, 7, 0), ALLOW),
    ("prlimit64", (1, 7, 0), DENY), ("prlimit64", (0, 7, 1), DENY), ("prlimit64", (0, 7, 1 << 32), DENY),
    ("futex", (0, 128), ALLOW), ("futex", (0, 0x189), ALLOW), ("futex", (0, 0), DENY), ("futex", (0, 1), DENY),
    ("clock_gettime", (0,), ALLOW), ("clock_gettime", (11,), ALLOW), ("clock_gettime", (12,), DENY),
    ("clock_gettime", (-33 & 2**32 - 1,), DENY), ("clock_getres", (-33 & 2**32 - 1,), DENY),
    ("clock_nanosleep", (1,), ALLOW), ("clock_nanosleep", (-33 & 2**32 - 1,), DENY),
]  # fmt: skip


@pytest.mark.parametrize("machine", MACHINES.values(), ids=str)
@pytest.mark.parametrize(("call", "arguments", "answer"), GUARDS)
def test_a_guarded_call_is_judged_by_its_arguments(
    machine: Machine, call: str, arguments: tuple[int, ...], answer: int
) -> None:
    assert run(machine, syscalls.number(call, machine), *arguments) == answer


def test_every_guard_has_a_case() -> None:
    assert {call for call, _, _ in GUARDS} == set(GUARDED)


def test_the_program_fits_the_kernels_limit() -> None:
    for machine in MACHINES.values():
        program = seccomp.build(OWN_PID, machine)
        assert len(program) < 4096
        assert len(seccomp.assembled(program)) == 8 * len(program)
        assert max(max(step.if_true, step.if_false) for step in program) < 256


def test_the_template_gives_the_program_of_each_pid() -> None:
    template = seccomp.Template()
    for pid in (1, 4321, 4194304):
        assert template.for_pid(pid) == seccomp.assembled(seccomp.build(pid))


def test_an_unknown_machine_is_refused() -> None:
    with pytest.raises(OSError, match="no system-call policy for the machine 'riscv64'"):
        syscalls.machine("riscv64")
