"""Layer rlimits: how much of each resource one bot may take. Soft and hard limits are equal."""

import resource

MIB = 1 << 20


def limits(memory_bytes: int, cpu_s: int) -> dict[str, int]:
    """Value of each limit by the name of its constant."""
    return {
        "RLIMIT_AS": memory_bytes,
        "RLIMIT_CPU": cpu_s,
        "RLIMIT_NOFILE": 64,
        "RLIMIT_FSIZE": 0,
        "RLIMIT_CORE": 0,
        "RLIMIT_MEMLOCK": 0,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_NPROC": 1,
        "RLIMIT_SIGPENDING": 16,
        "RLIMIT_STACK": 8 * MIB,
    }


def apply(memory_bytes: int, cpu_s: int) -> None:
    """Limit the calling process for good. Raises `OSError` or `ValueError` where the machine's own limits are lower."""
    for name, wanted in limits(memory_bytes, cpu_s).items():
        which = getattr(resource, name)
        hard = resource.getrlimit(which)[1]
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(which, (value, value))
