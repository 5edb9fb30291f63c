"""Entries: every reason why not, the waiting list, withdrawing, and who is left out when the registration closes."""

import pytest

from bots.services import activation
from league.models import AuditEntry, Entry, EntryMember, EntryState, League, Membership, Tournament
from league.services import entries, memberships, tournaments
from league.services.tournaments import RoundRobinSettings
from tests.accounts.factories import make_user
from tests.factories import make_human, make_version
from tests.league.playing import make_league, refused

pytestmark = pytest.mark.django_db
REASON = "Two accounts of one person."
PLAIN = RoundRobinSettings(encounter=1, mirrored=False)


def _open(league: League | None = None, **fields) -> Tournament:
    league = league or make_league()
    owner = league.memberships.get(role="owner").player.user
    tournament = tournaments.create(league=league, actor=owner, name="Coppa", settings=PLAIN, **fields)
    return tournaments.open_registration(tournament=tournament, actor=owner)


def _organiser(tournament: Tournament):
    return tournament.league.memberships.get(role="owner").player.user


def _member(tournament: Tournament, **fields):
    version = make_version(**fields)
    memberships.join(league=tournament.league, player=version.bot.player, actor=version.bot.owner)
    return version


def _enter(tournament: Tournament, version=None, **fields) -> Entry:
    version = version or _member(tournament, **fields)
    return entries.enter(tournament=tournament, player=version.bot.player, actor=version.bot.owner)


def _reasons(tournament: Tournament, version) -> list[str]:
    return [error.code for error in entries.why_not(tournament=tournament, player=version.bot.player)]


def _states(tournament: Tournament) -> list[str]:
    return list(tournament.entries.order_by("pk").values_list("state", flat=True))


def test_every_reason_why_a_bot_cannot_enter():
    tournament = _open(make_league(bots_per_owner=1))
    version = make_version()
    assert _reasons(tournament, version) == ["not_member"]
    memberships.join(league=tournament.league, player=version.bot.player, actor=version.bot.owner)
    assert _reasons(tournament, version) == []
    League.objects.update(audience="humans")
    tournament.refresh_from_db()
    assert _reasons(tournament, version) == ["humans_only"]
    League.objects.update(audience="bots", bots_per_owner=2)
    _enter(tournament, _member(tournament, owner=version.bot.owner))
    League.objects.update(bots_per_owner=1)
    tournament = Tournament.objects.select_related("league").get(pk=tournament.pk)
    assert _reasons(tournament, version) == ["too_many_entries"]
    activation.retire(version=version, actor=version.bot.owner)
    version.bot.refresh_from_db()
    assert _reasons(tournament, version) == ["no_qualified_version", "too_many_entries"]
    Tournament.objects.update(state="ready")
    tournament.refresh_from_db()
    assert _reasons(tournament, version)[0] == "entry_closed"
    with refused("entry_closed"):
        _enter(tournament, version)


def test_people_do_not_enter_a_tournament_of_bots():
    tournament = _open()
    person = make_human()
    Membership.objects.create(league=tournament.league, player=person)
    assert [error.code for error in entries.why_not(tournament=tournament, player=person)] == ["bots_only"]
    with refused("bots_only"):
        entries.enter(tournament=tournament, player=person, actor=person.user)


def test_a_suspended_member_reads_why_he_cannot_enter():
    tournament = _open()
    version = _member(tournament)
    memberships.suspend(
        league=tournament.league, player=version.bot.player, actor=_organiser(tournament), reason=REASON
    )
    (found,) = entries.why_not(tournament=tournament, player=version.bot.player)
    assert found.code == "suspended"
    assert REASON in str(found)


def test_an_entry_needs_a_confirmed_address():
    tournament = _open()
    version = _member(tournament)
    version.bot.owner.emailaddress_set.update(verified=False)
    with refused("email_unconfirmed"):
        _enter(tournament, version)


def test_entering_leaves_a_line_and_happens_once():
    tournament = _open()
    version = _member(tournament, name="Lupo", owner=make_user("Elsa"))
    entry = _enter(tournament, version)
    line = AuditEntry.objects.order_by("-pk").first()
    assert (line.action, line.actor.name, line.target, line.after, line.tournament) == (
        "entry.enter", "Elsa", "Lupo", {"state": "accepted"}, tournament,
    )  # fmt: skip
    assert _reasons(tournament, version) == ["already_entered"]
    with refused("already_entered"):
        _enter(tournament, version)
    assert entry.members.get().player == version.bot.player


def test_house_bots_enter_beyond_the_limit_and_others_not():
    tournament = _open(make_league(bots_per_owner=1))
    house, author = make_user(), make_user()
    for _number in range(3):
        version = make_version(owner=house)
        version.bot.is_house = True
        version.bot.save()
        memberships.join(league=tournament.league, player=version.bot.player, actor=house)
        _enter(tournament, version)
    League.objects.update(bots_per_owner=2)
    one, other = (_member(tournament, owner=author) for _number in range(2))
    League.objects.update(bots_per_owner=1)
    _enter(tournament, one)
    with refused("too_many_entries"):
        _enter(tournament, other)


def test_the_waiting_list_counts_for_the_limit_on_bots():
    league = make_league(bots_per_owner=2)
    tournament = _open(league, capacity=3)
    for _number in range(3):
        _enter(tournament)
    author = make_user()
    versions = [_member(tournament, owner=author) for _number in range(2)]
    League.objects.update(bots_per_owner=1)
    assert _enter(tournament, versions[0]).state == EntryState.WAITING_LIST
    with refused("too_many_entries"):
        _enter(tournament, versions[1])


