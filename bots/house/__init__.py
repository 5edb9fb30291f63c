"""The house bots, each one file that anybody could have uploaded; three levels to play against, and two baselines."""

from pathlib import Path

#: File name without its suffix -> screen name; weakest first.
HOUSE = {
    "random": "Casuale",
    "principiante": "Principiante",
    "greedy": "Ingordo",
    "medio": "Medio",
    "esperto": "Esperto",
}
#: Those that every new version meets while it is checked.
BASELINES = ("random", "greedy")


def source(name: str) -> bytes:
    """The file of a house bot, as uploaded."""
    if name not in HOUSE:
        raise KeyError(name)
    return (Path(__file__).parent / f"{name}.py").read_bytes()
