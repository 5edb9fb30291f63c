"""What only practice has: reasons of hints, going on from a deal that is over, guests."""

import random

import pytest

from games.engine import Deal as EngineDeal
from games.engine import Rules, shuffled
from games.errors import BadMatch, TableError
from games.models import Deal, Match, Player, PlayerKind
from games.services import guests, practice
from games.services.practice import REASONS, reason
from tests.games.tables import make_practice, make_table, now, play_card, play_cards, play_deal


def test_every_card_of_every_position_has_one_of_the_reasons():
    rng = random.Random(2)
    seen = set()
    for code in ("n=2", "n=4"):
        for _ in range(30):
            shuffle = shuffled(Rules.parse(code), rng.randbytes(32), "", 1)
            deal = EngineDeal(Rules.parse(code), shuffle.deck, 0)
            while not deal.over:
                seen |= {reason(deal, card) for card in deal.legal()}
                deal.play(rng.choice(deal.legal()))
    assert seen == set(REASONS)


def test_the_reason_is_that_of_the_position():
    rng = random.Random(5)
    checked = dict.fromkeys(("takes_points", "draws_trump", "saves_trump"), 0)
    for _ in range(60):
        shuffle = shuffled(Rules(), rng.randbytes(32), "", 1)
        deal = EngineDeal(Rules(), shuffle.deck, 0)
        while deal.stock_size:
            turn, card = deal.turn, rng.choice(deal.legal())
            why, was_led, hand = reason(deal, card), not deal.table, deal.legal()
            before = deal.points[turn]
            deal.play(card)
            if why == "takes_points":
                assert not was_led
                assert deal.points[turn] > before
                checked[why] += 1
            elif why == "draws_trump":
                assert was_led
                assert card // 10 == deal.trump
                checked[why] += 1
            elif why == "saves_trump" and not was_led:
                assert card // 10 != deal.trump or any(held // 10 == deal.trump for held in hand)
                checked[why] += 1
    assert min(checked.values()) > 10


@pytest.mark.django_db
@pytest.mark.usefixtures("clean_valkey")
def test_each_undo_takes_back_one_more_own_card_with_all_that_followed():
    match = make_practice(seed=None)
    play_cards(match, 9)
    while (found := now(match)).turn != 0:
        play_card(match)
    assert found.deal is not None
    cards = []
    while (found := now(match)).deal is not None and 0 in found.deal.played_by:
        practice.undo(match=match, seat=0, deal=1, ply=len(found.deal.plays))  # type: ignore[union-attr]
        after = now(match)
        assert after.row is not None
        assert after.turn == 0
        assert found.row is not None
        assert found.row.plays.startswith(after.row.plays)
        assert len(after.row.think_ms) == len(after.row.seqs) == len(after.row.plays) // 2
        cards.append(len(after.row.plays) // 2)
    with pytest.raises(TableError) as error:
        practice.undo(match=match, seat=0, deal=1, ply=len(now(match).deal.plays))  # type: ignore[union-attr]
    assert error.value.code == "undo_closed"
    assert cards == sorted(cards, reverse=True)
    assert len(cards) in (4, 5)
    assert Match.objects.get(pk=match.pk).aids == ["undo"]


@pytest.mark.django_db
@pytest.mark.usefixtures("clean_valkey")
def test_practice_goes_on_from_a_card_of_a_deal_that_is_over():
    played = play_deal(make_table(rules="n=2 format=deals:1"))
    origin = Deal.objects.get(match=played)
    match = make_practice(rules="n=2 format=deals:1", origin_deal=origin, origin_ply=11)
    found = now(match)
    assert found.row is not None
    assert (found.row.plays, found.row.deck, found.match.aids) == (origin.plays[:22], origin.deck, ["hands"])
    while now(match).turn != 0:
        play_card(match)
    with pytest.raises(TableError) as error:
        practice.undo(match=match, seat=0, deal=1, ply=len(now(match).deal.plays))  # type: ignore[union-attr]
    assert error.value.code == "undo_closed"
    play_card(match)
    practice.undo(match=match, seat=0, deal=1, ply=len(now(match).deal.plays))  # type: ignore[union-attr]
    play_deal(match)
    assert Match.objects.get(pk=match.pk).is_over


@pytest.mark.django_db
@pytest.mark.usefixtures("clean_valkey")
def test_nothing_but_practice_goes_on_from_another_deal():
    played = play_deal(make_table(rules="n=2 format=deals:1"))
    origin = Deal.objects.get(match=played)
    for fields in ({"origin_ply": 40}, {"origin_ply": 3, "rules": "n=4"}):
        with pytest.raises(BadMatch) as error:
            make_practice(**{"rules": "n=2", "origin_deal": origin, **fields})
        assert error.value.code == "match.origin"
    with pytest.raises(BadMatch):
        make_table(origin_deal=origin, origin_ply=3)
    running = Deal.objects.get(match=make_table())
    with pytest.raises(BadMatch):
        make_practice(origin_deal=running, origin_ply=0)


@pytest.mark.django_db
def test_a_guest_is_known_by_a_key_of_which_only_the_digest_is_kept():
    player, key = guests.create()
    assert (player.kind, player.name, player.user) == (PlayerKind.GUEST, "Ospite", None)
    assert key not in str(Player.objects.filter(pk=player.pk).values())
    assert guests.find(key) == player
    assert guests.find(key[:-1]) is None
    other, other_key = guests.create()
    assert (other.pk != player.pk, other_key != key) == (True, True)
