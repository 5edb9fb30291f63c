"""Leagues and their members: found, set up, join, leave, suspend, and a line in the log for each act."""

import pytest

from games.models import Visibility
from league.models import AuditEntry, League, Membership, MembershipState, Role
from league.services import entries, leagues, memberships, tournaments
from league.services.tournaments import RoundRobinSettings
from tests.accounts.factories import make_user
from tests.factories import make_guest, make_human, make_version
from tests.league.playing import make_league, make_tournament, refused, waiting

pytestmark = pytest.mark.django_db
REASON = "Two accounts of one person."


def _owner(league: League):
    return league.memberships.get(role=Role.OWNER).player.user


def _reasons(league: League, player, code: str = "") -> list[str]:
    return [error.code for error in memberships.why_not(league=league, player=player, code=code)]


def _join(league: League, version, **fields):
    return memberships.join(league=league, player=version.bot.player, actor=version.bot.owner, **fields)


def _last_line() -> tuple[str, str | None, str, str]:
    line = AuditEntry.objects.order_by("-pk").first()
    return line.action, line.actor and line.actor.name, line.target, line.reason


# ---- founding and settings


def test_a_league_starts_as_a_draft_with_its_founder_as_owner():
    founder = make_user("Gina")
    league = leagues.create(owner=founder, name="  Lega   di\tprova ", about=" Per chi vuole. ")
    assert (league.name, league.slug, league.state, league.about) == (
        "Lega di prova", "lega-di-prova", "draft", "Per chi vuole.",
    )  # fmt: skip
    member = league.memberships.get()
    assert (member.player, member.role, member.state) == (founder.player, Role.OWNER, MembershipState.ACTIVE)
    assert _last_line() == ("league.create", "Gina", "Lega di prova", "")
    assert len(league.invitation_code) == 22


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"name": "  "}, "bad_name"),
        ({"name": "L" * 61}, "bad_name"),
        ({"name": "!!!"}, "league_name_empty"),
        ({"name": "New"}, "league_name_reserved"),
        ({"name": "lega DI sempre"}, "league_name_taken"),
        ({"about": "x" * 2001}, "about_too_long"),
        ({"audience": "cats"}, "bad_choice"),
        ({"joining": "by force"}, "bad_choice"),
        ({"visibility": "hidden"}, "bad_choice"),
        ({"bots_per_owner": 0}, "bad_number"),
        ({"bots_per_owner": 6}, "bad_number"),
        ({"rules": "n=17"}, "bad_rules"),
        ({"rules": ""}, "bad_rules"),
    ],
)
def test_a_league_is_not_founded_with_what_cannot_be(fields, code):
    founder = make_user()
    leagues.create(owner=founder, name="Lega di sempre")
    with refused(code):
        leagues.create(**{"owner": founder, "name": "Altra lega"} | fields)


def test_a_league_needs_a_founder_with_a_confirmed_address():
    founder = make_user(is_confirmed=False)
    with refused("email_unconfirmed"):
        leagues.create(owner=founder, name="Lega")


def test_settings_are_logged_with_what_they_were_and_an_unchanged_form_leaves_no_line():
    league = make_league()
    owner = _owner(league)
    leagues.update(league=league, actor=owner, about="Nuovo", bots_per_owner=3, audience=league.audience)
    line = AuditEntry.objects.order_by("-pk").first()
    assert (line.action, line.before, line.after) == (
        "league.update", {"about": "", "bots_per_owner": 2}, {"about": "Nuovo", "bots_per_owner": 3},
    )  # fmt: skip
    count = AuditEntry.objects.count()
    leagues.update(league=league, actor=owner, about="Nuovo ", bots_per_owner=3)
    assert AuditEntry.objects.count() == count
    with refused("bad_choice"):
        leagues.update(league=league, actor=owner, about="Altro", visibility="secret")
    with pytest.raises(TypeError, match="slug"):
        leagues.update(league=league, actor=owner, slug="altra")


