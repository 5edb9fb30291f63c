"""Records: what a stranger gets is enough to check the match."""

import pytest

from games.engine import Rules, notation_reader, verify_match
from games.models import DealEnd
from games.selectors import records
from games.services import matches
from tests.games.test_matches import played_record, spec
from tests.games.test_visibility import scene

pytestmark = pytest.mark.django_db


def test_the_bundle_of_a_finished_match_verifies():
    assert verify_match(records.bundle(scene("public", "finished").match, None)) == []


def test_a_changed_card_is_found():
    bundle = records.bundle(scene("public", "finished").match, None)
    deal = bundle["deals"][0]
    deal["deck"] = deal["deck"][2:4] + deal["deck"][:2] + deal["deck"][4:]
    assert "verify.deck" in [problem.code for problem in verify_match(bundle)]


def test_the_text_of_a_match_is_read_back_to_the_same_record():
    match = scene("public", "finished").match
    (read,) = notation_reader.read_all(records.text(match, None))
    assert read.record == records.record_of(match, match.deals.get())
    assert read.tag("Match") == match.code
    assert read.tag("Seed") == bytes(match.seed).hex()
    assert read.tag("Number") == "1"


def test_a_faulty_deal_is_recorded_as_far_as_it_was_played():
    match = matches.start(match=matches.create(spec=spec()))
    record = played_record(match, plays=9)
    matches.record_deal(
        match=match, number=1, record=record, termination=DealEnd.TIMEOUT, fault_seat=record.replay().turn
    )
    (deal,) = records.bundle(match, None)["deals"]
    assert (deal["termination"], deal["fault_seat"]) == ("timeout", record.replay().turn)
    assert notation_reader.read(records.text(match, None)).record == record


def test_a_claimed_deal_names_who_claimed():
    match = matches.start(match=matches.create(spec=spec(rules=Rules(format="deals:1", stop_at_61="claim"))))
    deal = played_record(match, plays=0).replay()
    while not deal.over:
        try:
            deal.claim(deal.turn)
        except ValueError:
            deal.play(max(deal.legal(), key=lambda card: card % 10))
    record = type(played_record(match, plays=0)).of(deal)
    assert record.end.startswith("claim:")
    stored = matches.record_deal(match=match, number=1, record=record, termination=DealEnd.CLAIM)
    assert records.record_of(match, stored) == record
