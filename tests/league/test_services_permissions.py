"""Who may do what: every verb by every role, and a refused one changes nothing."""

from functools import partial

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import translation

from league import permissions
from league.models import League, Membership, MembershipState, Role
from league.permissions import Act
from league.services import entries, leagues, memberships, rounds, rulings, tournaments
from league.services.tournaments import RoundRobinSettings
from tests.accounts.factories import make_user
from tests.factories import make_human, make_version
from tests.league.playing import code_of, make_league, make_tournament, waiting

pytestmark = pytest.mark.django_db
REASON = "The hall is being swept."
PLAIN = RoundRobinSettings(encounter=1, mirrored=False)


def _member(league: League, role: Role, state: MembershipState = MembershipState.ACTIVE):
    player = make_human()
    Membership.objects.create(league=league, player=player, role=role, state=state)
    return player.user


def _people(league: League):
    people = {
        "outsider": make_user(),
        "member": _member(league, Role.MEMBER),
        "suspended organiser": _member(league, Role.ORGANISER, MembershipState.SUSPENDED),
        "arbiter": _member(league, Role.ARBITER),
        "organiser": _member(league, Role.ORGANISER),
        "owner": _member(league, Role.OWNER),
        "staff": make_user(is_staff=True),
        "owner locked out": _member(league, Role.OWNER),
    }
    people["owner locked out"].is_active = False
    people["owner locked out"].save()
    return people


#: Lowest role -> who may.
MAY = {
    Role.ARBITER: {"arbiter", "organiser", "owner", "staff"},
    Role.ORGANISER: {"organiser", "owner", "staff"},
    Role.OWNER: {"owner", "staff"},
}


def _verbs():
    """Name -> (lowest role, verb that wants an actor), on one league with something in every state."""
    draft, owner = make_tournament(3, settings=PLAIN, control="hand")
    league = draft.league
    settings = {"league": league, "actor": owner, "settings": PLAIN}
    empty = tournaments.create(name="Bozza", **settings)
    filled = tournaments.open_registration(tournament=tournaments.create(name="Aperta", **settings), actor=owner)
    ready = draft
    running = tournaments.start(
        tournament=_another(league, owner, [member.player for member in league.memberships.exclude(role="owner")]),
        actor=owner,
    )
    rounds.release(round_=running.stages.get().rounds.get(number=1), actor=owner)
    paused = tournaments.start(
        tournament=_another(league, owner, [member.player for member in league.memberships.exclude(role="owner")]),
        actor=owner,
    )
    tournaments.pause(tournament=paused, actor=owner, reason=REASON)
    entry = entries.enter(
        tournament=filled, player=(bot := league.memberships.exclude(role="owner").first().player), actor=bot.bot.owner
    )
    person = Membership.objects.create(league=league, player=make_human())
    organiser = Membership.objects.create(league=league, player=make_human(), role=Role.ORGANISER)
    asked = make_version().bot.player
    Membership.objects.create(league=league, player=asked, state=MembershipState.REQUESTED)
    out = Membership.objects.create(league=league, player=make_human(), state=MembershipState.SUSPENDED)
    banned = Membership.objects.create(league=league, player=make_human(), state=MembershipState.BANNED)
    match = waiting(running)[0]
    there = {"league": league}
    paused_league = make_league()
    leagues.pause(league=paused_league, actor=paused_league.memberships.get().player.user, reason=REASON)
    return league, {
        "rerun": (Role.ARBITER, partial(rulings.void_and_rerun, match=match, reason=REASON)),
        "refuse entry": (Role.ORGANISER, partial(entries.refuse, entry=entry, reason=REASON)),
        "release": (
            Role.ORGANISER, partial(rounds.release, round_=running.stages.get().rounds.get(number=2))
        ),
        "open registration": (Role.ORGANISER, partial(tournaments.open_registration, tournament=empty)),
        "close registration": (Role.ORGANISER, partial(tournaments.close_registration, tournament=_fill(filled))),
        "start": (Role.ORGANISER, partial(tournaments.start, tournament=ready)),
        "pause": (Role.ORGANISER, partial(tournaments.pause, tournament=running, reason=REASON)),
        "resume": (Role.ORGANISER, partial(tournaments.resume, tournament=paused)),
        "accept": (Role.ORGANISER, partial(memberships.answer, player=asked, accept=True, **there)),
        "refuse": (Role.ORGANISER, partial(memberships.answer, player=asked, accept=False, **there)),
        "suspend": (Role.ORGANISER, partial(memberships.suspend, player=person.player, reason=REASON, **there)),
        "suspend an organiser": (
            Role.OWNER, partial(memberships.suspend, player=organiser.player, reason=REASON, **there)
        ),
        "reinstate": (Role.ORGANISER, partial(memberships.reinstate, player=out.player, reason=REASON, **there)),
        "lift an exclusion": (
            Role.OWNER, partial(memberships.reinstate, player=banned.player, reason=REASON, **there)
        ),
        "ban": (Role.OWNER, partial(memberships.ban, player=person.player, reason=REASON, **there)),
        "new invitation": (Role.ORGANISER, partial(leagues.renew_invitation, **there)),
        "create tournament": (
            Role.ORGANISER, partial(tournaments.create, name="Nuovo", settings=PLAIN, **there)
        ),
        "cancel": (Role.ORGANISER, partial(tournaments.cancel, tournament=running, reason=REASON)),
        "appoint an arbiter": (Role.ORGANISER, partial(leagues.appoint, member=person, role="arbiter", **there)),
        "appoint an organiser": (Role.OWNER, partial(leagues.appoint, member=person, role="organiser", **there)),
        "dismiss an organiser": (Role.OWNER, partial(leagues.appoint, member=organiser, role="arbiter", **there)),
        "settings": (Role.OWNER, partial(leagues.update, about="Altro", **there)),
        "pause league": (Role.OWNER, partial(leagues.pause, reason=REASON, **there)),
    }  # fmt: skip


