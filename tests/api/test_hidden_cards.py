"""No answer of the API holds a card, a seed or a line of a bot's view that nobody may see yet."""

import json
import random
import secrets

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from games.engine import Deal, Record, Rules, shuffled
from games.models import DealEnd, Match, MatchState
from games.services import matches as match_verbs
from league.models import PairingMatch
from league.services import tournaments
from tests.accounts.factories import make_user
from tests.api.world import SHORT, Api, make_world, token_of
from tests.factories import make_version
from tests.league.playing import make_tournament, play

pytestmark = pytest.mark.django_db


def one_deal(match: Match) -> Deal:
    """Start a match and play its first deal, not more."""
    match_verbs.start(match=match)
    match.refresh_from_db()
    deck = shuffled(match.parsed_rules, bytes(match.seed), match.salt, 1)
    deal = Deal(match.parsed_rules, deck.deck, match.first_dealer, deck.turned)
    rng = random.Random(1)
    while not deal.over:
        deal.play(rng.choice(deal.legal()))
    record = Record(match.parsed_rules, deck.deck, tuple(deal.plays), deal.dealer, deck.turned)
    match_verbs.record_deal(match=match, number=1, record=record, termination=DealEnd.NORMAL)
    return deal


def half_played() -> tuple[list[Match], list[str]]:
    """A tournament whose mirrored sets are half over; its matches, and what may be in no answer."""
    owner = make_user()
    versions = [make_version(owner=owner), make_version(), make_version()]
    tournament, organiser = make_tournament(versions=versions, settings=SHORT)
    tournaments.start(tournament=tournament, actor=organiser)
    rows = list(Match.objects.filter(pairing_match__pairing__stage__tournament=tournament).order_by("pk"))
    play(rows[0], random.Random(1))
    one_deal(rows[1])
    forbidden = []
    for match in rows:
        match.refresh_from_db()
        forbidden.append(bytes(match.seed).hex())
        for number in range(1, 10):
            deck = shuffled(match.parsed_rules, bytes(match.seed), match.salt, number).deck
            forbidden.append("".join(_codes(deck)))
        forbidden += [deal.plays for deal in match.deals.all() if deal.plays]
    forbidden += [bytes(tournament.seed).hex(), bytes(tournament.deal_seed).hex()]
    return rows, forbidden


def _codes(deck) -> list[str]:
    from games.engine import card_code

    return [card_code(card) for card in deck]


def readable() -> list[str]:
    """The addresses of the API that can be read, as the site knows them."""
    found: list[str] = []

    def walk(patterns, prefix: str) -> None:
        for one in patterns:
            if isinstance(one, URLResolver):
                walk(one.url_patterns, prefix + str(one.pattern))
            elif isinstance(one, URLPattern) and one.name and hasattr(one.callback, "cls"):
                found.append(prefix + str(one.pattern))

    walk(get_resolver().url_patterns, "")
    return [path.removeprefix("api/v1/") for path in found if path.startswith("api/v1/")]


def filled(path: str, match: Match) -> str:
    """The address about this match and what belongs to it."""
    place = PairingMatch.objects.select_related("pairing__stage__tournament__league", "pairing__round").get(match=match)
    tournament = place.pairing.stage.tournament
    values = {
        "<slug:code>": tournament.code if path.startswith("tournaments") else match.code,
        "<slug:slug>": tournament.league.slug if path.startswith("leagues") else match.seats.first().player.slug,
        "<slug:bot>": match.seats.first().player.slug,
        "<int:number>": str(place.pairing.round.number if path.startswith("tournaments") else 1),
        "<int:entry>": "1",
        "<int:game_id>": "1",
        "^rankings/(?P<pool>[-a-zA-Z0-9_:]{1,80})/$": "rankings/bot-1v1/",
    }
    for name, value in values.items():
        path = path.replace(name, value)
    assert not set(path) & set("<>^"), path
    return path


def test_no_answer_holds_a_hidden_card():
    rows, forbidden = half_played()
    staff, owner = make_user(is_staff=True), rows[0].seats.get(index=0).player.bot.owner
    callers = [Api(), Api(token_of(owner)), Api(token_of(staff))]
    paths = readable()
    assert len(paths) >= 30
    asked = 0
    for path in sorted({filled(path, match) for match in rows[:2] for path in paths}):
        for api in callers:
            response = api("GET", path)
            assert response.status_code < 500
            text = response.content.decode(errors="replace")
            assert [secret for secret in forbidden if secret in text] == [], (path, text[:200])
            asked += response.status_code == 200
    assert asked > 80


