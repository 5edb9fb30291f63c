"""Work for the reliability tests, and what is looked at when it is done. Runs in a process of the site (see `call`)."""

from itertools import combinations, cycle, islice
from typing import Any

from bots.models import MatchRun
from bots.services import matches as bot_matches
from games.engine import verify_match
from games.models import Match
from games.selectors import records
from tests.factories import bot_match_spec, make_version

#: A bot that takes its time without using the machine: 40 cards a deal make some 0.2 s.
SLEEPER = b"import time\n\n\ndef play(view):\n    time.sleep(0.004)\n    return view.hand[0]\n"


def start_matches(count: int) -> dict[str, Any]:
    """Matches between four slow bots, to be played at once."""
    versions = [make_version(content=SLEEPER + f"# {number}\n".encode()) for number in range(4)]
    pairs = islice(cycle(combinations(versions, 2)), count)
    made = bot_matches.create_many(specs=[bot_match_spec(*pair, group=f"t:{i % 2}") for i, pair in enumerate(pairs)])
    return {"matches": len(made)}


def inspect() -> dict[str, Any]:
    """What became of every match: what does not verify, states, deals, and the runs of each match in their order."""
    problems = {}
    for match in Match.objects.all():
        found = verify_match(records.bundle(match, None))
        if found:
            problems[match.code] = list(map(str, found))
    runs: dict[str, list[str]] = {}
    for run in MatchRun.objects.order_by("pk").select_related("match"):
        runs.setdefault(run.match.code, []).append(run.state)
    return {
        "problems": problems,
        "states": sorted(set(Match.objects.values_list("state", flat=True))),
        "matches": Match.objects.count(),
        "runs": runs,
        "orders": Match.objects.values("finish_seq").distinct().count(),
    }
