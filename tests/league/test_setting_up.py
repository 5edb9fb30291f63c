"""Settings of a tournament: all in draft, what the registration leaves open until it closes; changes are logged."""

from dataclasses import replace

import pytest

from league.models import AuditEntry, Entry, Tournament
from league.services import setting_up, tournaments
from league.services.setting_up import RoundRobinSettings
from tests.accounts.factories import make_user
from tests.factories import make_version
from tests.league.playing import make_league, make_tournament, refused
from tests.league.test_pages_tournaments import page, words

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]

PLAIN = RoundRobinSettings(encounter=2)
SETTINGS = {
    "name": "Coppa", "settings": PLAIN, "about": "", "rules": "", "rated": True, "control": "automatic",
    "release_every_s": 0, "capacity": None, "min_entries": 3,
}  # fmt: skip


@pytest.fixture
def draft(client):
    owner = make_user("Ugo Tallone", language="en")
    client.force_login(owner)
    return tournaments.create(league=make_league(owner), actor=owner, name="Coppa", settings=PLAIN)


def _owner(tournament):
    return tournament.league.memberships.get(role="owner").player.user


def _address(tournament):
    return f"/organise/{tournament.league.slug}/tournaments/{tournament.code}/settings/"


def _sent(client, tournament, **fields):
    """What the page's form would send, with these fields changed."""
    form = client.get(_address(tournament)).context["form"]
    values = {name: form[name].value() for name in form.fields}
    return {name: value for name, value in (values | fields).items() if value is not None and value is not False}


def test_everything_of_a_draft_can_be_changed_and_stands_in_the_log(client, draft):
    stored = client.post(
        _address(draft),
        _sent(
            client, draft, name="Girone d'autunno", about="Every evening.", double="yes", encounter="3", mirrored=None,
            best_of="5", encounter_scoring="share", rated=None, control="hand", release_every_s="60", capacity="12",
            min_entries="4", redraw="A3", tie="last_trick",
        ),
    )  # fmt: skip
    assert stored.url == _address(draft).removesuffix("settings/")
    draft.refresh_from_db()
    stage = draft.stages.get()
    assert (draft.name, draft.about, draft.rated, draft.control) == (
        "Girone d'autunno",
        "Every evening.",
        False,
        "hand",
    )
    assert (draft.release_every_s, draft.capacity, draft.min_entries) == (60, 12, 4)
    assert draft.rules == "n=2 redraw=A3 tie=last_trick format=first_to:3"
    assert setting_up.settings_of(stage) == RoundRobinSettings(
        double=True, encounter=3, mirrored=False, best_of=5, encounter_scoring="share"
    )
    line = AuditEntry.objects.get(action="tournament.update")
    assert (line.before["name"], line.after["name"]) == ("Coppa", "Girone d'autunno")
    assert (line.before["capacity"], line.after["capacity"]) == (64, 12)
    assert (line.before["double"], line.after["double"]) == (False, True)
    log = words(page(client, f"/tournaments/{draft.code}/log/"))
    for words_of_it in ("Ugo Tallone changed the settings of the tournament", "By hand", "Every match counts"):
        assert words_of_it in log
    shown = client.get(f"/api/v1/tournaments/{draft.code}/").json()
    assert (shown["name"], shown["capacity"], shown["stage"]["best_of"], shown["is_rated"]) == (
        "Girone d'autunno", 12, 5, False,
    )  # fmt: skip


def test_the_form_as_it_comes_changes_nothing_and_leaves_no_line(client, draft):
    before = Tournament.objects.filter(pk=draft.pk).values().get()
    assert client.post(_address(draft), _sent(client, draft)).status_code == 302
    assert Tournament.objects.filter(pk=draft.pk).values().get() == before
    assert not AuditEntry.objects.filter(action="tournament.update").exists()


def test_mirrored_there_and_back_gives_the_same_rules(client, draft):
    rules = draft.rules
    client.post(_address(draft), _sent(client, draft, mirrored=None))
    draft.refresh_from_db()
    assert draft.rules == "n=2"
    client.post(_address(draft), _sent(client, draft, mirrored="on"))
    draft.refresh_from_db()
    assert draft.rules == rules == "n=2 tie_dealer=next"


