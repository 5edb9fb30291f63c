"""Matches with results for the tests of pages: a whole tournament, and single matches in every state."""

import random
from typing import Any

from django.utils import timezone

from bots.models import BotVersion, Fault
from games.engine import Deal, Record, shuffled
from games.models import DealEnd, Match
from games.services import matches as verbs
from games.services.results import score_of
from league.models import Tournament
from league.services import tournaments
from tests.factories import make_bot_match
from tests.league.playing import make_tournament, play, play_all


def played_tournament(count: int = 3, **fields: Any) -> Tournament:
    """A tournament that has been played to its end."""
    tournament, organiser = make_tournament(count, **fields)
    tournaments.start(tournament=tournament, actor=organiser)
    play_all(tournament)
    tournament.refresh_from_db()
    return tournament


def matches_of(tournament: Tournament) -> list[Match]:
    """Its matches, in the order in which they were made."""
    return list(Match.objects.filter(pairing_match__pairing__stage__tournament=tournament).order_by("pk"))


def played_match(*versions: BotVersion, seed: int = 1, **fields: Any) -> Match:
    """A finished match outside a tournament."""
    return play(make_bot_match(versions, **fields), random.Random(seed))


def play_deal(match: Match, *, most: int | None = None) -> None:
    """The next deal of a match in play, to its end; with `most` plays the seat on turn then crashes and loses it."""
    rng = random.Random(7)
    score = score_of(match)
    number = score.deals + 1
    deck = shuffled(match.parsed_rules, bytes(match.seed), match.salt, number)
    deal = Deal(match.parsed_rules, deck.deck, score.next_dealer(match.first_dealer), deck.turned)
    while not deal.over and (most is None or len(deal.plays) < most):
        deal.play(rng.choice(deal.legal()))
    record = Record(match.parsed_rules, deck.deck, tuple(deal.plays), deal.dealer, deck.turned)
    times = [3 + card for card in deal.plays]
    if deal.over:
        verbs.record_deal(match=match, number=number, record=record, termination=DealEnd.NORMAL, think_ms=times)
        return
    stored = verbs.record_deal(
        match=match, number=number, record=record, termination=DealEnd.CRASH,
        fault_seat=deal.turn, think_ms=times,
    )  # fmt: skip
    version = match.seats.get(index=deal.turn).bot_seat.version
    Fault.objects.create(
        match=match, deal=stored, number=number, seat=deal.turn, version=version, kind="crash", ply=most,
        detail="SECRET-DETAIL", request="SECRET-REQUEST", answer="SECRET-ANSWER", stderr_tail="SECRET-LOG",
        created_at=timezone.now(),
    )  # fmt: skip


def faulty_match(*versions: BotVersion, **fields: Any) -> Match:
    """A finished match whose first deal ended by a crash after 13 plays."""
    match = make_bot_match(versions, **fields)
    verbs.start(match=match)
    play_deal(match, most=13)
    while not score_of(match).is_over:
        play_deal(match)
    verbs.finish(match=match, winner_side=score_of(match).winner_side)
    match.refresh_from_db()
    return match
