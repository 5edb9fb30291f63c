"""State tables: every pair of states, and every verb of a tournament in every state."""

from functools import partial

import pytest

from accounts.foundation import BadState, advance
from league.models import (
    ENTRY_TRANSITIONS,
    LEAGUE_TRANSITIONS,
    MEMBERSHIP_TRANSITIONS,
    PAIRING_TRANSITIONS,
    ROUND_TRANSITIONS,
    TOURNAMENT_TRANSITIONS,
    Entry,
    EntryState,
    League,
    LeagueState,
    Membership,
    MembershipState,
    Pairing,
    PairingState,
    Round,
    RoundState,
    Tournament,
    TournamentState,
)
from league.services import entries, leagues, memberships, rounds, tournaments
from league.services.tournaments import RoundRobinSettings
from tests.factories import make_version
from tests.league.playing import code_of, finish_all, make_league, make_tournament

REASON = "The hall is being swept."
#: What may follow each state, written down a second time.
ALLOWED = {
    League: {"draft": "open archived", "open": "paused archived", "paused": "open archived", "archived": ""},
    Membership: {
        "invited": "active left banned",
        "requested": "active left banned",
        "active": "suspended left banned",
        "suspended": "active banned",
        "left": "invited requested active",
        "banned": "active",
    },
    Tournament: {
        "draft": "registration cancelled",
        "registration": "ready cancelled",
        "ready": "running cancelled",
        "running": "suspended finished cancelled",
        "suspended": "running cancelled",
        "finished": "",
        "cancelled": "",
    },
    Entry: {
        "pending": "accepted refused waiting_list withdrawn",
        "waiting_list": "accepted refused withdrawn",
        "accepted": "checked_in playing withdrawn disqualified",
        "refused": "",
        "checked_in": "playing withdrawn disqualified",
        "playing": "finished withdrawn disqualified",
        "finished": "",
        "withdrawn": "pending accepted waiting_list",
        "disqualified": "",
    },
    Round: {
        "draft": "confirmed discarded",
        "discarded": "",
        "confirmed": "draft released",
        "released": "confirmed running finished",
        "running": "finished",
        "finished": "running",
    },
    Pairing: {
        "planned": "live final forfeit double_forfeit void",
        "live": "final forfeit double_forfeit void",
        "final": "live final",
        "bye": "",
        "forfeit": "live",
        "double_forfeit": "live",
        "void": "live",
    },
}
TABLES = {
    League: (LeagueState, LEAGUE_TRANSITIONS),
    Membership: (MembershipState, MEMBERSHIP_TRANSITIONS),
    Tournament: (TournamentState, TOURNAMENT_TRANSITIONS),
    Entry: (EntryState, ENTRY_TRANSITIONS),
    Round: (RoundState, ROUND_TRANSITIONS),
    Pairing: (PairingState, PAIRING_TRANSITIONS),
}


@pytest.mark.parametrize("model", TABLES, ids=lambda model: model.__name__)
def test_each_state_is_followed_by_those_of_its_table_and_by_no_other(model):
    states, table = TABLES[model]
    assert set(table) == set(states.values) == set(ALLOWED[model])
    for now in states.values:
        for wanted in states.values:
            row = model(state=now)
            if wanted in ALLOWED[model][now].split():
                advance(row, wanted, table=table)
                assert row.state == wanted
                continue
            with pytest.raises(BadState) as caught:
                advance(row, wanted, table=table)
            assert (caught.value.code, caught.value.params["wanted"], row.state) == ("bad_state", wanted, now)
            assert "%(" not in str(caught.value)


#: Tournament's state -> what each verb answers, in the order of `_verbs`.
ANSWERS = {
    "draft": "ok bad_state bad_state bad_state bad_state ok entry_closed too_late",
    "registration": "bad_state ok bad_state bad_state bad_state ok ok ok",
    "ready": "bad_state bad_state ok bad_state bad_state ok entry_closed too_late",
    "running": "bad_state bad_state bad_state ok bad_state ok entry_closed too_late",
    "suspended": "bad_state bad_state bad_state bad_state ok ok entry_closed too_late",
    "finished": "bad_state bad_state bad_state bad_state bad_state bad_state entry_closed too_late",
    "cancelled": "bad_state bad_state bad_state bad_state bad_state bad_state entry_closed too_late",
}


