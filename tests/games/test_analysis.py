"""Analyses of finished matches: made once, in the background, for whoever may see the cards."""

import pytest

from games.engine import analyse
from games.errors import AnalysisNotYet
from games.models import Analysis, Match
from games.selectors.records import record_of
from games.services import analysis
from games.services import matches as verbs
from games.tasks import make_analyses
from tests.factories import make_bot_match
from tests.league.played import faulty_match, play_deal, played_match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]


def in_play() -> Match:
    """A match of which one deal is over."""
    match = make_bot_match()
    verbs.start(match=match)
    play_deal(match)
    return match


def test_an_analysis_is_asked_for_once_and_made_by_the_task() -> None:
    match = played_match()
    assert not analysis.want(match=match)
    assert not analysis.want(match=match)
    assert Analysis.objects.wanted().count() == match.deals.count()
    make_analyses()
    assert analysis.want(match=match)
    for deal in match.deals.all():
        found = analyse(record_of(match, deal))
        assert deal.analysis.luck == list(found.luck or ())
        assert [(play["ply"], play["lost"]) for play in deal.analysis.plays] == [
            (play.ply, play.lost) for play in found.plays
        ]
        assert deal.analysis.method == "luck-1 open-8"


def test_what_is_made_is_never_made_again() -> None:
    match = played_match()
    analysis.want(match=match)
    assert analysis.make_wanted() == match.deals.count()
    before = list(Analysis.objects.values_list("pk", "made_at"))
    analysis.want(match=match)
    assert analysis.make_wanted() == 0
    assert list(Analysis.objects.values_list("pk", "made_at")) == before


def test_a_deal_that_cannot_be_analysed_stands_in_nobody_s_way() -> None:
    broken, match = played_match(), played_match(seed=2)
    analysis.want(match=broken)
    analysis.want(match=match)
    broken.deals.update(plays="AD" * 40)
    assert analysis.make_wanted() == broken.deals.count() + match.deals.count()
    assert analysis.want(match=match)
    assert {(row.luck is None, row.plays == []) for row in Analysis.objects.filter(deal__match=broken)} == {
        (True, True)
    }


def test_who_walks_through_all_replays_fills_no_endless_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "MOST_WANTED", 1)  # 500 real matches would tell the same
    first, second = played_match(), played_match(seed=2)
    analysis.want(match=first)
    assert not analysis.want(match=second)
    assert not Analysis.objects.filter(deal__match=second).exists()
    analysis.make_wanted()
    assert not analysis.want(match=second)
    assert Analysis.objects.filter(deal__match=second).count() == second.deals.count()


def test_a_deal_lost_by_a_fault_has_no_luck() -> None:
    match = faulty_match()
    analysis.want(match=match)
    analysis.make_wanted()
    assert [deal.analysis.luck is None for deal in match.deals.order_by("number")][:2] == [True, False]


def test_before_the_end_there_is_nothing(client) -> None:
    match = in_play()
    with pytest.raises(AnalysisNotYet):
        analysis.want(match=match)
    assert client.get(f"/matches/{match.code}/analysis.json").status_code == 409
    answer = client.get(f"/api/v1/matches/{match.code}/analysis/")
    assert (answer.status_code, answer.json()["code"]) == (409, "analysis.not_yet")
    assert not Analysis.objects.exists()
    assert "data-analysis" not in client.get(f"/matches/{match.code}/replay/").content.decode()


@pytest.mark.parametrize("address", ["/matches/{}/analysis.json", "/api/v1/matches/{}/analysis/"])
def test_who_asks_waits_and_then_gets_every_deal(client, address) -> None:
    match = played_match()
    first = client.get(address.format(match.code))
    assert (first.status_code, first.json(), first.headers["Retry-After"]) == (202, {"deals": []}, "1")
    analysis.make_wanted()
    second = client.get(address.format(match.code))
    assert second.status_code == 200
    assert [deal["number"] for deal in second.json()["deals"]] == list(range(1, match.deals.count() + 1))
    assert {"number", "method", "luck", "plays"} == set(second.json()["deals"][0])


@pytest.mark.parametrize("address", ["/matches/{}/analysis.json", "/api/v1/matches/{}/analysis/"])
def test_a_private_match_has_no_analysis_for_others(client, address) -> None:
    match = played_match()
    Match.objects.filter(pk=match.pk).update(visibility="private")
    assert client.get(address.format(match.code)).status_code == 404
    assert client.get(address.format("NOBODY")).status_code == 404
    assert not Analysis.objects.exists()


def test_a_mirrored_match_waits_for_its_set(client) -> None:
    match = played_match()
    other = make_bot_match()
    Match.objects.filter(pk=match.pk).update(mirror_set="00000000-0000-4000-8000-000000000001")
    Match.objects.filter(pk=other.pk).update(mirror_set="00000000-0000-4000-8000-000000000001", mirror_index=1)
    assert client.get(f"/matches/{match.code}/analysis.json").status_code == 409


def test_the_replay_asks_and_shows_what_is_made(client) -> None:
    match = played_match()
    assert 'data-state="wanted"' in client.get(f"/matches/{match.code}/replay/").content.decode()
    analysis.make_wanted()
    page = client.get(f"/matches/{match.code}/replay/", headers={"Accept-Language": "it"}).content.decode()
    assert 'data-state="made"' in page
    assert "Fortuna delle carte" in page
