"""Practice and rematches: how they begin, limits of guests, what becomes of a guest's game."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.foundation import DomainError
from games.engine import Rules
from games.models import Match, MatchState, Player, Seat
from games.services import guests, play
from games.services import matches as match_verbs
from league.models import Invitation, InvitationState, RatedMatch
from league.selectors import play as selectors
from league.services import invitations, practice, rematches
from league.services.practice import PracticeOrder
from tests.accounts.factories import make_user
from tests.league.inviting import made_match, make_house_bots, offer

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]
HERE = "203.0.113.7"


def refused(act, **named) -> str:
    with pytest.raises(DomainError) as caught:
        act(**named)
    return caught.value.code


def finished(match: Match, *, since: timedelta = timedelta()) -> Match:
    """The match won by side 0, so long ago."""
    match.refresh_from_db()
    if match.state == MatchState.PLANNED:
        match_verbs.start(match=match)
    match_verbs.finish(match=match, winner_side=0)
    Match.objects.filter(pk=match.pk).update(finished_at=timezone.now() - since)
    match.refresh_from_db()
    return match


@pytest.mark.parametrize("dealer", practice.DEALERS)
@pytest.mark.parametrize("players", [2, 4])
def test_a_game_begins_at_once_as_it_was_ordered(players: int, dealer: str):
    bots, luna = make_house_bots(), make_user()
    order = PracticeOrder(level="esperto", players=players, signals=True, dealer=dealer, clock="60+3", first_to=1)
    match = practice.start(player=luna.player, order=order)
    rules = Rules.parse(match.rules)
    assert (match.state, match.mode, match.visibility, match.clock) == ("playing", "practice", "unlisted", "60+3")
    assert (rules.n, rules.target, rules.signals) == (players, 1, "auto" if players == 4 else "none")
    assert rules.first_dealer == practice.DEALERS[dealer]
    if dealer != "lot":
        assert match.deals.get().dealer == ("me", "other").index(dealer)
    assert match.seats.get(index=0).player == luna.player
    others = match.seats.exclude(index=0).values_list("bot_seat__version", flat=True)
    assert list(others) == [bots["esperto"].pk] * (players - 1)
    assert not RatedMatch.objects.exists()


def test_one_game_at_a_time_and_leaving_it_asks():
    make_house_bots()
    luna = make_user()
    first = practice.start(player=luna.player, order=PracticeOrder())
    assert refused(practice.start, player=luna.player, order=PracticeOrder()) == "practice_open"
    assert Match.objects.count() == 1
    second = practice.start(player=luna.player, order=PracticeOrder(), leaves=True)
    first.refresh_from_db()
    assert (first.state, first.termination, first.winner_side) == ("finished", "resign", 1)
    assert [game.match for game in selectors.running(luna.player)] == [second]


def test_a_level_that_is_not_there_is_said():
    luna = make_user()
    assert refused(practice.start, player=luna.player, order=PracticeOrder()) == "no_bot"
    assert not Match.objects.exists()


def test_a_guest_is_made_with_the_first_game_and_stays_the_same():
    make_house_bots()
    match, key = practice.start_as_guest(guest=None, order=PracticeOrder(), address=HERE)
    assert key is not None
    guest = guests.find(key)
    assert guest is not None
    assert (match.visibility, match.seats.get(index=0).player) == ("private", guest)
    assert refused(practice.start_as_guest, guest=guest, order=PracticeOrder(), address=HERE) == "practice_open"
    again, no_key = practice.start_as_guest(guest=guest, order=PracticeOrder(), address=HERE, leaves=True)
    assert no_key is None
    assert again.seats.get(index=0).player == guest
    assert Player.objects.filter(kind="guest").count() == 1


def test_guests_of_one_household_have_twenty_games_a_day_and_esperto_counts_twice():
    make_house_bots()
    strong, plain = PracticeOrder(level="esperto"), PracticeOrder()
    for _number in range(9):
        practice.may_begin(address=HERE, level=strong.level)
    practice.start_as_guest(guest=None, order=plain, address="203.0.113.200")
    practice.start_as_guest(guest=None, order=plain, address=HERE)
    before = Match.objects.count(), Player.objects.count()
    assert refused(practice.start_as_guest, guest=None, order=plain, address="203.0.113.9") == "too_often"
    assert (Match.objects.count(), Player.objects.count()) == before
    practice.start_as_guest(guest=None, order=plain, address="203.0.114.9")
    practice.start_as_guest(guest=None, order=plain, address="2001:db8::1")


def test_a_full_site_turns_guests_away_and_nobody_else(monkeypatch):
    make_house_bots()
    monkeypatch.setattr(practice, "MOST_GUEST_GAMES", 2)
    for number in range(2):
        practice.start_as_guest(guest=None, order=PracticeOrder(), address=f"198.51.{number}.1")
    assert refused(practice.start_as_guest, guest=None, order=PracticeOrder(), address=HERE) == "busy_guests"
    practice.start(player=make_user().player, order=PracticeOrder())
    parked = Match.objects.filter(visibility="private").order_by("pk")[0]
    Match.objects.filter(pk=parked.pk).update(pause="parked", paused_at=timezone.now())
    practice.start_as_guest(guest=None, order=PracticeOrder(), address=HERE)


def test_a_guest_who_signs_up_keeps_the_game_or_deletes_it():
    make_house_bots()
    luna = make_user()
    kept, key = practice.start_as_guest(guest=None, order=PracticeOrder(), address=HERE)
    assert key is not None
    dropped, other_key = practice.start_as_guest(guest=None, order=PracticeOrder(), address=HERE)
    assert other_key is not None
    guest, other = guests.find(key), guests.find(other_key)
    assert guest is not None
    assert other is not None
    assert practice.keep(guest=guest, user=luna) == 1
    kept.refresh_from_db()
    assert (kept.visibility, kept.seats.get(index=0).player) == ("unlisted", luna.player)
    assert guests.find(key) is None
    deal = kept.deals.get()
    assert play.resign(match=kept, seat=0, deal=deal.number, scope="deal")["is_offer"] is False
    assert practice.drop(guest=other) == 1
    assert guests.find(other_key) is None
    assert not Match.objects.filter(pk=dropped.pk).exists()
    assert not Seat.objects.filter(match=dropped.pk).exists()


def test_guests_are_forgotten_after_a_month_without_a_new_game():
    make_house_bots()
    made = [practice.start_as_guest(guest=None, order=PracticeOrder(), address=HERE) for _number in range(3)]
    gone, back, new = (match.seats.get(index=0).player for match, _key in made)
    past = timezone.now() - practice.FORGET_AFTER - timedelta(minutes=1)
    Player.objects.filter(pk__in=[gone.pk, back.pk]).update(created_at=past)
    Match.objects.filter(pk=made[0][0].pk).update(created_at=past)
    assert practice.forget_unseen() == 1
    assert set(Player.objects.filter(kind="guest")) == {back, new}
    assert Match.objects.count() == 2


# -- rematches


def people_match(mode: str = "casual", clock: str = "180+5") -> tuple[Match, list]:
    people = [make_user(), make_user()]
    made = offer(people[0], mode=mode, clock=clock)
    return finished(made_match(invitations.accept(invitation=made, actor=people[1]))), people


def test_a_rematch_is_made_when_both_have_asked_and_the_seats_are_exchanged():
    match, people = people_match()
    seq = match.live_seq
    assert rematches.ask(match=match, seat=1) == {"waiting": [0]}
    assert rematches.ask(match=match, seat=1) == {"waiting": [0]}
    answer = rematches.ask(match=match, seat=0)
    made = Match.objects.get(code=answer["code"])
    assert (made.state, made.mode, made.clock, made.rules) == ("playing", match.mode, match.clock, match.rules)
    assert [seat.player.user for seat in made.seats.order_by("index")] == people[::-1]
    assert rematches.ask(match=match, seat=1) == answer
    assert Match.objects.count() == 2
    match.refresh_from_db()
    assert match.live_seq == seq + 2
    assert Invitation.objects.get(rematch_of=match).match == made


def test_a_rated_rematch_counts_unless_the_pair_has_met_too_often():
    match, _people = people_match("rated")
    for number in range(1, 7):
        rematches.ask(match=match, seat=0)
        made = Match.objects.get(code=rematches.ask(match=match, seat=1)["code"])
        rated = RatedMatch.objects.get(match=made)
        assert (rated.state, rated.reason) == (("pending", "") if number < 6 else ("unrated", "pair_limit"))
        match = finished(made)


def test_four_seats_move_on_by_one_so_that_the_sides_change():
    bots, luna = make_house_bots(), make_user()
    match = finished(practice.start(player=luna.player, order=PracticeOrder(players=4)))
    made = Match.objects.get(code=rematches.ask(match=match, seat=0)["code"])
    assert [seat.player for seat in made.seats.order_by("index")][1] == luna.player
    assert made.seats.filter(bot_seat__version=bots["medio"]).count() == 3


def test_a_rematch_has_its_time_and_its_place():
    make_house_bots()
    late, _people = people_match()
    Match.objects.filter(pk=late.pk).update(finished_at=timezone.now() - rematches.OPEN_FOR)
    assert refused(rematches.ask, match=late, seat=0) == "rematch_closed"
    luna = make_user()
    running = practice.start(player=luna.player, order=PracticeOrder())
    assert refused(rematches.ask, match=running, seat=0) == "not_over"
    over = finished(running)
    practice.start(player=luna.player, order=PracticeOrder())
    assert refused(rematches.ask, match=over, seat=0) == "practice_open"
    assert not Invitation.objects.filter(kind="rematch").exists()
    for mode in ("league", "test"):
        Match.objects.filter(pk=over.pk).update(mode=mode)
        assert refused(rematches.ask, match=over, seat=0) == "rematch_not_here"


def test_a_rematch_that_one_side_wants_expires_without_a_word():
    match, people = people_match()
    rematches.ask(match=match, seat=0)
    rematch = Invitation.objects.get(rematch_of=match)
    Invitation.objects.filter(pk=rematch.pk).update(expires_at=timezone.now())
    assert invitations.sweep() == 1
    rematch.refresh_from_db()
    assert rematch.state == InvitationState.EXPIRED
    assert selectors.made_by(people[0].player).count() == 0
    assert selectors.challenges(people[1].player).count() == 0
