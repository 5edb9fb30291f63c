"""The layers that confine a bot, each on its own, and the tiers that they make."""

NAMESPACES, LANDLOCK, RLIMITS, CAPABILITIES, SECCOMP = "namespaces", "landlock", "rlimits", "capabilities", "seccomp"
ORDER = (NAMESPACES, LANDLOCK, RLIMITS, CAPABILITIES, SECCOMP)
"""Order of applying: files, then limits, then privileges, then calls."""

TIERS: dict[str, tuple[str, ...]] = {
    "namespaces": ORDER,
    "landlock": (LANDLOCK, RLIMITS, CAPABILITIES, SECCOMP),
    "unsafe": (),
}
"""Best first."""
