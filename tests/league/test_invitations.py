"""Invitations: who may answer what, when, and what comes of it."""

import json
import os
import random
import re
from datetime import timedelta

import pytest
import redis
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.foundation import BadState, DomainError, advance
from accounts.models import Notice
from games.engine import Rules
from games.models import Match, MatchMode, MatchState
from games.streams.frames import channel, user_key
from league.models import (
    INVITATION_TRANSITIONS,
    Invitation,
    InvitationKind,
    InvitationSeat,
    InvitationState,
    RatedMatch,
    UnratedReason,
)
from league.selectors import play as selectors
from league.services import invitations
from league.services.invitations import Wish
from league.services.ratings import pair_limit, periods
from tests.accounts.factories import make_user
from tests.factories import make_guest, make_version
from tests.league.inviting import made_match, make_house_bots, offer
from tests.league.playing import play

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]


def refusal(act, *args, **named) -> str:
    """The code by which something is refused; nothing is written by it."""
    before = [list(model.objects.order_by("pk").values()) for model in (Invitation, InvitationSeat, Match, Notice)]
    with pytest.raises(DomainError) as caught:
        act(*args, **named)
    after = [list(model.objects.order_by("pk").values()) for model in (Invitation, InvitationSeat, Match, Notice)]
    assert after == before
    return caught.value.code


def told(user) -> list[str]:
    return list(user.notices.order_by("pk").values_list("kind", flat=True))


def age(invitation: Invitation, by: timedelta) -> None:
    Invitation.objects.filter(pk=invitation.pk).update(expires_at=invitation.expires_at - by)
    invitation.refresh_from_db()


def test_who_has_the_link_takes_the_seat_and_the_match_waits_for_both():
    luna, marco = make_user("Luna"), make_user("Marco")
    made = offer(luna)
    assert len(made.code) == 22
    assert timedelta(hours=23, minutes=59) < made.expires_at - timezone.now() <= timedelta(hours=24)
    taken = invitations.accept(invitation=made, actor=marco)
    match = made_match(taken)
    assert (taken.state, match.state, match.mode, match.clock) == ("taken", "planned", "casual", "180+5")
    assert [seat.player for seat in match.seats.order_by("index")] == [luna.player, marco.player]
    assert RatedMatch.objects.get(match=match).reason == UnratedReason.FRIENDLY
    assert (told(luna), told(marco)) == (["challenge_accepted"], [])
    assert luna.notices.get().url == f"/matches/{match.code}/table/"
    assert invitations.accept(invitation=made, actor=marco).match == match
    assert Match.objects.count() == 1


def test_a_challenge_by_name_is_for_one_person_alone():
    luna, marco, sara = make_user("Luna"), make_user("Marco"), make_user("Sara")
    made = offer(luna, InvitationKind.NAME, Wish(marco.player))
    assert told(marco) == ["challenged"]
    assert marco.notices.get().url == f"/play/invitations/{made.code}/"
    assert list(selectors.challenges(marco.player)) == [made]
    assert list(selectors.challenges(sara.player)) == []
    assert refusal(invitations.accept, invitation=made, actor=sara) == "invitation.not_asked"
    assert refusal(invitations.decline, invitation=made, actor=sara) == "invitation.not_asked"
    assert refusal(invitations.withdraw, invitation=made, actor=marco) == "invitation.not_yours"
    assert refusal(invitations.accept, invitation=made, actor=luna) == "invitation.own"
    assert refusal(invitations.decline, invitation=made, actor=luna) == "invitation.not_asked"
    assert invitations.decline(invitation=made, actor=marco).state == InvitationState.DECLINED
    assert invitations.decline(invitation=made, actor=marco).state == InvitationState.DECLINED
    assert told(luna) == ["challenge_declined"]
    assert refusal(invitations.accept, invitation=made, actor=marco) == "declined"
    assert refusal(invitations.withdraw, invitation=made, actor=luna) == "declined"


