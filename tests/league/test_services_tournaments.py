"""Tournaments: bad input, preview, freezing, timed release, pausing, cancelling, ending."""

import hashlib
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.models import Match, MatchState
from games.services import matches as match_verbs
from league.models import (
    AuditEntry,
    Entry,
    Pairing,
    PairingState,
    RatedMatch,
    RatingPeriod,
    Round,
    RoundState,
    Standing,
    TournamentState,
)
from league.pairing import schedule
from league.services import leagues, progress, results, standings, tournaments
from league.services.ratings import periods
from league.services.tournaments import RoundRobinSettings
from tests.accounts.factories import make_user
from tests.factories import make_version
from tests.league.playing import finish_all, give_result, make_league, make_tournament, refused, waiting

pytestmark = pytest.mark.django_db
REASON = "The hall is being swept."
PLAIN = RoundRobinSettings(encounter=1, mirrored=False)


def _boards(tournament):
    """Who meets whom: round -> list of (entry at seat 0, entry at seat 1), and who rests."""
    found = {}
    for pairing in Pairing.objects.filter(stage__tournament=tournament).select_related("round").order_by("board"):
        first, second = pairing.slots.order_by("index")
        found.setdefault(pairing.round.number, []).append((first.entry_id, second.entry_id))
    return found


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"settings": RoundRobinSettings(encounter=3)}, "odd_encounter"),
        ({"settings": RoundRobinSettings(encounter=0)}, "bad_encounter"),
        ({"settings": RoundRobinSettings(encounter=201, mirrored=False)}, "bad_encounter"),
        ({"settings": RoundRobinSettings(best_of=2)}, "bad_best_of"),
        ({"settings": RoundRobinSettings(best_of=9)}, "bad_best_of"),
        ({"settings": RoundRobinSettings(encounter_scoring="luck")}, "bad_choice"),
        ({"control": "magic"}, "bad_choice"),
        ({"release_every_s": -1}, "bad_number"),
        ({"release_every_s": 8 * 24 * 3600}, "bad_number"),
        ({"name": " "}, "bad_name"),
        ({"name": "x" * 81}, "bad_name"),
        ({"about": "x" * 2001}, "about_too_long"),
        ({"capacity": 2}, "size_limit"),
        ({"capacity": 65}, "size_limit"),
        ({"min_entries": 2}, "size_limit"),
        ({"min_entries": 9, "capacity": 8}, "size_limit"),
        ({"rules": "n=3"}, "two_sides_only"),
        ({"rules": "n=4"}, "two_players_only"),
        ({"rules": "n=two"}, "bad_rules"),
    ],
)
def test_a_tournament_is_not_made_of_what_cannot_be(fields, code):
    league = make_league()
    owner = league.memberships.get().player.user
    with refused(code, status=422):
        tournaments.create(**{"league": league, "actor": owner, "name": "Coppa", "settings": PLAIN} | fields)


def test_a_tournament_needs_an_open_league_to_start_in():
    league = make_league()
    owner = league.memberships.get().player.user
    draft = tournaments.create(league=league, actor=owner, name="Coppa", settings=PLAIN)
    leagues.pause(league=league, actor=owner, reason=REASON)
    with refused("league_not_open"):
        tournaments.create(league=league, actor=owner, name="Coppa", settings=PLAIN)
    with refused("league_not_open"):
        tournaments.open_registration(tournament=draft, actor=owner)
    leagues.publish(league=league, actor=owner)
    ready, organiser = make_tournament(3, league=league, settings=PLAIN)
    leagues.pause(league=league, actor=owner, reason=REASON)
    with refused("league_not_open"):
        tournaments.start(tournament=ready, actor=organiser)