def test_roles_are_for_people_and_a_league_keeps_an_owner():
    league = make_league()
    owner = _owner(league)
    bot = _join(league, make_version())
    person = Membership.objects.create(league=league, player=make_human("Ugo"))
    gone = Membership.objects.create(league=league, player=make_human(), state=MembershipState.LEFT)
    mine = league.memberships.get(role=Role.OWNER)
    with refused("role_needs_person"):
        leagues.appoint(league=league, actor=owner, member=bot, role="arbiter")
    with refused("role_needs_person"):
        leagues.appoint(league=league, actor=owner, member=gone, role="arbiter")
    with refused("bad_choice"):
        leagues.appoint(league=league, actor=owner, member=person, role="emperor")
    with refused("last_owner"):
        leagues.appoint(league=league, actor=owner, member=mine, role="member")
    leagues.appoint(league=league, actor=owner, member=person, role="owner")
    line = AuditEntry.objects.order_by("-pk").first()
    assert (line.action, line.target, line.before, line.after) == (
        "league.appoint", "Ugo", {"role": "member"}, {"role": "owner"},
    )  # fmt: skip
    count = AuditEntry.objects.count()
    leagues.appoint(league=league, actor=owner, member=person, role="owner")
    assert AuditEntry.objects.count() == count
    leagues.appoint(league=league, actor=owner, member=mine, role="member")
    assert [row.player for row in league.memberships.filter(role=Role.OWNER)] == [person.player]


def test_a_paused_league_holds_what_waits_and_an_open_one_lets_it_go_on():
    league = make_league()
    owner = _owner(league)
    one, other = (make_tournament(3, league=league, settings=RoundRobinSettings())[0] for _number in range(2))
    for tournament in (one, other):
        tournaments.start(tournament=tournament, actor=owner)
    tournaments.pause(tournament=other, actor=owner, reason="The hall is being swept.")
    with refused("reason_required", status=422):
        leagues.pause(league=league, actor=owner, reason="no")
    leagues.pause(league=league, actor=owner, reason="The site moves house.")
    assert {match.on_hold for match in (*waiting(one), *waiting(other))} == {True}
    with refused("league_not_open"):
        tournaments.resume(tournament=other, actor=owner)
    leagues.publish(league=league, actor=owner)
    assert {match.on_hold for match in waiting(one)} == {False}
    assert {match.on_hold for match in waiting(other)} == {True}


def test_a_league_is_archived_when_nobody_waits_for_a_tournament_of_it():
    tournament, organiser = make_tournament(3)
    league = tournament.league
    with refused("tournament_running"):
        leagues.archive(league=league, actor=organiser, reason="The season is over.")
    tournaments.cancel(tournament=tournament, actor=organiser, reason="The season is over.")
    tournaments.create(league=league, actor=organiser, name="Bozza", settings=RoundRobinSettings())
    assert leagues.archive(league=league, actor=organiser, reason="The season is over.").state == "archived"
    assert _last_line() == ("league.archive", organiser.name, league.name, "The season is over.")
    with refused("league_not_open"):
        tournaments.create(league=league, actor=organiser, name="Tardi", settings=RoundRobinSettings())


# ---- joining


def test_every_reason_why_a_bot_cannot_join():
    league = make_league(bots_per_owner=1)
    version = make_version()
    player, author = version.bot.player, version.bot.owner
    assert _reasons(league, player) == []
    version.bot.active_version = None
    version.bot.save()
    assert _reasons(league, player) == ["no_qualified_version"]
    version.bot.active_version = version
    version.bot.save()
    _join(league, make_version(owner=author))
    assert _reasons(league, player) == ["too_many_bots"]
    League.objects.update(audience="humans", state="paused", joining="invitation")
    league.refresh_from_db()
    assert _reasons(league, player) == ["league_not_open", "invitation_needed", "humans_only", "too_many_bots"]
    with refused("league_not_open"):
        _join(league, version)
    guest = make_guest()
    with refused("not_allowed"):
        memberships.join(league=league, player=guest, actor=author)


