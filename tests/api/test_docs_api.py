"""The commands of docs/api.md do what they say, as they stand there, against the real site and arena."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bots.models import BotVersion
from league.models import Entry, Membership
from league.services import tournaments
from tests.accounts.factories import make_user
from tests.api.world import SHORT, played, token_of
from tests.bots.conftest import arena_and_registrar  # noqa: F401  (a fixture)
from tests.conftest import PROJECT
from tests.league.playing import make_league, make_tournament

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.xdist_group("arena_shell"),
    pytest.mark.slow,
]
TEXT = (PROJECT / "docs" / "api.md").read_text()
BLOCKS = re.findall(r"<!-- run -->\n```sh\n(.*?)```", TEXT, re.DOTALL)


def test_the_examples_of_the_document_run(arena_and_registrar, site: str, tmp_path: Path) -> None:  # noqa: F811
    assert len(BLOCKS) == TEXT.count("<!-- run -->") == 9
    author, league = make_user(), make_league()
    over, organiser = make_tournament(league=league, settings=SHORT)
    played(over, organiser)
    new = tournaments.create(league=league, actor=organiser, name="Aperto", settings=SHORT)
    tournaments.open_registration(tournament=new, actor=organiser)
    environment = os.environ | {
        "SITE": site, "TOKEN": token_of(author), "LEAGUE": league.slug, "OPEN": new.code, "TOURNAMENT": over.code,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": str(PROJECT),
    }  # fmt: skip
    done = subprocess.run(
        ["sh", "-eux", "-c", "\n".join(BLOCKS)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=150, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    version = BotVersion.objects.get(bot__owner=author)
    assert version.state == "qualified"
    assert Membership.objects.get(league=league, player=version.bot.player).state == "active"
    assert Entry.objects.get(tournament=new).state == "accepted"
    assert "qualified\nok " in done.stdout
    assert re.search(r"^12 matches$", done.stdout, re.MULTILINE)
    assert (tmp_path / "match.bella").read_text().startswith("[")


def test_every_code_of_the_table_of_refusals_exists() -> None:
    sources = "".join(
        path.read_text()
        for app in ("accounts", "games", "bots", "league", "config")
        for path in (PROJECT / app).rglob("*.py")
    )
    table = TEXT.partition("## Refusals")[2].partition("## Limits")[0]
    codes = [
        code
        for row in re.findall(r"^\| [\d, ]+ \| ([^|]+) \|", table, re.MULTILINE)
        for code in re.findall(r"`([^`*]+)`", row)
    ]
    assert len(codes) >= 18
    assert [code for code in codes if f'"{code}"' not in sources] == []


def test_the_limits_of_the_document_are_those_of_the_site() -> None:
    from bots.services.uploads import DAILY_QUOTA
    from config.settings.apps import THROTTLE_RATES

    limits = TEXT.partition("## Limits")[2]
    anonymous, user, upload, quota = re.findall(r"\d+", limits)[:4]
    assert (f"{anonymous}/min", f"{user}/min", f"{upload}/hour", int(quota)) == (
        THROTTLE_RATES["anon"], THROTTLE_RATES["user"], THROTTLE_RATES["upload"], DAILY_QUOTA,
    )  # fmt: skip
