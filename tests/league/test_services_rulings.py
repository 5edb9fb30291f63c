"""Void and play again: matches in every state, mirrored sets, twice, after the end, and who must not decide."""

import hmac
import random

import pytest

from accounts.models import User
from accounts.services import second_factor
from games.models import Match, MatchState
from games.services import matches as match_verbs
from league.models import (
    AuditEntry,
    League,
    MatchAmendment,
    Membership,
    Pairing,
    PairingMatch,
    PairingSlot,
    RatedMatch,
    RatingPeriod,
    RatingPool,
    Role,
    Round,
    Standing,
    Tournament,
    TournamentState,
)
from league.services import leagues, results, rulings, standings, tournaments
from league.services.ratings import periods, rebuild
from league.services.tournaments import RoundRobinSettings
from tests.factories import make_bot_match
from tests.league.playing import finish_all, give_result, make_tournament, play, refused, waiting

pytestmark = pytest.mark.django_db
REASON = "The power went out at the desk."
PLAIN = RoundRobinSettings(encounter=1, mirrored=False)


def _started(count: int = 3, settings: RoundRobinSettings = PLAIN, **fields):
    tournament, organiser = make_tournament(count, settings=settings, **fields)
    return tournaments.start(tournament=tournament, actor=organiser), organiser


def _rerun(match: Match, actor) -> list[Match]:
    match.refresh_from_db()
    return rulings.void_and_rerun(match=match, actor=actor, reason=REASON)


def _points(pairing: Pairing) -> list[int | None]:
    return [slot.points_h for slot in PairingSlot.objects.filter(pairing=pairing).order_by("index")]


def _is_rebuilt() -> bool:
    return all(rebuild.check(pool=pool).is_identical for pool in RatingPool.objects.all())


@pytest.mark.parametrize("state", ["planned", "queued", "playing", "finished", "rated", "void"])
def test_a_match_in_any_state_is_replaced_by_a_new_one(state):
    tournament, organiser = _started()
    old = waiting(tournament)[0]
    pairing = old.pairing_match.pairing
    match state:
        case "queued":
            Match.objects.filter(pk=old.pk).update(state="queued")
        case "playing":
            match_verbs.start(match=old)
        case "finished":
            give_result(old, 0)
        case "rated":
            finish_all(tournament)
        case "void":
            match_verbs.void(match=old, reason="infrastructure")
            results.apply_pending()
    (new,) = _rerun(old, organiser)
    old.refresh_from_db()
    assert old.state == ("finished" if state in ("finished", "rated") else "void")
    assert (new.state, new.rerun, new.on_hold) == ("planned", 1, False)
    assert new.commitment != old.commitment
    assert [seat.player_id for seat in new.seats.all()] == [seat.player_id for seat in old.seats.all()]
    assert MatchAmendment.objects.filter(match=old, kind="annul").exists() == (state in ("finished", "rated"))
    assert _points(pairing) == [None, None]
    line = AuditEntry.objects.get(action="match.rerun")
    assert (line.actor, line.target, line.reason) == (organiser, old.code, REASON)
    assert line.before == {"matches": [old.code], "state": "finished" if state == "rated" else state}
    assert line.after == {"matches": [new.code]}
    finish_all(tournament, seed=2)
    tournament.refresh_from_db()
    assert tournament.state == "finished"
    assert RatedMatch.objects.get(match=new).state == "rated"
    assert RatedMatch.objects.get(match=old).reason == ("annulled" if state in ("finished", "rated") else "void")
    assert None not in _points(pairing)
    assert _is_rebuilt()


