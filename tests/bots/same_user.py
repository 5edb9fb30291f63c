"""Plays hostile bots in a sandbox of this process's user, who owns their files; prints how each ended as JSON.

python -m tests.bots.same_user TIER LAYERS NAME ...        (LAYERS by commas, or - for those of the tier)
"""

import json
import sys

from bots.sandbox import start_sandbox
from tests.bots.sandbox_driver import HONEST, LONG, SHORT, hostile_files, play_case


def main(tier: str, layers: str, *names: str) -> None:
    ended = {}
    with start_sandbox(tier, layers=() if layers == "-" else layers.split(",")) as sandbox:
        honest = sandbox.store.put({"bot.py": HONEST})
        for name in names:
            hostile = sandbox.store.put(hostile_files(name, {"port": 1, "secret_files": ["/etc/hostname"]}))
            ending = play_case(sandbox, [hostile, honest], LONG if name.startswith("mem") else SHORT)
            said = ["ESCAPED" if "ESCAPED" in ending.log else "contained" if "contained" in ending.log else ending.log]
            ended[name] = [ending.outcome, *said]
    print(json.dumps(ended))


if __name__ == "__main__":
    main(*sys.argv[1:])
