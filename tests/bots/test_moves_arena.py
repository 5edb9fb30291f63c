"""The whole way of a bot's card: a person's request, broker, the arena's worker in its sandbox, registrar, table."""

import statistics
import time

import pytest
from django.test import Client

from bots import house
from bots.models import Fault, MoveRun, MoveState
from games.engine import card_code
from games.models import DealEnd, Match
from tests.conftest import poll
from tests.factories import make_version
from tests.games.tables import make_table, now, seats

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.xdist_group("arena_shell"),
    pytest.mark.slow,
]


def moved_on(match: Match, ply: int) -> bool:
    found = now(match)
    return found.in_play is None or (found.turn == 1 and found.deal is not None and len(found.deal.plays) > ply)


def test_a_person_plays_a_match_against_a_house_bot(arena_and_registrar):
    match = make_table(make_version("Medio", content=house.source("medio")), rules="n=2 format=deals:1", clock="180+5")
    player = seats(match)[1]
    assert player.user is not None
    client = Client()
    client.force_login(player.user)
    poll(lambda: now(match).turn == 1, limit=30)
    waits = []
    while (found := now(match)).in_play is not None:
        assert found.deal is not None
        ply, card = len(found.deal.plays), card_code(found.deal.legal()[-1])
        begin = time.monotonic()
        answer = client.post(
            f"/matches/{match.code}/plays", {"deal": 1, "ply": ply, "card": card}, content_type="application/json"
        )
        assert answer.status_code == 200, answer.content
        if not moved_on(match, ply):
            poll(lambda ply=ply: moved_on(match, ply), limit=15, every=0.005)
            waits.append(time.monotonic() - begin)
    assert MoveRun.objects.filter(match=match, state=MoveState.DONE).count() == 20
    assert MoveRun.objects.exclude(state=MoveState.DONE).count() == 0
    assert Match.objects.get(pk=match.pk).is_over
    # 150 ms on a machine that does nothing else; here other tests run beside it.
    assert statistics.median(waits) < 1.0


def test_a_bot_that_crashes_loses_its_deal_at_a_table_of_people(arena_and_registrar):
    version = make_version("Rotto", content=b"def play(view):\n    raise ValueError('no idea')\n")
    match = make_table(version, rules="n=2 format=deals:1")
    if now(match).turn == 1:
        client = Client()
        client.force_login(seats(match)[1].user)  # type: ignore[arg-type]
        card = card_code(now(match).deal.legal()[0])  # type: ignore[union-attr]
        client.post(
            f"/matches/{match.code}/plays", {"deal": 1, "ply": 0, "card": card}, content_type="application/json"
        )
    poll(lambda: Match.objects.get(pk=match.pk).is_over, limit=30)
    found = now(match)
    assert found.row is not None
    assert (found.row.termination, found.row.fault_seat, found.match.winner_side) == (DealEnd.CRASH, 0, 1)
    assert Fault.objects.get().detail == "ValueError: no idea"
