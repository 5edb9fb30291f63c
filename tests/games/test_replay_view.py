"""The first picture of the replay: drawn by the server exactly as the modules draw it."""

import dataclasses
from typing import Any

import pytest
from django.utils import translation

from games.selectors.replay import graph_point, replay_view
from tests.frontend.match import replay_data
from tests.js.conftest import Run, modules, run_once, served  # noqa: F401 (fixtures)


def drawn(data: dict[str, Any], number: int, ply: int) -> dict[str, Any]:
    """A position of the server in the words of positions.js."""
    view = replay_view(data, deck="napoletane", deal=number, ply=ply)
    assert view is not None
    seats = sorted((view.own, *view.others), key=lambda seat: seat.index)
    turn = [seat.index for seat in seats if seat.is_turn]
    return {
        "ply": view.ply,
        "hands": [[held.code for held in seat.hand] for seat in seats],
        "stock": view.stock,
        "table": [[s.index, s.played.code, s.played.is_lead, s.played.wins] for s in seats if s.played],
        "points": [seat.points for seat in seats],
        "taken": [seat.taken for seat in seats],
        "turn": turn[0] if turn else None,
    }


@pytest.mark.parametrize(("code", "fault"), [("n=2", None), ("n=2", 1), ("n=3", None), ("n=4", None)])
def test_server_and_browser_see_the_same_positions(run_once: Run, code: str, fault: int | None) -> None:  # noqa: F811
    data = replay_data(code, fault_in=fault)
    for deal, opened in zip(data["deals"], run_once("positions", data), strict=True):
        for position in opened["positions"]:
            position.pop("totals")
            position.pop("trick")
            table = sorted(position["table"], key=lambda played: played["seat"])
            position["table"] = [[played["seat"], played["card"], played["isLead"], played["wins"]] for played in table]
            assert drawn(data, deal["number"], position["ply"]) == position
        view = replay_view(data, deck="napoletane", deal=deal["number"], ply=0)
        assert view is not None
        assert [
            [
                row.ply,
                [card and [card.code, card.is_lead, card.wins] for card in row.cards],
                row.gained,
                row.totals,
            ]
            for row in view.tricks
        ] == [
            [
                trick["ply"],
                [played and [played["card"], played["isLead"], played["wins"]] for played in trick["cards"]],
                trick["gained"],
                "–".join(map(str, trick["totals"])),
            ]
            for trick in opened["tricks"]
        ]
        finished = [trick for trick in opened["tricks"] if trick["winner"] is not None]
        for side, line in enumerate(view.graph.lines):
            points = [0, *(trick["totals"][side] for trick in finished)]
            assert line == " ".join(graph_point(i, value, opened["tricksInAll"]) for i, value in enumerate(points))


@pytest.mark.parametrize(
    ("deal", "ply", "expected"),
    [(None, None, (1, 0)), (9, 5, (1, 5)), (2, -3, (2, 0)), (2, 99, (2, 40)), (1, 40, (1, 40))],
)
def test_bad_addresses_are_clamped(deal: int | None, ply: int | None, expected: tuple[int, int]) -> None:
    view = replay_view(replay_data(), deck="napoletane", deal=deal, ply=ply)
    assert view is not None
    assert (view.deal, view.ply) == expected


def test_a_deal_lost_by_a_fault_opens_at_its_end() -> None:
    with translation.override("en"):
        view = replay_view(replay_data(fault_in=2), deck="napoletane", deal=2)
    assert view is not None
    assert (view.ply, view.total) == (13, 13)
    assert view.banner.startswith("Deal awarded to ")
    assert view.banner.endswith(": Time over")


def test_nothing_is_drawn_while_no_deck_may_be_seen() -> None:
    data = replay_data()
    hidden = [deal | {"deck": None, "plays": None, "turned": None} for deal in data["deals"]]
    assert replay_view(data | {"deals": hidden}, deck="napoletane") is None
    first_only = [data["deals"][0], *hidden[1:]]
    view = replay_view(data | {"deals": first_only}, deck="napoletane", deal=2)
    assert view is not None
    assert [tab.is_visible for tab in view.tabs] == [True] + [False] * (len(hidden) - 1)
    assert view.deal == 1


@pytest.mark.parametrize(
    ("language", "deck", "name"),
    [
        ("en", "napoletane", "Knight of swords"),
        ("en", "francesi", "Queen of spades"),
        ("it", "napoletane", "Cavallo di spade"),
        ("it", "francesi", "Donna di picche"),
    ],
)
def test_cards_are_named_by_language_and_deck(language: str, deck: str, name: str) -> None:
    from games.faces import card_name

    with translation.override(language):
        assert card_name("CS", deck) == name


def test_a_view_is_frozen() -> None:
    view = replay_view(replay_data(), deck="napoletane")
    with pytest.raises(dataclasses.FrozenInstanceError):
        view.ply = 3  # type: ignore[misc, union-attr]