def test_what_is_withdrawn_taken_or_expired_is_said_by_its_name():
    luna, marco, sara = make_user(), make_user(), make_user()
    withdrawn, taken, late = offer(luna), offer(luna), offer(luna)
    assert invitations.withdraw(invitation=withdrawn, actor=luna).state == InvitationState.WITHDRAWN
    assert invitations.withdraw(invitation=withdrawn, actor=luna).state == InvitationState.WITHDRAWN
    assert refusal(invitations.accept, invitation=withdrawn, actor=marco) == "withdrawn"
    invitations.accept(invitation=taken, actor=marco)
    assert refusal(invitations.accept, invitation=taken, actor=sara) == "taken"
    assert refusal(invitations.withdraw, invitation=taken, actor=luna) == "taken"
    age(late, timedelta(hours=24))
    assert refusal(invitations.accept, invitation=late, actor=marco) == "expired"
    assert late.state == InvitationState.OPEN


def test_the_sweep_expires_what_is_late_and_nothing_else():
    luna, marco, sara = make_user(), make_user(), make_user()
    late, seek, fresh = offer(luna), offer(luna, InvitationKind.SEEK), offer(luna)
    taken = invitations.accept(invitation=offer(sara), actor=marco)
    age(late, timedelta(hours=24))
    age(seek, timedelta(minutes=10))
    age(taken, timedelta(hours=24))
    assert invitations.sweep() == 2
    assert invitations.sweep() == 0
    found = dict(Invitation.objects.values_list("pk", "state"))
    assert found == {late.pk: "expired", seek.pk: "expired", fresh.pk: "open", taken.pk: "taken"}


def test_a_match_that_nobody_begins_is_void_after_a_quarter_of_an_hour():
    luna, marco = make_user(), make_user()
    match = made_match(invitations.accept(invitation=offer(luna), actor=marco))
    assert invitations.sweep() == 0
    Match.objects.filter(pk=match.pk).update(created_at=timezone.now() - invitations.START_WITHIN)
    assert invitations.sweep() == 1
    match.refresh_from_db()
    assert (match.state, match.void_reason) == (MatchState.VOID, "not_started")
    assert invitations.sweep() == 0


def test_one_open_seek_a_person_and_a_new_one_when_it_is_late():
    luna = make_user()
    first = offer(luna, InvitationKind.SEEK)
    assert refusal(offer, luna, InvitationKind.SEEK) == "seek_open"
    assert list(selectors.open_seeks()) == [first]
    age(first, timedelta(minutes=10))
    assert list(selectors.open_seeks()) == []
    second = offer(luna, InvitationKind.SEEK)
    assert list(selectors.open_seeks()) == [second]
    first.refresh_from_db()
    assert first.state == InvitationState.EXPIRED
    invitations.withdraw(invitation=second, actor=luna)
    offer(luna, InvitationKind.SEEK)


def test_bad_offers_are_refused_with_nothing_written():
    luna, marco = make_user(), make_user()
    bot = make_version()
    asked, machine = Wish(marco.player), Wish(bot.bot.player, bot)
    link, name = InvitationKind.LINK, InvitationKind.NAME
    cases = {
        "invitation.self": (name, (Wish(luna.player),), {}),
        "invitation.twice": (name, (asked, asked, Wish()), {}),
        "invitation.seats": (link, (Wish(),), {"rules": Rules(n=4)}),
        "invitation.clock": (link, (Wish(),), {"clock": "none"}),
        "match.clock": (link, (Wish(),), {"clock": "soon"}),
        "invitation.mode": (link, (Wish(),), {"mode": MatchMode.LEAGUE}),
        "invitation.rated": (link, (machine,), {"mode": MatchMode.RATED}),
    }
    found = {code: refusal(offer, luna, kind, *wishes, **fields) for code, (kind, wishes, fields) in cases.items()}
    assert found == {code: code for code in cases}
    for rules in (
        "n=2 format=first_to:1",
        "n=2 open=hands",
        "n=2 hand=5 trump=none format=race:121",
        "n=2 format=sum:2",
        "n=2 first_dealer=seat:0",
    ):
        fields = {"rules": Rules.parse(rules), "mode": MatchMode.RATED}
        assert refusal(offer, luna, link, **fields) == "invitation.rated", rules
    assert refusal(offer, luna, name, Wish(make_guest())) == "invitation.seats"