def _another(league, owner, players):
    tournament = tournaments.create(league=league, actor=owner, name="Altro", settings=PLAIN, control="hand")
    tournaments.open_registration(tournament=tournament, actor=owner)
    for player in players:
        entries.enter(tournament=tournament, player=player, actor=player.bot.owner)
    return tournaments.close_registration(tournament=tournament, actor=owner)


def _fill(tournament):
    """Enough entries to close the registration."""
    for member in tournament.league.memberships.filter(player__kind="bot", state="active"):
        if not entries.why_not(tournament=tournament, player=member.player):
            entries.enter(tournament=tournament, player=member.player, actor=member.player.bot.owner)
    return tournament


def test_each_verb_by_each_role():
    league, verbs = _verbs()
    people = _people(league)
    found, wanted = {}, {}
    for name, (lowest, verb) in verbs.items():
        for role, person in people.items():
            found[name, role] = code_of(partial(verb, actor=person))
            wanted[name, role] = "ok" if role in MAY[lowest] else "not_allowed"
    assert {key: value for key, value in found.items() if value != wanted[key]} == {}


def test_what_a_refusal_of_rights_says():
    league = make_league()
    with pytest.raises(permissions.NotAllowed) as caught:
        leagues.update(league=league, actor=make_user(), about="x")
    assert (caught.value.code, caught.value.status) == ("not_allowed", 403)
    with translation.override("en"):
        assert str(caught.value) == "You are not allowed to do this. Ask an organiser of the league."


def test_the_acts_of_each_role_follow_from_one_table(django_assert_num_queries):
    league = make_league()
    people = _people(league)
    assert {role: permissions.acts_of(person, league) for role, person in people.items()} == {
        "outsider": frozenset(),
        "member": frozenset(),
        "suspended organiser": frozenset(),
        "arbiter": frozenset({Act.RULE}),
        "organiser": frozenset({Act.RULE, Act.RUN_ROUNDS, Act.MANAGE_TOURNAMENTS}),
        "owner": frozenset(Act),
        "staff": frozenset(Act),
        "owner locked out": frozenset(),
    }
    assert permissions.acts_of(AnonymousUser(), league) == frozenset()
    with django_assert_num_queries(1):
        permissions.acts_of(people["owner"], league)


@pytest.mark.parametrize("verb", ["enter", "withdraw", "join", "leave"])
def test_only_the_owner_of_a_bot_and_staff_act_for_it(verb):
    tournament, organiser = make_tournament(3, settings=PLAIN)
    league = tournament.league
    newcomer, other = make_version(), make_version()
    outsider = make_version()
    memberships.join(league=league, player=newcomer.bot.player, actor=newcomer.bot.owner)
    open_one = tournaments.create(league=league, actor=organiser, name="Aperta", settings=PLAIN)
    tournaments.open_registration(tournament=open_one, actor=organiser)
    memberships.join(league=league, player=other.bot.player, actor=other.bot.owner)
    entered = entries.enter(tournament=open_one, player=other.bot.player, actor=other.bot.owner)
    act = {
        "enter": partial(entries.enter, tournament=open_one, player=newcomer.bot.player),
        "withdraw": partial(entries.withdraw, entry=entered),
        "join": partial(memberships.join, league=league, player=outsider.bot.player),
        "leave": partial(memberships.leave, league=league, player=newcomer.bot.player),
    }[verb]
    owner = {"enter": newcomer, "withdraw": other, "join": outsider, "leave": newcomer}[verb].bot.owner
    assert code_of(partial(act, actor=organiser)) == "not_allowed"
    assert code_of(partial(act, actor=make_user())) == "not_allowed"
    assert code_of(partial(act, actor=make_user(is_staff=True))) == "ok"
    assert code_of(partial(act, actor=owner)) == "ok"