def test_of_a_mirrored_set_both_matches_are_replaced_and_no_other():
    tournament, organiser = _started(settings=RoundRobinSettings(encounter=4, double=True))
    pairing = waiting(tournament)[0].pairing_match.pairing
    first, second, third, fourth = [place.match for place in pairing.pairing_matches.order_by("number")]
    assert first.mirror_set == second.mirror_set != third.mirror_set == fourth.mirror_set
    give_result(fourth, 1)
    made = _rerun(third, organiser)
    assert [place.number for place in PairingMatch.objects.filter(match__in=made).order_by("number")] == [3, 4]
    assert len({match.mirror_set for match in (first, third, *made)}) == 3
    assert made[0].seed == made[1].seed != third.seed
    label = f"set:1:{pairing.round.number}:{pairing.board}:2:1"
    assert bytes(made[0].seed) == hmac.digest(bytes(tournament.deal_seed), label.encode(), "sha256")
    for old, new in ((third, made[0]), (fourth, made[1])):
        old.refresh_from_db()
        assert [seat.player_id for seat in new.seats.all()] == [seat.player_id for seat in old.seats.all()]
    assert (third.state, fourth.state) == ("void", "finished")
    assert MatchAmendment.objects.get().match == fourth
    finish_all(tournament)
    assert PairingMatch.objects.filter(pairing=pairing, replaced=False).count() == 4
    assert _is_rebuilt()


def test_half_a_mirrored_set_counts_for_nothing():
    tournament, _organiser = _started(settings=RoundRobinSettings(encounter=4))
    pairing = waiting(tournament)[0].pairing_match.pairing
    first, second, third, fourth = [place.match for place in pairing.pairing_matches.order_by("number")]
    give_result(first, 0)
    match_verbs.void(match=second, reason="infrastructure")
    match_verbs.void(match=third, reason="infrastructure")
    results.apply_pending()
    fourth.refresh_from_db()
    assert (fourth.state, fourth.void_reason) == ("void", "twin")
    pairing.refresh_from_db()
    assert (pairing.state, _points(pairing)) == ("void", [1, 1])
    periods.sweep()
    assert (
        list(RatedMatch.objects.filter(match__in=[first, second, third, fourth]).values_list("reason"))
        == [("void",)] * 4
    )
    finish_all(tournament)
    assert _is_rebuilt()


def test_what_was_replaced_is_not_replaced_again_but_the_new_match_is():
    tournament, organiser = _started()
    old = waiting(tournament)[0]
    (new,) = _rerun(old, organiser)
    with refused("replaced_already"):
        rulings.void_and_rerun(match=old, actor=organiser, reason=REASON)
    (newest,) = _rerun(new, organiser)
    assert newest.rerun == 2
    assert len({bytes(match.seed) for match in (old, new, newest)}) == 3
    finish_all(tournament)
    assert PairingMatch.objects.filter(replaced=False).count() == 3
    assert _is_rebuilt()


def test_two_reruns_of_one_round_are_rated_even_when_the_first_was_applied_before():
    tournament, organiser = _started(4)
    finish_all(tournament)
    one, other = [
        pairing.pairing_matches.get().match for pairing in Pairing.objects.filter(round__number=1).order_by("board")
    ]
    (first,) = _rerun(one, organiser)
    give_result(first, 0)
    results.apply_pending()
    assert periods.sweep() == 1
    (second,) = _rerun(other, organiser)
    give_result(second, 1)
    results.apply_pending()
    assert periods.sweep() == 1
    round_ = Round.objects.get(number=1)
    refs = RatingPeriod.objects.filter(ref__startswith=f"{round_.pk}").order_by("pk").values_list("ref", flat=True)
    assert list(refs) == [f"{round_.pk}", f"{round_.pk}/2", f"{round_.pk}/3"]
    assert set(RatedMatch.objects.filter(match__in=[first, second]).values_list("state", flat=True)) == {"rated"}
    assert _is_rebuilt()


def test_a_rerun_while_the_round_is_played_is_rated_with_the_round():
    tournament, organiser = _started(4)
    (new,) = _rerun(waiting(tournament)[0], organiser)
    assert RatedMatch.objects.get(match=new).period.ref == str(new.pairing_match.pairing.round_id)
    finish_all(tournament)
    assert RatingPeriod.objects.count() == 3


