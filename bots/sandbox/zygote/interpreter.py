"""What an interpreter needs to read."""

import os
import sysconfig


def readable_paths() -> list[str]:
    """Its standard library and the folders of the shared objects that are mapped now, none below another."""
    paths = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    with open("/proc/self/maps") as maps:
        mapped = (line.split(maxsplit=5)[-1].strip() for line in maps)
        paths |= {os.path.dirname(file) for file in mapped if file.startswith("/") and ".so" in file}
    real = {os.path.realpath(path) for path in paths}
    folders = {path for path in real if os.path.isdir(path)}
    return sorted(p for p in folders if not any(p != other and p.startswith(other + "/") for other in folders))