def test_house_bots_do_not_count_against_their_owner():
    league = make_league(bots_per_owner=1)
    house = make_user()
    for _number in range(3):
        version = make_version(owner=house)
        version.bot.is_house = True
        version.bot.save()
        assert _reasons(league, version.bot.player) == []
        _join(league, version)


def test_a_bot_of_an_open_league_is_a_member_at_once():
    league = make_league()
    version = make_version("Lupo", owner=make_user("Elsa"))
    assert _join(league, version).state == MembershipState.ACTIVE
    assert _last_line() == ("member.join", "Elsa", "Lupo", "")
    with refused("already_member"):
        _join(league, version)


def test_an_invitation_opens_a_league_until_it_is_renewed():
    league = make_league(joining="invitation")
    owner, old = _owner(league), league.invitation_code
    version = make_version()
    with refused("invitation_needed"):
        _join(league, version)
    with refused("invitation_needed"):
        _join(league, version, code="è" * 22)
    league = leagues.renew_invitation(league=league, actor=owner)
    assert league.invitation_code != old
    line = AuditEntry.objects.order_by("-pk").first()
    assert (line.action, line.before, line.after) == ("league.invitation", {}, {})
    with refused("invitation_needed"):
        _join(league, version, code=old)
    assert _join(league, version, code=league.invitation_code).state == MembershipState.ACTIVE
    assert _reasons(league, version.bot.player) == ["already_member"]


def test_a_league_that_is_asked_answers_once():
    league = make_league(joining="request", bots_per_owner=1)
    owner = _owner(league)
    version = make_version("Lupo", owner=make_user("Elsa"))
    player = version.bot.player
    assert _join(league, version).state == MembershipState.REQUESTED
    assert _last_line() == ("member.ask", "Elsa", "Lupo", "")
    with refused("already_requested"):
        _join(league, version)
    twin = make_version(owner=version.bot.owner)
    _join(league, twin)
    memberships.answer(league=league, player=player, actor=owner, accept=True)
    assert _last_line() == ("member.accept", owner.name, "Lupo", "")
    with refused("too_many_bots"):
        memberships.answer(league=league, player=twin.bot.player, actor=owner, accept=True)
    with refused("no_request"):
        memberships.answer(league=league, player=player, actor=owner, accept=False)
    memberships.answer(league=league, player=twin.bot.player, actor=owner, accept=False, reason="Not now.")
    assert _last_line()[0::3] == ("member.refuse", "Not now.")
    with refused("no_request"):
        memberships.answer(league=league, player=twin.bot.player, actor=owner, accept=True)
    stranger = make_human()
    with refused("not_member"):
        memberships.answer(league=league, player=stranger, actor=owner, accept=True)


# ---- leaving, suspending, excluding


def test_who_left_can_join_again():
    league = make_league()
    version = make_version("Lupo", owner=make_user("Elsa"))
    _join(league, version)
    memberships.leave(league=league, player=version.bot.player, actor=version.bot.owner)
    assert _last_line() == ("member.leave", "Elsa", "Lupo", "")
    with refused("bad_state"):
        memberships.leave(league=league, player=version.bot.player, actor=version.bot.owner)
    assert _join(league, version).state == MembershipState.ACTIVE
    assert Membership.objects.filter(player=version.bot.player).count() == 1


def test_nobody_leaves_while_entered_not_even_from_the_waiting_list():
    tournament, organiser = make_tournament(3, capacity=3)
    league = tournament.league
    entry = tournament.entries.first()
    player = entry.members.get().player
    with refused("entered_in_tournament"):
        memberships.leave(league=league, player=player, actor=player.bot.owner)
    open_one = tournaments.create(
        league=league, actor=organiser, name="Aperta", settings=RoundRobinSettings(), capacity=3
    )
    tournaments.open_registration(tournament=open_one, actor=organiser)
    versions = [make_version() for _number in range(4)]
    for version in versions:
        _join(league, version)
        entry = entries.enter(tournament=open_one, player=version.bot.player, actor=version.bot.owner)
    assert entry.state == "waiting_list"
    with refused("entered_in_tournament"):
        memberships.leave(league=league, player=versions[-1].bot.player, actor=versions[-1].bot.owner)
    entries.withdraw(entry=entry, actor=versions[-1].bot.owner)
    memberships.leave(league=league, player=versions[-1].bot.player, actor=versions[-1].bot.owner)


