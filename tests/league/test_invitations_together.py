"""Many at once, each with a connection of its own: a seat has one taker, a person one game, a match one rematch."""

from collections import Counter

import pytest

from accounts.foundation import DomainError
from games.models import Match, Seat
from league.models import Invitation, InvitationKind, RatedMatch
from league.services import invitations, practice, rematches
from league.services.practice import PracticeOrder
from league.services.ratings import pair_limit
from tests.accounts.factories import make_user
from tests.league.at_once import threads
from tests.league.inviting import made_match, make_house_bots, offer
from tests.league.test_invitations_practice import finished

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_valkey")]
THREADS = 6


def code(act, **named) -> str:
    """ "" when it was done, else the code of the refusal."""
    try:
        act(**named)
    except DomainError as error:
        return error.code
    return ""


def test_of_many_takers_one_gets_the_seat():
    luna = make_user()
    takers = [make_user() for _number in range(THREADS)]
    with threads(THREADS) as together:
        for _round in range(5):
            made = offer(luna, InvitationKind.SEEK)
            answers = together(lambda index, made=made: code(invitations.accept, invitation=made, actor=takers[index]))
            assert Counter(answers) == {"": 1, "taken": THREADS - 1}
            match = made_match(made)
            assert match.seats.get(index=1).player == takers[answers.index("")].player
    assert Match.objects.count() == 5


def test_taking_and_withdrawing_at_once_has_one_outcome():
    luna, marco = make_user(), make_user()
    acts = [(invitations.accept, marco), (invitations.withdraw, luna)]
    with threads(2) as together:
        for _round in range(6):
            made = offer(luna)
            answers = together(lambda index, made=made: code(acts[index][0], invitation=made, actor=acts[index][1]))
            made.refresh_from_db()
            assert (answers, made.state) in ((["", "taken"], "taken"), (["withdrawn", ""], "withdrawn"))
    assert Match.objects.count() == Invitation.objects.filter(state="taken").count()


def test_one_person_makes_one_seek_and_begins_one_game():
    make_house_bots()
    luna = make_user()
    with threads(THREADS) as together:
        answers = together(lambda _index: code(offer, by=luna, kind=InvitationKind.SEEK))
        assert Counter(answers) == {"": 1, "seek_open": THREADS - 1}
        answers = together(lambda _index: code(practice.start, player=luna.player, order=PracticeOrder()))
        assert Counter(answers) == {"": 1, "practice_open": THREADS - 1}
    assert Match.objects.filter(mode="practice").count() == 1


def test_both_ask_for_a_rematch_at_once_and_get_the_same_match():
    people = [make_user(), make_user()]
    with threads(2) as together:
        for _round in range(5):
            match = finished(made_match(invitations.accept(invitation=offer(people[0]), actor=people[1])))
            answers = together(lambda index, match=match: rematches.ask(match=match, seat=index))
            codes = {answer["code"] for answer in answers if "code" in answer}
            assert len(codes) == 1
            assert Invitation.objects.get(rematch_of=match).match.code in codes
            assert rematches.ask(match=match, seat=0) == rematches.ask(match=match, seat=1) == {"code": codes.pop()}
    assert Match.objects.count() == 10


def test_the_pair_limit_holds_when_many_matches_are_made_at_once():
    luna, marco = make_user(), make_user()
    made = [offer(luna, mode="rated") for _number in range(pair_limit.MOST + 2)]
    with threads(len(made)) as together:
        assert together(lambda index: code(invitations.accept, invitation=made[index], actor=marco)) == [""] * len(made)
    states = Counter(RatedMatch.objects.values_list("state", flat=True))
    assert states == {"pending": pair_limit.MOST, "unrated": 2}
    assert Seat.objects.filter(player=marco.player).count() == len(made)
