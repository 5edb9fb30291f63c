"""Verbs that meet: one waits for the other, and what holds afterwards is what either order would give."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from accounts.foundation import lock_one
from league.models import League, Tournament
from league.services import leagues, progress, rounds, tournaments
from tests.conftest import poll
from tests.league.playing import make_tournament, waiting

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_valkey")]


def _somebody_waits_for_a_row() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND pid IN "
            "(SELECT pid FROM pg_stat_activity WHERE datname = current_database())"
        )
        return bool(cursor.fetchone()[0])


def test_a_round_that_is_released_while_the_league_is_being_paused_waits():
    tournament, organiser = make_tournament(4, release_every_s=3600)
    tournaments.start(tournament=tournament, actor=organiser)
    later = timezone.now() + timedelta(hours=2)

    def pause() -> League:
        try:
            return leagues.pause(league=tournament.league, actor=organiser, reason="The site moves house.")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as other:
        with transaction.atomic():
            held = lock_one(Tournament.objects.filter(pk=tournament.pk).select_related("league"))
            pausing = other.submit(pause)
            poll(lambda: pausing.done() or _somebody_waits_for_a_row(), limit=20)
            before = len(waiting(tournament))
            released = rounds.release_due(tournament=held, now=later)
        assert pausing.result(20).state == "paused"

    assert released == 1
    assert len(waiting(tournament)) == 2 * before
    assert {match.on_hold for match in waiting(tournament)} == {True}


def test_no_round_is_released_by_who_waited_for_a_tournament_while_its_league_was_paused():
    tournament, organiser = make_tournament(4, release_every_s=3600)
    tournaments.start(tournament=tournament, actor=organiser)
    tournament.stages.get().rounds.update(released_at=None)  # the next one is due at once
    before = len(waiting(tournament))

    def tick() -> int:
        try:
            return progress.release_due()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as other:
        with transaction.atomic():
            leagues.pause(league=tournament.league, actor=organiser, reason="The site moves house.")
            ticking = other.submit(tick)
            poll(lambda: ticking.done() or _somebody_waits_for_a_row(), limit=20)
        assert ticking.result(20) == 0

    assert len(waiting(tournament)) == before
