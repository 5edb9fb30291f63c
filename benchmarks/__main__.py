"""Run benchmarks one after the other, each in a process of its own:  python -m benchmarks [--list] [NAME ...]

Without names all of them. `make bench` does the same with services running (`make bench ARGS="engine elo"`). Every
benchmark prints what it measures beside what it must reach. Exit status: 0 all figures are met, 1 a figure is missed
or a benchmark failed, 2 an unknown name.
"""

import argparse
import ast
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
USAGE = 2


def found(project: Path = PROJECT) -> dict[str, str]:
    """Name -> first line of what it says of itself, of every module here that can be run."""
    sources = {path.stem: path.read_text() for path in sorted((project / "benchmarks").glob("[a-z]*.py"))}
    return {
        name: (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
        for name, source in sources.items()
        if 'if __name__ == "__main__":' in source
    }


def main(arguments: Sequence[str] | None = None, *, project: Path = PROJECT) -> int:
    """Run what is named; see the module for the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Run benchmarks one after the other.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all of them")
    parser.add_argument("--list", action="store_true", help="show the names, run nothing")
    chosen = parser.parse_args(arguments)
    known = found(project)
    if chosen.list:
        for name, subject in known.items():
            print(f"{name:<14} {subject}")
        return 0
    if unknown := sorted(set(chosen.names) - set(known)):
        print(f"no benchmark {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return USAGE
    missed = [name for name in chosen.names or known if not _is_met(name, project)]
    print(f"\nmissed: {', '.join(missed)}" if missed else "\nall figures are met")
    return 1 if missed else 0


def _is_met(name: str, project: Path) -> bool:
    """Run one; its lines are ours."""
    print(f"\n== {name}", flush=True)
    began = time.monotonic()
    status = subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], cwd=project, check=False).returncode
    print(f"== {name}: {'met' if status == 0 else f'missed (status {status})'}, {time.monotonic() - began:.0f} s")
    return status == 0


if __name__ == "__main__":
    sys.exit(main())
