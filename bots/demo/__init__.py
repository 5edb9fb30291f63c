"""Five more bots of clearly different strength, for `make demo`; each one file that anybody could have uploaded."""

from pathlib import Path

#: File name without its suffix -> screen name.
DEMO = {
    "first_legal": "Prima Carta",
    "greedy_40": "Distratto",
    "greedy_15": "Ingordino",
    "medio_unhalved": "Avaro",
    "medio_ending": "Finalista",
}


def source(name: str) -> bytes:
    """The file of a demo bot, as uploaded."""
    if name not in DEMO:
        raise KeyError(name)
    return (Path(__file__).parent / f"{name}.py").read_bytes()
