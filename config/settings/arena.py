"""How work is handed to the arena.  The arena itself is configured by config.arena."""

import os

from config import env

#: Children that play matches (queue `arena`), over all machines: the dispatcher keeps about 20 s of work for each.
ARENA_CHILDREN = env.whole("ARENA_CHILDREN", max(1, min(8, (os.cpu_count() or 1) - 1)))
#: Seconds that a run lives without a sign of its worker, and how often dead ones are looked for.
ARENA_LEASE_S = env.whole("ARENA_LEASE_S", 60)
ARENA_SWEEP_S = env.whole("ARENA_SWEEP_S", 10)
#: Seconds of a check after which no further games are added to those that every version must play.
CHECK_BUDGET_S = env.whole("CHECK_BUDGET_S", 20)
#: What the arena was told about its sandbox, and the weakest tier whose reports are taken: below it only with DEBUG.
BOTS_SANDBOX = env.optional("BOTS_SANDBOX", "auto")
ARENA_TIER_MIN = "unsafe" if BOTS_SANDBOX == "unsafe" and env.flag("DEBUG") else "landlock"