def test_every_act_on_a_tournament_leaves_a_line():
    tournament, organiser = make_tournament(3, settings=PLAIN)
    tournaments.start(tournament=tournament, actor=organiser)
    tournaments.pause(tournament=tournament, actor=organiser, reason=REASON)
    tournaments.resume(tournament=tournament, actor=organiser)
    finish_all(tournament)
    lines = AuditEntry.objects.filter(tournament=tournament).exclude(action="entry.enter").order_by("pk")
    assert [(line.action, line.actor, line.target, line.reason) for line in lines] == [
        ("tournament.create", organiser, "Coppa", ""),
        ("tournament.open", organiser, "Coppa", ""),
        ("tournament.close", organiser, "Coppa", ""),
        ("tournament.start", organiser, "Coppa", ""),
        ("round.release", None, "1", ""),
        ("round.release", None, "2", ""),
        ("round.release", None, "3", ""),
        ("tournament.pause", organiser, "Coppa", REASON),
        ("tournament.resume", organiser, "Coppa", ""),
        ("tournament.finish", None, "Coppa", ""),
    ]


def test_both_seeds_are_committed_at_the_registration_and_published_at_the_end():
    tournament, organiser = make_tournament(3, settings=PLAIN)
    tournaments.start(tournament=tournament, actor=organiser)
    seeds = {"seed": bytes(tournament.seed).hex(), "deal_seed": bytes(tournament.deal_seed).hex()}
    log = AuditEntry.objects.filter(tournament=tournament)
    published = log.get(action="tournament.open").after
    assert published == {name: hashlib.sha256(bytes.fromhex(seed)).hexdigest() for name, seed in seeds.items()}
    assert not [line for line in log if seeds["seed"] in str(line.after) or seeds["deal_seed"] in str(line.after)]
    finish_all(tournament)
    assert log.get(action="tournament.finish").after == seeds


@pytest.mark.parametrize(("count", "double"), [(3, False), (4, True), (5, True), (6, False)])
def test_the_start_draws_what_the_preview_showed(count, double):
    tournament, organiser = make_tournament(
        count, settings=RoundRobinSettings(encounter=1, mirrored=False, double=double)
    )
    seen = tournaments.preview(tournament=tournament)
    assert seen == tournaments.preview(tournament=tournament)
    tournament = tournaments.start(tournament=tournament, actor=organiser)
    assert tournaments.preview(tournament=tournament) == seen
    by_number = dict(enumerate((entry.pk for entry in seen.entries), start=1))
    wanted = {}
    for round_ in seen.rounds:
        wanted[round_.number] = [(by_number[board.seat_0], by_number[board.seat_1]) for board in round_.boards]
        if round_.resting is not None:
            wanted[round_.number].append((by_number[round_.resting], None))
    assert _boards(tournament) == wanted
    assert Match.objects.count() == seen.matches
    assert seen.rounds == schedule(range(1, count + 1), double=double)


def test_the_preview_writes_nothing_and_says_when_there_are_too_few():
    league = make_league()
    owner = league.memberships.get().player.user
    tournament = tournaments.create(league=league, actor=owner, name="Coppa", settings=PLAIN)
    with refused("size_limit"):
        tournaments.preview(tournament=tournament)


def test_the_versions_are_those_of_the_moment_when_the_registration_closed():
    versions = [make_version() for _number in range(3)]
    tournament, organiser = make_tournament(versions=versions, settings=PLAIN)
    later = make_version(owner=versions[0].bot.owner)
    type(later).objects.filter(pk=later.pk).update(bot=versions[0].bot, number=2)
    versions[0].bot.active_version = later
    versions[0].bot.save()
    tournaments.start(tournament=tournament, actor=organiser)
    played = Match.objects.values_list("seats__bot_seat__version_id", flat=True)
    assert set(played) == {version.pk for version in versions}


