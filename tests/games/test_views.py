"""Records to download, rules and words."""

import json
import subprocess
import sys

import pytest

from games import glossary
from games.engine import Rules
from games.engine.presets import PRESETS
from games.services import matches as verbs
from tests.factories import make_bot_match
from tests.league.played import faulty_match, play_deal, played_match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]


def verified(path):
    command = [sys.executable, "-m", "games.engine", "verify", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", ["record.json", "record.bella"])
@pytest.mark.parametrize("make", [played_match, faulty_match])
def test_a_downloaded_record_is_verified_by_the_engine(client, tmp_path, make, name):
    match = make()
    answer = client.get(f"/matches/{match.code}/{name}")
    file = tmp_path / name
    file.write_bytes(answer.content)
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{match.code}.{name.partition(".")[2]}"'
    assert verified(file).returncode == 0, verified(file).stderr
    if name == "record.json":
        data = json.loads(answer.content)
        data["deals"][-1]["points"] = [0, 120]
        file.write_text(json.dumps(data))
        assert verified(file).returncode == 1


def test_the_record_of_a_match_in_play_has_no_seed(client):
    match = make_bot_match()
    verbs.start(match=match)
    play_deal(match)
    data = client.get(f"/matches/{match.code}/record.json").json()
    assert "seed" not in data
    assert data["hidden"] == {"seed": "match_not_over"}
    assert len(data["deals"]) == 1
    assert bytes(match.seed).hex() not in client.get(f"/matches/{match.code}/record.bella").content.decode()


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_records_are_read_alone(client, method):
    match = played_match()
    assert getattr(client, method)(f"/matches/{match.code}/record.json").status_code == 405


@pytest.mark.parametrize("language", ["it", "en"])
def test_rules_and_words_open_in_both_languages(client, language):
    headers = {"Accept-Language": language}
    assert client.get("/learn/rules/", headers=headers).status_code == 200
    page = client.get("/learn/presets/", headers=headers).content.decode()
    assert all(f'id="{name}"' in page for name in PRESETS)
    assert all(Rules.preset(name, n).code in page for name, seats in PRESETS.items() for n in seats)
    text = client.get("/learn/glossary/", headers=headers).content.decode()
    assert all(f'id="{word.anchor}"' in text for word in glossary.words())