def test_too_many_open_invitations_are_refused():
    luna = make_user()
    for _number in range(invitations.MOST_OPEN):
        offer(luna)
    assert refusal(offer, luna) == "invitation.too_many"


def test_a_casual_match_against_any_bot_begins_at_once():
    luna, bot = make_user(), make_version("VelaBot")
    made = offer(luna, InvitationKind.NAME, Wish(bot.bot.player, bot), clock="none")
    match = made_match(made)
    assert (made.state, match.state, match.mode) == ("taken", "playing", "casual")
    assert match.seats.get(index=1).bot_seat.version == bot
    assert match.deals.count() == 1
    assert told(luna) == []


def test_two_people_and_two_bots_sit_down_as_pairs():
    luna, marco = make_user(), make_user()
    medio = make_house_bots()["medio"]
    bot = Wish(medio.bot.player, medio)
    made = offer(luna, InvitationKind.LINK, bot, Wish(), bot)
    match = made_match(invitations.accept(invitation=made, actor=marco))
    assert [seat.player_id for seat in match.seats.order_by("index")] == [
        luna.player.pk, medio.bot.player_id, marco.player.pk, medio.bot.player_id,
    ]  # fmt: skip
    assert [seat.side for seat in match.seats.order_by("index")] == [0, 1, 0, 1]
    assert match.state == MatchState.PLANNED


def test_seats_of_four_are_chosen_one_by_one():
    people = [make_user() for _number in range(5)]
    made = offer(people[0], InvitationKind.LINK, Wish(), Wish(), Wish())
    assert invitations.accept(invitation=made, actor=people[1], seat=3).state == InvitationState.OPEN
    assert refusal(invitations.accept, invitation=made, actor=people[2], seat=3) == "taken"
    assert refusal(invitations.accept, invitation=made, actor=people[2], seat=9) == "taken"
    invitations.accept(invitation=made, actor=people[2])
    match = made_match(invitations.accept(invitation=made, actor=people[3]))
    assert [seat.player.user for seat in match.seats.order_by("index")] == [people[0], people[2], people[3], people[1]]
    assert refusal(invitations.accept, invitation=made, actor=people[4]) == "taken"


def test_a_bot_that_stopped_playing_spoils_the_match_and_not_the_invitation():
    luna, marco, bot = make_user(), make_user(), make_version("VelaBot")
    made = offer(luna, InvitationKind.LINK, Wish(), Wish(bot.bot.player, bot), Wish(bot.bot.player, bot))
    bot.bot.active_version = None
    bot.bot.save(update_fields=["active_version"])
    assert refusal(invitations.accept, invitation=made, actor=marco) == "no_bot"


def test_a_rated_match_of_people_is_a_period_of_its_own():
    luna, marco = make_user(), make_user()
    made = offer(luna, InvitationKind.NAME, Wish(marco.player), mode=MatchMode.RATED)
    match = made_match(invitations.accept(invitation=made, actor=marco))
    rated = RatedMatch.objects.get(match=match)
    assert (rated.state, rated.pool.code, rated.period.kind, rated.period.ref) == (
        "pending", "human-1v1", "match", match.code,
    )  # fmt: skip
    assert [seat.shown["rating"] for seat in match.seats.all()] == [1500, 1500]
    play(match, random.Random(3))
    periods.sweep()
    rated.refresh_from_db()
    assert rated.state == "rated"
    shown = selectors.shown_of_people([luna.player, marco.player])
    assert sorted(one["rating"] for one in shown.values()) == [1480, 1520]