def test_the_next_round_comes_after_its_time_and_no_sooner():
    tournament, organiser = make_tournament(4, settings=PLAIN, release_every_s=60)
    tournaments.start(tournament=tournament, actor=organiser)
    assert progress.release_due() == 0
    Round.objects.filter(number=1).update(released_at=timezone.now() - timedelta(seconds=59))
    assert progress.release_due() == 0
    Round.objects.filter(number=1).update(released_at=timezone.now() - timedelta(seconds=61))
    assert progress.release_due() == 1
    assert progress.release_due() == 0
    states = [round_.state for round_ in Round.objects.order_by("number")]
    assert states == [RoundState.RELEASED, RoundState.RELEASED, RoundState.CONFIRMED]


@pytest.mark.parametrize("stopped", ["tournament", "league"])
def test_no_round_is_released_while_anything_is_paused(stopped):
    tournament, organiser = make_tournament(4, settings=PLAIN, release_every_s=60)
    tournaments.start(tournament=tournament, actor=organiser)
    if stopped == "tournament":
        tournaments.pause(tournament=tournament, actor=organiser, reason=REASON)
    else:
        leagues.pause(league=tournament.league, actor=organiser, reason=REASON)
    Round.objects.filter(number=1).update(released_at=timezone.now() - timedelta(seconds=61))
    assert progress.release_due() == 0
    for match in Match.objects.filter(state=MatchState.PLANNED):
        give_result(match, 0)
    results.apply_pending()
    assert [round_.state for round_ in Round.objects.order_by("number")] == ["finished", "confirmed", "confirmed"]


def test_by_hand_nothing_is_released_by_itself():
    tournament, organiser = make_tournament(3, settings=PLAIN, control="hand")
    tournaments.start(tournament=tournament, actor=organiser)
    assert progress.release_due() == 0
    assert set(Round.objects.values_list("state", flat=True)) == {RoundState.CONFIRMED}


def test_a_tournament_whose_last_match_ends_during_a_pause_ends_when_it_is_resumed():
    tournament, organiser = make_tournament(3, settings=PLAIN)
    tournaments.start(tournament=tournament, actor=organiser)
    tournaments.pause(tournament=tournament, actor=organiser, reason=REASON)
    finish_all(tournament)
    tournament.refresh_from_db()
    assert tournament.state == TournamentState.SUSPENDED
    tournament = tournaments.resume(tournament=tournament, actor=organiser)
    assert tournament.state == TournamentState.FINISHED
    assert set(Entry.objects.values_list("state", flat=True)) == {"finished"}


def test_cancelling_voids_what_was_not_over_and_gives_nobody_points_for_it():
    tournament, organiser = make_tournament(4, settings=PLAIN, release_every_s=3600)
    tournaments.start(tournament=tournament, actor=organiser)
    first, second = waiting(tournament)
    give_result(first, 0)
    results.apply_pending()
    with refused("reason_required", status=422):
        tournaments.cancel(tournament=tournament, actor=organiser, reason="")
    tournament = tournaments.cancel(tournament=tournament, actor=organiser, reason=REASON)
    assert (tournament.state, tournament.reason) == (TournamentState.CANCELLED, REASON)
    second.refresh_from_db()
    assert (second.state, second.void_reason) == (MatchState.VOID, REASON)
    results.apply_pending()
    periods.sweep()
    states = Pairing.objects.order_by("round__number", "board").values_list("state", flat=True)
    assert list(states) == ["final", "void", "planned", "planned", "planned", "planned"]
    assert sorted(row.points_h for row in Standing.objects.filter(after_round=1)) == [0, 0, 0, 2]
    assert RatedMatch.objects.get(match=second).reason == "void"
    assert RatingPeriod.objects.get().state == "closed"
    assert not AuditEntry.objects.filter(action="match.void").exists()
    assert progress.release_due() == 0