def test_a_free_place_goes_to_the_first_of_the_waiting_list_who_can_still_play():
    tournament = _open(capacity=3)
    first = [_enter(tournament) for _number in range(3)]
    late = [_enter(tournament) for _number in range(3)]
    assert _states(tournament) == ["accepted"] * 3 + ["waiting_list"] * 3
    gone = late[0].members.get().player
    memberships.suspend(league=tournament.league, player=gone, actor=_organiser(tournament), reason=REASON)
    entries.withdraw(entry=first[1], actor=first[1].members.get().player.bot.owner, reason=" Holidays ")
    assert _states(tournament) == ["accepted", "withdrawn", "accepted", "waiting_list", "accepted", "waiting_list"]
    up, out = AuditEntry.objects.order_by("-pk")[:2]
    assert (up.action, up.actor, up.target, up.after) == ("entry.move_up", None, late[1].name, {"state": "accepted"})
    assert (out.action, out.target, out.reason) == ("entry.withdraw", first[1].name, "Holidays")


def test_who_withdrew_may_come_back_at_the_end_of_the_list():
    tournament = _open(capacity=3)
    versions = [_member(tournament) for _number in range(4)]
    made = [_enter(tournament, version) for version in versions]
    entries.withdraw(entry=made[0], actor=versions[0].bot.owner)
    with refused("bad_state"):
        entries.withdraw(entry=made[0], actor=versions[0].bot.owner)
    assert _enter(tournament, versions[0]).state == EntryState.WAITING_LIST
    assert EntryMember.objects.filter(player=versions[0].bot.player, until=None).count() == 1


def test_who_is_taken_out_stays_out():
    tournament = _open(capacity=3)
    organiser = _organiser(tournament)
    versions = [_member(tournament) for _number in range(4)]
    made = [_enter(tournament, version) for version in versions]
    with refused("reason_required", status=422):
        entries.refuse(entry=made[0], actor=organiser, reason=" no ")
    entries.refuse(entry=made[3], actor=organiser, reason=REASON)
    entries.refuse(entry=made[0], actor=organiser, reason=REASON)
    assert _states(tournament) == ["disqualified", "accepted", "accepted", "refused"]
    for version in (versions[0], versions[3]):
        (found,) = entries.why_not(tournament=tournament, player=version.bot.player)
        assert found.code == "removed"
        assert REASON in str(found)
    line = AuditEntry.objects.order_by("-pk").first()
    assert (line.action, line.actor, line.before, line.after, line.reason) == (
        "entry.refuse", organiser, {"state": "accepted"}, {"state": "disqualified"}, REASON,
    )  # fmt: skip


def test_entries_are_fixed_once_the_registration_is_closed():
    tournament = _open()
    made = [_enter(tournament) for _number in range(3)]
    organiser = _organiser(tournament)
    tournaments.close_registration(tournament=tournament, actor=organiser)
    author = made[0].members.get().player.bot.owner
    with refused("too_late"):
        entries.withdraw(entry=made[0], actor=author)
    with refused("too_late"):
        entries.refuse(entry=made[0], actor=organiser, reason=REASON)


def test_who_cannot_play_any_more_is_left_out_when_the_registration_closes():
    tournament = _open(capacity=4)
    organiser = _organiser(tournament)
    versions = [_member(tournament) for _number in range(6)]
    made = [_enter(tournament, version) for version in versions]
    activation.retire(version=versions[0], actor=versions[0].bot.owner)
    memberships.ban(league=tournament.league, player=versions[1].bot.player, actor=organiser, reason=REASON)
    memberships.suspend(league=tournament.league, player=versions[4].bot.player, actor=organiser, reason=REASON)
    seen = tournaments.preview(tournament=tournament)
    assert {entry.pk for entry in seen.entries} == {made[2].pk, made[3].pk, made[5].pk}
    tournaments.close_registration(tournament=tournament, actor=organiser)
    assert _states(tournament) == ["withdrawn", "withdrawn", "accepted", "accepted", "waiting_list", "accepted"]
    numbered = tournament.entries.filter(number__isnull=False).order_by("number")
    assert [entry.pk for entry in numbered] == [entry.pk for entry in seen.entries]
    assert {entry.version_id for entry in numbered} == {versions[2].pk, versions[3].pk, versions[5].pk}
    dropped = AuditEntry.objects.filter(action="entry.drop").order_by("pk")
    assert [(line.actor, line.target, line.reason) for line in dropped] == [
        (None, made[0].name, "no_qualified_version"), (None, made[1].name, "banned"),
    ]  # fmt: skip


def test_too_few_who_can_play_keep_the_registration_open():
    tournament = _open()
    versions = [_member(tournament) for _number in range(3)]
    for version in versions:
        _enter(tournament, version)
    activation.retire(version=versions[0], actor=versions[0].bot.owner)
    organiser = _organiser(tournament)
    with refused("too_few_entries"):
        tournaments.close_registration(tournament=tournament, actor=organiser)


def test_reasons_for_many_players_take_the_same_queries(django_assert_num_queries):
    tournament = _open()
    for count in (2, 6):
        players = [make_version().bot.player for _number in range(count)]
        with django_assert_num_queries(4):
            entries.why_not_each(tournament=tournament, players=players)
