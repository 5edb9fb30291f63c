"""The house bots, each one file that anybody could have uploaded. Screen names: Casuale, Ingordo, Medio."""

from pathlib import Path

#: File name without its suffix -> screen name; weakest first.
HOUSE = {"random": "Casuale", "greedy": "Ingordo", "medio": "Medio"}
#: Those that every new version meets while it is checked.
BASELINES = ("random", "greedy")


def source(name: str) -> bytes:
    """The file of a house bot, as uploaded."""
    if name not in HOUSE:
        raise KeyError(name)
    return (Path(__file__).parent / f"{name}.py").read_bytes()