def test_a_cancelled_tournament_of_many_matches_is_counted_in_batches():
    tournament, organiser = make_tournament(3, settings=RoundRobinSettings(encounter=100))
    tournaments.start(tournament=tournament, actor=organiser)
    assert Match.objects.count() == 300
    with CaptureQueriesContext(connection) as cancelling:
        tournaments.cancel(tournament=tournament, actor=organiser, reason=REASON)
    assert len(cancelling) <= 15  # however many matches it has
    assert results.apply_pending() == 300
    assert results.apply_pending() == 0
    assert set(Pairing.objects.values_list("state", flat=True)) == {PairingState.BYE, PairingState.VOID}


def test_a_double_round_robin_is_played_to_its_end():
    tournament, organiser = make_tournament(
        4, settings=RoundRobinSettings(double=True, encounter=2, encounter_scoring="share")
    )
    tournaments.start(tournament=tournament, actor=organiser)
    met = [frozenset(pair) for boards in _boards(tournament).values() for pair in boards]
    assert {pair: met.count(pair) for pair in met} == dict.fromkeys(set(met), 2)
    finish_all(tournament)
    tournament.refresh_from_db()
    assert tournament.state == TournamentState.FINISHED
    last = Standing.objects.filter(after_round=6)
    assert sum(row.points_h for row in last) == 12 * 2 * 2  # pairings, matches, half-points of a match
    assert {row.played for row in last} == {6}


def test_starting_and_finishing_take_the_same_queries_whatever_the_size():
    counts = {}
    for size in (3, 4, 10):  # the first one also makes the pool
        tournament, organiser = make_tournament(size, settings=PLAIN)
        with CaptureQueriesContext(connection) as starting:
            tournaments.start(tournament=tournament, actor=organiser)
        for match in waiting(tournament):
            give_result(match, 1)
        with CaptureQueriesContext(connection) as counting:
            assert results.apply_pending() == size * (size - 1) // 2
        counts[size] = (
            len(starting) - Round.objects.filter(stage__tournament=tournament).count(),
            len(counting),
        )  # a line of the log a round
    assert counts[4] == counts[10]
    assert counts[4][0] <= 50
    assert counts[4][1] <= 45


def test_standings_are_refreshed_in_the_same_queries_after_many_rounds():
    tournament, organiser = make_tournament(8, settings=PLAIN)
    tournaments.start(tournament=tournament, actor=organiser)
    finish_all(tournament)
    stage = tournament.stages.select_related("tournament").get()
    counts = []
    for number in (7, 1):
        with CaptureQueriesContext(connection) as refreshing:
            standings.refresh(stage=stage, rounds=[stage.rounds.get(number=number)])
        counts.append(len(refreshing))
    assert counts == [8, 8]


def test_an_owner_who_is_no_longer_active_cannot_start():
    tournament, organiser = make_tournament(3, settings=PLAIN)
    organiser.is_active = False
    with refused("not_allowed", status=403):
        tournaments.start(tournament=tournament, actor=organiser)
    stranger = make_user()
    with refused("not_allowed", status=403):
        tournaments.start(tournament=tournament, actor=stranger)


def test_a_match_of_a_tournament_is_public_as_its_league_is():
    for visibility in ("public", "unlisted", "private"):
        tournament, organiser = make_tournament(3, league=make_league(visibility=visibility), settings=PLAIN)
        tournaments.start(tournament=tournament, actor=organiser)
        assert {match.visibility for match in waiting(tournament)} == {visibility}
        pool = RatedMatch.objects.filter(match__in=waiting(tournament)).values_list("pool__code", flat=True)
        assert set(pool) == {f"{tournament.league.slug}:bot-1v1" if visibility == "private" else "bot-1v1"}


def test_void_matches_leave_a_line_for_the_organisers():
    tournament, organiser = make_tournament(3, settings=PLAIN)
    tournaments.start(tournament=tournament, actor=organiser)
    match = waiting(tournament)[0]
    match_verbs.void(match=match, reason="infrastructure")
    results.apply_pending()
    results.apply_pending()
    line = AuditEntry.objects.get(action="match.void")
    assert (line.actor, line.target, line.reason) == (None, match.code, "infrastructure")
