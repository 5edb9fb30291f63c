"""State tables, over all pairs: which state may follow which."""

from itertools import product

import pytest

from accounts.foundation import BadState, advance
from bots.models import (
    MOVE_TRANSITIONS,
    RUN_TRANSITIONS,
    VERSION_TRANSITIONS,
    BotVersion,
    MatchRun,
    MoveRun,
    MoveState,
    RunState,
    VersionState,
)
from games.models import MATCH_TRANSITIONS, Match, MatchState

# By hand, from the design, so that a table cannot change without this list: state -> letters of what may follow.
MATCH = {"planned": "queued playing void", "queued": "planned playing void", "playing": "queued finished void"}
RUN = {"queued": "playing lost refused stopped", "playing": "done lost refused stopped"}
VERSION = {
    "uploaded": "checking retired",
    "checking": "uploaded qualified rejected retired",
    "qualified": "suspended retired",
    "rejected": "retired",
    "suspended": "qualified retired",
}
MOVE = {"open": "done lost stale"}
TABLES = [
    (Match, MatchState, MATCH_TRANSITIONS, MATCH),
    (MatchRun, RunState, RUN_TRANSITIONS, RUN),
    (MoveRun, MoveState, MOVE_TRANSITIONS, MOVE),
    (BotVersion, VersionState, VERSION_TRANSITIONS, VERSION),
]
PAIRS = [
    pytest.param(
        model, table, now, wanted, wanted in allowed.get(now, "").split(), id=f"{model.__name__}-{now}-{wanted}"
    )
    for model, states, table, allowed in TABLES
    for now, wanted in product(states.values, repeat=2)
]


@pytest.mark.parametrize(("model", "table", "now", "wanted", "is_allowed"), PAIRS)
def test_only_the_states_of_the_table_follow(model, table, now, wanted, is_allowed):
    row = model(state=now)
    if is_allowed:
        advance(row, wanted, table=table)
        assert row.state == wanted
    else:
        with pytest.raises(BadState) as refused:
            advance(row, wanted, table=table)
        assert refused.value.code == "bad_state"
        assert row.state == now


@pytest.mark.parametrize(("states", "table"), [(states, table) for _, states, table, _ in TABLES])
def test_every_state_stands_in_its_table(states, table):
    assert set(table) == set(states.values)
    assert {state for following in table.values() for state in following} <= set(states.values)