def test_the_registration_fixes_rules_and_format_and_nothing_else(client, draft):
    tournaments.open_registration(tournament=draft, actor=_owner(draft))
    form = client.get(_address(draft)).context["form"]
    assert {name for name, field in form.fields.items() if field.disabled} == set(form.FIXED)
    sent = _sent(client, draft, name="Altra coppa", control="hand", encounter="8", rated=None, double="yes")
    assert client.post(_address(draft), sent).status_code == 302
    draft.refresh_from_db()
    assert (draft.name, draft.control, draft.rated) == ("Altra coppa", "hand", True)
    assert setting_up.settings_of(draft.stages.get()) == PLAIN


@pytest.mark.parametrize(
    "fields",
    [
        {"rated": False},
        {"rules": "n=2 redraw=A3"},
        {"settings": replace(PLAIN, double=True)},
        {"settings": replace(PLAIN, encounter=4)},
        {"settings": replace(PLAIN, mirrored=False)},
        {"settings": replace(PLAIN, best_of=5)},
        {"settings": replace(PLAIN, encounter_scoring="share")},
    ],
)
def test_what_is_fixed_is_refused_whoever_asks(draft, fields):
    tournaments.open_registration(tournament=draft, actor=_owner(draft))
    with refused("settings_fixed", status=409):
        tournaments.update(tournament=draft, actor=_owner(draft), **SETTINGS | fields)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"name": " "}, "bad_name"),
        ({"about": "x" * 2001}, "about_too_long"),
        ({"capacity": 2}, "size_limit"),
        ({"min_entries": 65}, "size_limit"),
        ({"release_every_s": -1}, "bad_number"),
        ({"control": "magic"}, "bad_choice"),
        ({"settings": replace(PLAIN, encounter=3)}, "odd_encounter"),
        ({"rules": "n=4"}, "two_players_only"),
    ],
)
def test_a_draft_takes_only_what_could_have_been_prepared(draft, fields, code):
    with refused(code, status=422):
        tournaments.update(tournament=draft, actor=_owner(draft), **SETTINGS | fields)


def test_nothing_can_be_changed_once_the_entries_are_fixed(client):
    owner = make_user()
    tournament, _owner = make_tournament(3, league=make_league(owner))
    with refused("settings_fixed", status=409):
        tournaments.update(tournament=tournament, actor=owner, **SETTINGS | {"name": "Altra"})
    client.force_login(owner)
    text = page(client, _address(tournament))
    assert ("nothing can be changed any more" in words(text), "disabled" in text) == (True, True)
    assert _address(tournament) not in page(client, _address(tournament).removesuffix("settings/"))


def test_more_places_are_given_to_the_waiting_list_and_taken_ones_stay():
    owner = make_user()
    tournament, _owner = make_tournament(versions=[make_version() for _number in range(5)], league=make_league(owner),
                                         capacity=3, close=False, settings=PLAIN)  # fmt: skip
    assert Entry.objects.filter(state="waiting_list").count() == 2
    tournaments.update(tournament=tournament, actor=owner, **SETTINGS | {"capacity": 4})
    states = list(Entry.objects.order_by("pk").values_list("state", flat=True))
    assert states == ["accepted", "accepted", "accepted", "accepted", "waiting_list"]
    with refused("places_taken", status=422):
        tournaments.update(tournament=tournament, actor=owner, **SETTINGS | {"capacity": 3})


def test_a_stranger_changes_nothing(draft):
    stranger = make_user()
    with refused("not_allowed", status=403):
        tournaments.update(tournament=draft, actor=stranger, **SETTINGS | {"name": "Altra"})


def test_two_organisers_at_once_see_both_values(client, draft):
    stale = _sent(client, draft, name="Prima")
    assert client.post(_address(draft), stale).status_code == 302
    answer = client.post(_address(draft), stale | {"name": "Seconda"})
    assert answer.status_code == 409
    (sentence,) = answer.context["form"].non_field_errors()
    assert "“Prima” / “Seconda”" in sentence
    draft.refresh_from_db()
    assert draft.name == "Prima"


def test_a_refused_change_says_why_beside_its_field(client, draft):
    answer = client.post(_address(draft), _sent(client, draft, encounter="3"))
    assert (answer.status_code, list(answer.context["form"].errors)) == (422, ["encounter"])
