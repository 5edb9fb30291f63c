"""Reasons that are codes reach nobody as codes: pages, API and public log have sentences in both languages."""

import re
from pathlib import Path

import pytest
from django.utils import translation

from bots.models import MatchRun
from bots.services.activation import retire
from games.models import Match
from games.services import absence
from games.services import matches as match_verbs
from league import reasons
from league.audit_texts import act
from league.models import AuditEntry, Entry
from league.services import results, tournaments
from tests.factories import make_version
from tests.league.playing import make_league, make_tournament
from tests.league.test_pages_tournaments import page, words

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clean_valkey")]

TABLES = [reasons.VOID, reasons.LEFT_OUT, reasons.RUN]
CODES = [(table, code) for table in TABLES for code in table]


def said(language):
    return {"Accept-Language": language}


@pytest.mark.parametrize(("table", "code"), CODES)
def test_every_code_is_a_sentence_in_both_languages(table, code):
    with translation.override("en"):
        english = str(table[code])
    with translation.override("it"):
        italian = str(table[code])
    assert (code != english, english != italian) == (True, True)


def test_what_a_person_wrote_stays_as_it_is():
    assert reasons.in_words("The hall is being swept.") == "The hall is being swept."


@pytest.mark.parametrize(
    ("stored", "public", "staff"),
    [
        ("lease_lost", "the arena went silent", "the arena went silent"),
        ("infrastructure: spawn", "our machines failed", "our machines failed (spawn)"),
        ("no_files 5f0c", "the file of a bot was missing", "the file of a bot was missing (5f0c)"),
        ("seq gap", "", "seq gap"),
        ("", "", ""),
    ],
)
def test_why_a_run_ended(stored, public, staff):
    with translation.override("en"):
        assert (reasons.of_run(stored, with_detail=False), reasons.of_run(stored, with_detail=True)) == (public, staff)


@pytest.mark.parametrize("code", ["infrastructure", "faults"])
def test_a_void_match_says_why_on_its_page_in_the_api_and_in_the_log(client, code):
    tournament, organiser = make_tournament(3)
    tournaments.start(tournament=tournament, actor=organiser)
    match = Match.objects.order_by("pk").first()
    match_verbs.void(match=match, reason=code)
    results.apply_pending()
    match.refresh_from_db()
    twin = Match.objects.get(mirror_set=match.mirror_set, void_reason="twin")
    for language in ("it", "en"):
        with translation.override(language):
            sentence, other = str(reasons.VOID[code]), str(reasons.VOID["twin"])
        for shown, why in ((match, sentence), (twin, other)):
            text = words(page(client, f"/matches/{shown.code}/", **said(language)))
            assert (why in text, f"{shown.void_reason}" in text.split()) == (True, False)
            answer = client.get(f"/api/v1/matches/{shown.code}/", headers=said(language)).json()
            assert (answer["void_reason"], answer["void_text"]) == (shown.void_reason, why)
        log = words(page(client, f"/tournaments/{tournament.code}/log/", **said(language)))
        assert (sentence in log, other in log) == (True, True)
        client.force_login(organiser)
        assert sentence in words(page(client, f"/organise/{tournament.league.slug}/", **said(language)))
        client.logout()


def test_who_was_left_out_reads_why_in_his_language():
    versions = [make_version() for _number in range(4)]
    tournament, organiser = make_tournament(versions=versions, league=make_league(), close=False)
    retire(version=versions[0], actor=versions[0].bot.owner)
    tournaments.close_registration(tournament=tournament, actor=organiser)
    entry = Entry.objects.get(tournament=tournament, state="withdrawn")
    line = AuditEntry.objects.select_related("tournament", "actor").get(action="entry.drop")
    for language in ("it", "en"):
        with translation.override(language):
            assert act(line).reason == reasons.in_words(entry.reason) == str(reasons.LEFT_OUT["no_qualified_version"])


def test_the_codes_are_those_that_the_services_store():
    from bots.services.runs.cases import FAULTS, INFRASTRUCTURE

    assert set(reasons.VOID) == {FAULTS, INFRASTRUCTURE, results.TWIN_IS_VOID, absence.REASON, reasons.NOT_STARTED}
    assert MatchRun._meta.get_field("reason").max_length >= max(len(code) for code in reasons.RUN)


def test_every_act_of_the_log_has_a_sentence_and_every_change_a_name():
    from league import audit_texts
    from league.services import leagues as league_verbs
    from league.services import setting_up

    services = Path(league_verbs.__file__).parent
    written = {
        name
        for file in services.rglob("*.py")
        for name in re.findall(r'"((?:league|member|tournament|round|entry|match)\.[a-z_]+)"', file.read_text())
    }
    assert written == set(audit_texts.SENTENCES)
    columns = setting_up.FIXED_AT_REGISTRATION | {
        "name", "about", "control", "release_every_s", "capacity", "min_entries", "state", "seed", "deal_seed",
        "numbers", "matches", "role", *league_verbs.EDITABLE,
    }  # fmt: skip
    assert columns - set(audit_texts._FIELDS) == set()
    for table in (audit_texts.SENTENCES, audit_texts._FIELDS):
        for text in table.values():
            with translation.override("en"):
                english = str(text)
            with translation.override("it"):
                assert str(text) != english
