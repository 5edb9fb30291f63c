"""A running tournament ends by itself, also with useless bots; roles that are killed: `test_killed_roles`."""

from pathlib import Path

import pytest

from config.devservices.arena import ArenaHome
from tests.reliability.site import running_site
from tests.reliability.test_killed_roles import tournament_is_sound

pytestmark = pytest.mark.slow


def test_a_tournament_ends_with_a_bot_that_always_crashes_and_one_that_never_answers(tmp_path: Path, arena: ArenaHome):
    with running_site(tmp_path, arena) as site:
        made = site.call("tests.reliability.tournament:start_with_useless_bots")
        assert made == {"matches": 3}
        assert tournament_is_sound(site) == []
        # The one that plays beats both; between the others the first to fail twice loses.
        points = site.call("tests.reliability.tournament:points_by_entry")
        assert points.pop("0") == 4
        assert sum(points.values()) == 2
        assert site.count("SELECT count(*) FROM bots_fault WHERE kind = 'timeout'") >= 2
        assert site.count("SELECT count(*) FROM bots_fault WHERE kind = 'crash'") >= 2