def test_the_same_search_finds_the_cards_once_the_set_is_over():
    rows, forbidden = half_played()
    for match in rows[1:2]:
        rng = random.Random(2)
        finish(match, rng)
    text = Api()("GET", f"matches/{rows[0].code}/").content.decode()
    assert [secret for secret in forbidden if secret in text]


def finish(match: Match, rng: random.Random) -> None:
    """Play the deals that are left."""
    from games.services.results import score_of

    score = score_of(match)
    while not score.is_over:
        number = score.deals + 1
        deck = shuffled(match.parsed_rules, bytes(match.seed), match.salt, number)
        deal = Deal(match.parsed_rules, deck.deck, score.next_dealer(match.first_dealer), deck.turned)
        while not deal.over:
            deal.play(rng.choice(deal.legal()))
        record = Record(match.parsed_rules, deck.deck, tuple(deal.plays), deal.dealer, deck.turned)
        match_verbs.record_deal(match=match, number=number, record=record, termination=DealEnd.NORMAL)
        score = score.add(record.result())
    match_verbs.finish(match=match, winner_side=score.winner_side)


def test_what_is_hidden_is_named_with_its_reason():
    rows, _forbidden = half_played()
    over, playing, waiting = rows[0], rows[1], rows[2]
    assert over.state == MatchState.FINISHED
    shown = Api().get(f"matches/{over.code}/")
    assert (shown["seed"], {deal["cards"] for deal in shown["deals"]}, shown["hidden"]) == (
        None,
        {None},
        {"seed": "set_not_over", "deals": "set_not_over"},
    )
    assert shown["mirror"] == {"index": 0, "twins": [playing.code]}
    assert Api().get(f"matches/{playing.code}/")["hidden"] == {"seed": "match_not_over", "deals": "set_not_over"}
    assert Api().get(f"matches/{waiting.code}/")["deals"] == []
    record = Api().get(f"matches/{over.code}/record/")
    assert ("seed" in record, record["deals"]) == (False, [])


def test_a_finished_match_is_shown_and_verified_from_the_api():
    from games.engine import verify_match

    world = make_world()
    shown = Api().get(f"matches/{world.match.code}/")
    assert shown["hidden"] == {}
    assert (shown["state"], shown["outcome"], len(shown["seats"])) == ("finished", "won", 2)
    assert shown["place"]["tournament"] == world.finished.code
    record = Api().get(f"matches/{world.match.code}/record/")
    assert record["seed"] == shown["seed"]
    assert [deal["deck"] for deal in record["deals"]] == [deal["cards"]["deck"] for deal in shown["deals"]]
    assert verify_match(record) == []
    assert json.loads(json.dumps(record)) == record
    forged = record | {"seed": secrets.token_bytes(32).hex()}
    assert verify_match(forged) != []


def test_the_receipt_adds_up_and_the_standings_too():
    world = make_world()
    receipt = Api().get(f"matches/{world.match.code}/receipt/")
    assert (receipt["state"], receipt["pool"], len(receipt["rows"])) == ("rated", "bot-1v1", 2)
    for row in receipt["rows"]:
        assert row["before"] + row["delta"] + row["floor"] == row["after"]
    table = Api().get(f"tournaments/{world.finished.code}/standings/")
    assert [row["rank"] for row in table["rows"]] == [1, 2, 3]
    assert sum(row["half_points"] for row in table["rows"]) == 6
    assert table["rows"][0]["tie_breaks"][0]["code"] == "points"
    first = Api().get(f"tournaments/{world.finished.code}/standings/", after=1)
    assert (first["after"], first["rounds"]) == (1, table["rounds"])
    history = Api().get(f"players/{world.slug}/history/")
    assert (
        history["results"][-1]["rating_m"]
        == Api().get("rankings/bot-1v1/", limit=200)["results"][
            [row["player"]["slug"] for row in Api().get("rankings/bot-1v1/")["results"]].index(world.slug)
        ]["rating_m"]
    )
    assert Rules.parse(Api().get(f"tournaments/{world.finished.code}/")["rules"]).n == 2


def test_seeds_of_a_tournament_are_shown_when_it_is_finished():
    world = make_world()
    over = Api().get(f"tournaments/{world.finished.code}/")
    assert (over["seed"], over["deal_seed"]) == (
        bytes(world.finished.seed).hex(),
        bytes(world.finished.deal_seed).hex(),
    )
    new = Api().get(f"tournaments/{world.open.code}/")
    assert (new["seed"], new["deal_seed"], new["seed_commitment"]) == (None, None, world.open.seed_commitment)
    draft = Api(token_of(world.staff)).get(f"tournaments/{world.draft.code}/")
    assert (draft["seed_commitment"], draft["deal_seed_commitment"]) == (None, None)