def test_after_the_end_a_rerun_gets_a_seed_of_its_own_and_changes_the_standings():
    tournament, organiser = _started(4, settings=RoundRobinSettings(encounter=2))
    finish_all(tournament)
    place = PairingMatch.objects.filter(pairing__round__number=1).order_by("pk").first()
    made = _rerun(place.match, organiser)
    label = f"set:1:1:{place.pairing.board}:1:1"
    derived = hmac.digest(bytes(tournament.deal_seed), label.encode(), "sha256")
    assert bytes(made[0].seed) == bytes(made[1].seed) != derived
    stage = tournament.stages.select_related("tournament").get()
    for number in (1, 2, 3):
        _assert_standings(stage, number)
    for match in made:
        give_result(match, 0 if match.mirror_index == 0 else 1)
    results.apply_pending()
    periods.sweep()
    for number in (1, 2, 3):
        _assert_standings(stage, number)
    tournament.refresh_from_db()
    assert (tournament.state, Round.objects.get(number=1).state) == (TournamentState.FINISHED, "finished")
    assert _points(place.pairing) == [2, 0]
    assert _is_rebuilt()


def _assert_standings(stage, number: int) -> None:
    stored = Standing.objects.filter(stage=stage, after_round=number).order_by("rank", "entry_id")
    wanted = sorted(standings.compute(stage=stage, until=number), key=lambda row: (row.rank, row.entry))
    assert [(row.entry_id, row.rank, row.points_h) for row in stored] == [
        (row.entry, row.rank, row.points) for row in wanted
    ]


@pytest.mark.parametrize("paused", ["tournament", "league"])
def test_in_a_pause_the_new_match_waits(paused):
    tournament, organiser = _started()
    old = waiting(tournament)[0]
    if paused == "tournament":
        tournaments.pause(tournament=tournament, actor=organiser, reason=REASON)
    else:
        leagues.pause(league=tournament.league, actor=organiser, reason=REASON)
    (new,) = _rerun(old, organiser)
    assert new.on_hold
    if paused == "tournament":
        tournaments.resume(tournament=tournament, actor=organiser)
    else:
        leagues.publish(league=tournament.league, actor=organiser)
    new.refresh_from_db()
    assert not new.on_hold


def test_nothing_is_played_again_in_what_is_over_for_good():
    tournament, organiser = _started()
    match = waiting(tournament)[0]
    League.objects.update(state="archived")
    with refused("league_not_open"):
        rulings.void_and_rerun(match=match, actor=organiser, reason=REASON)
    League.objects.update(state="open")
    tournaments.cancel(tournament=tournament, actor=organiser, reason=REASON)
    match.refresh_from_db()
    with refused("tournament_cancelled"):
        rulings.void_and_rerun(match=match, actor=organiser, reason=REASON)


def test_a_ruling_needs_a_reason_and_a_match_of_a_tournament():
    tournament, organiser = _started()
    match, single = waiting(tournament)[0], make_bot_match()
    for reason in ("", " too short ", "x" * 501):
        with refused("reason_required", status=422):
            rulings.void_and_rerun(match=match, actor=organiser, reason=reason)
    with refused("not_in_tournament"):
        rulings.void_and_rerun(match=single, actor=organiser, reason=REASON)


def test_nobody_decides_about_a_match_of_his_own_bot():
    tournament, _organiser = _started()
    match = waiting(tournament)[0]
    author = match.seats.first().player.bot.owner
    Membership.objects.create(league=tournament.league, player=author.player, role=Role.ARBITER)
    other = next(
        one for one in waiting(tournament) if author.pk not in one.seats.values_list("player__bot__owner", flat=True)
    )
    with refused("conflict_of_interest", status=403):
        rulings.void_and_rerun(match=match, actor=author, reason=REASON)
    assert len(rulings.void_and_rerun(match=other, actor=author, reason=REASON)) == 1
    author.is_staff = True
    author.save()
    with refused("conflict_of_interest", status=403):
        rulings.void_and_rerun(match=match, actor=User.objects.get(pk=author.pk), reason=REASON)
    second_factor.switch_on(user=author)
    assert len(rulings.void_and_rerun(match=match, actor=User.objects.get(pk=author.pk), reason=REASON)) == 1


def test_a_played_match_is_replaced_with_its_deals_kept():
    tournament, organiser = _started()
    old = play(waiting(tournament)[0], random.Random(3))
    deals = list(old.deals.values())
    _rerun(old, organiser)
    assert list(old.deals.values()) == deals
    assert (old.state, old.winner_side is not None) == (MatchState.FINISHED, True)
    assert Tournament.objects.get().state == "running"