def test_the_last_owner_stays():
    league = make_league()
    owner = _owner(league)
    with refused("last_owner"):
        memberships.leave(league=league, player=owner.player, actor=owner)
    other = Membership.objects.create(league=league, player=make_human(), role=Role.OWNER)
    left = memberships.leave(league=league, player=owner.player, actor=owner)
    assert (left.state, left.role) == (MembershipState.LEFT, Role.MEMBER)
    with refused("last_owner"):
        memberships.leave(league=league, player=other.player, actor=other.player.user)


def test_a_suspension_is_not_got_round_by_leaving():
    league = make_league()
    owner = _owner(league)
    version = make_version("Lupo")
    player, author = version.bot.player, version.bot.owner
    _join(league, version)
    with refused("reason_required", status=422):
        memberships.suspend(league=league, player=player, actor=owner, reason="bad")
    memberships.suspend(league=league, player=player, actor=owner, reason=REASON)
    assert _last_line() == ("member.suspend", owner.name, "Lupo", REASON)
    assert _reasons(league, player) == ["suspended"]
    assert REASON in str(memberships.why_not(league=league, player=player)[0])
    with refused("suspended"):
        memberships.leave(league=league, player=player, actor=author)
    with refused("suspended"):
        _join(league, version)
    memberships.reinstate(league=league, player=player, actor=owner, reason="It was a mistake.")
    assert _last_line() == ("member.reinstate", owner.name, "Lupo", "It was a mistake.")
    with refused("not_suspended"):
        memberships.reinstate(league=league, player=player, actor=owner, reason="It was a mistake.")


def test_who_is_excluded_stays_out():
    league = make_league()
    owner = _owner(league)
    person = make_human("Ugo")
    Membership.objects.create(league=league, player=person, role=Role.ARBITER)
    membership = memberships.ban(league=league, player=person, actor=owner, reason=REASON)
    assert (membership.state, membership.role) == (MembershipState.BANNED, Role.MEMBER)
    assert _last_line() == ("member.ban", owner.name, "Ugo", REASON)
    assert _reasons(league, person) == ["banned"]
    with refused("bad_state"):
        memberships.leave(league=league, player=person, actor=person.user)
    with refused("no_request"):
        memberships.answer(league=league, player=person, actor=owner, accept=True)
    memberships.reinstate(league=league, player=person, actor=owner, reason="It was a mistake.")
    assert Membership.objects.get(player=person, league=league).state == MembershipState.ACTIVE


def test_owners_are_not_suspended_and_who_left_is_not_dragged_back():
    league = make_league()
    owner = _owner(league)
    staff = make_user(is_staff=True)
    with refused("owner_protected"):
        memberships.suspend(league=league, player=owner.player, actor=staff, reason=REASON)
    version = make_version()
    _join(league, version)
    memberships.leave(league=league, player=version.bot.player, actor=version.bot.owner)
    with refused("not_suspended"):
        memberships.reinstate(league=league, player=version.bot.player, actor=owner, reason=REASON)


def test_a_private_league_is_joined_like_another_one():
    league = make_league(visibility=Visibility.PRIVATE, joining="invitation")
    version = make_version()
    assert memberships.is_invitation(league, league.invitation_code)
    assert not memberships.is_invitation(league, "")
    assert _join(league, version, code=league.invitation_code).state == MembershipState.ACTIVE


def test_reasons_for_many_players_take_two_queries(django_assert_num_queries):
    league = make_league()
    players = [make_version().bot.player for _number in range(6)]
    with django_assert_num_queries(2):
        memberships.why_not_each(league=league, players=players)