def _in_state(state: str):
    """A tournament in this state, by the site's verbs, its organiser, and a member of the league outside of it."""
    tournament, organiser = make_tournament(3, settings=RoundRobinSettings(encounter=1, mirrored=False))
    if state == "draft":
        league = tournament.league
        other = tournaments.create(
            league=league, actor=organiser, name="Bozza", settings=RoundRobinSettings(encounter=1, mirrored=False)
        )
        entered = tournament.entries.first()
        tournament.entries.update(tournament=other)
        entered.members.update(tournament=other)
        tournament = other
    elif state == "registration":
        Tournament.objects.filter(pk=tournament.pk).update(state="registration")
    elif state != "ready":
        tournaments.start(tournament=tournament, actor=organiser)
    if state == "suspended":
        tournaments.pause(tournament=tournament, actor=organiser, reason=REASON)
    if state == "finished":
        finish_all(tournament)
    if state == "cancelled":
        tournaments.cancel(tournament=tournament, actor=organiser, reason=REASON)
    tournament.refresh_from_db()
    assert tournament.state == state
    return tournament, organiser


def _verbs(tournament, organiser, newcomer):
    entry = tournament.entries.order_by("pk").first()
    acting = {"tournament": tournament, "actor": organiser}
    return [
        partial(tournaments.open_registration, **acting),
        partial(tournaments.close_registration, **acting),
        partial(tournaments.start, **acting),
        partial(tournaments.pause, **acting, reason=REASON),
        partial(tournaments.resume, **acting),
        partial(tournaments.cancel, **acting, reason=REASON),
        partial(entries.enter, tournament=tournament, player=newcomer.bot.player, actor=newcomer.bot.owner),
        partial(entries.refuse, entry=entry, actor=organiser, reason=REASON),
    ]


@pytest.mark.django_db
@pytest.mark.parametrize("state", ANSWERS)
def test_each_verb_of_a_tournament_in_each_state(state):
    tournament, organiser = _in_state(state)
    newcomer = make_version()
    memberships.join(league=tournament.league, player=newcomer.bot.player, actor=newcomer.bot.owner)
    assert [code_of(verb) for verb in _verbs(tournament, organiser, newcomer)] == ANSWERS[state].split()


@pytest.mark.django_db
def test_a_round_is_released_once_and_only_while_the_tournament_runs():
    tournament, organiser = make_tournament(3, control="hand", settings=RoundRobinSettings(encounter=2))
    tournaments.start(tournament=tournament, actor=organiser)
    round_ = tournament.stages.get().rounds.get(number=1)
    assert round_.state == RoundState.CONFIRMED
    release = partial(rounds.release, round_=round_, actor=organiser)
    tournaments.pause(tournament=tournament, actor=organiser, reason=REASON)
    assert code_of(release) == "bad_state"
    tournaments.resume(tournament=tournament, actor=organiser)
    leagues.pause(league=tournament.league, actor=organiser, reason=REASON)
    assert code_of(release) == "league_not_open"
    leagues.publish(league=tournament.league, actor=organiser)
    assert release().state == RoundState.RELEASED
    assert code_of(release) == "bad_state"


@pytest.mark.django_db
def test_each_verb_of_a_league_in_each_state():
    league = make_league()
    owner = league.memberships.get().player.user
    verbs = [
        partial(leagues.publish, league=league, actor=owner),
        partial(leagues.pause, league=league, actor=owner, reason=REASON),
        partial(leagues.archive, league=league, actor=owner, reason=REASON),
    ]
    answers = {}
    for state in LeagueState.values:
        League.objects.update(state=state)
        answers[state] = [code_of(verb) for verb in verbs]
    assert answers == {
        "draft": ["ok", "bad_state", "ok"],
        "open": ["bad_state", "ok", "ok"],
        "paused": ["ok", "bad_state", "ok"],
        "archived": ["bad_state", "bad_state", "bad_state"],
    }