def test_the_seventh_rated_match_of_a_pair_in_a_day_does_not_count():
    luna, marco, sara = make_user(), make_user(), make_user()

    def meet(first=luna, second=marco):
        made = offer(first, mode=MatchMode.RATED)
        return made_match(invitations.accept(invitation=made, actor=second))

    matches = [meet() if number % 2 else meet(marco, luna) for number in range(pair_limit.MOST)]
    assert refusal(offer, luna, InvitationKind.NAME, Wish(marco.player), mode=MatchMode.RATED) == "pair_limit"
    assert RatedMatch.objects.get(match=meet()).reason == UnratedReason.PAIR_LIMIT
    assert RatedMatch.objects.get(match=meet(luna, sara)).state == "pending"
    Match.objects.filter(pk=matches[0].pk).update(created_at=timezone.now() - pair_limit.WINDOW)
    assert RatedMatch.objects.get(match=meet()).state == "pending"
    assert RatedMatch.objects.get(match=meet()).reason == UnratedReason.PAIR_LIMIT
    Match.objects.filter(pk=matches[1].pk).update(
        state="void", finished_at=timezone.now(), termination="void", void_reason="x"
    )
    assert RatedMatch.objects.get(match=meet()).state == "pending"


@pytest.mark.parametrize("now", InvitationState.values)
@pytest.mark.parametrize("wanted", InvitationState.values)
def test_every_pair_of_states(now: str, wanted: str):
    row = Invitation(state=now)
    if now == "open" and wanted != "open":
        advance(row, wanted, table=INVITATION_TRANSITIONS)
        assert row.state == wanted
    else:
        with pytest.raises(BadState):
            advance(row, wanted, table=INVITATION_TRANSITIONS)


def test_those_whom_it_concerns_are_told_at_once(django_capture_on_commit_callbacks):
    luna, marco = make_user("Luna"), make_user("Marco")
    with redis.Redis.from_url(os.environ["VALKEY_URL"]).pubsub() as heard:
        for user in (luna, marco):
            heard.subscribe(channel(user_key(user.pk)))
        for _user in range(2):
            assert heard.get_message(timeout=5)["type"] == "subscribe"

        def news() -> list[tuple[str, dict]]:
            found = []
            while (message := heard.get_message(timeout=0.2)) is not None:
                kind, _, data = message["data"].decode().partition("\n")
                who = luna if message["channel"].decode().endswith(user_key(luna.pk)) else marco
                said = json.loads(re.search(r"data: (.*)", data)[1])
                found.append((f"{who.name} {kind.removeprefix('event: ')}", said))
            return [one for one in found if not one[0].endswith("inbox")]

        with django_capture_on_commit_callbacks(execute=True):
            made = offer(luna, InvitationKind.NAME, Wish(marco.player))
        assert news() == [("Marco invited", {"code": made.code})]
        with django_capture_on_commit_callbacks(execute=True):
            match = made_match(invitations.accept(invitation=made, actor=marco))
        assert news() == [("Luna invitation", {"code": made.code, "state": "taken", "match": match.code})]


def test_lists_take_the_same_number_of_queries_whatever_their_length():
    luna = make_user()
    counts = []
    for _round in range(2):
        for _number in range(3):
            offer(make_user(), InvitationKind.SEEK)
            offer(make_user(), InvitationKind.NAME, Wish(luna.player))
            offer(luna, InvitationKind.NAME, Wish(make_user().player))
            invitations.accept(invitation=offer(luna), actor=make_user())
        with CaptureQueriesContext(connection) as captured:
            seeks = list(selectors.open_seeks())
            rows = [list(selectors.challenges(luna.player)), list(selectors.made_by(luna.player)), seeks]
            games = selectors.running(luna.player)
            assert [[seat.player for seat in one.seats.all()] for group in rows for one in group]
            selectors.ratings_of(seeks)
        counts.append((len(captured), [len(group) for group in rows], len(games)))
    assert counts == [(9, [3, 3, 3], 3), (9, [6, 6, 6], 6)]
