"""A finished match as replay data: dealt from a seed and played by the engine, for tests without a database."""

import random
from dataclasses import asdict
from typing import Any

from games.engine import (
    POINTS,
    Deal,
    DealResult,
    MatchScore,
    Record,
    Rules,
    analyse,
    commitment,
    first_dealer,
    format_cards,
    parse_cards,
    shuffled,
)

#: Chosen for its match of four deals, of which the second is drawn.
SEED = bytes([96, 2] + [7] * 30)
NAMES = ("VelaBot", "Maestrale", "Luna M.", "Scirocco", "Libeccio", "Grecale", "Ponente", "Levante")


def replay_data(
    rules: str = "n=2", *, seed: bytes = SEED, salt: str = "demo", fault_in: int | None = None, think: bool = True
) -> dict[str, Any]:
    """The replay data of one match of these rules; deal number `fault_in` ends by a timeout in its seventh trick."""
    parsed = Rules.parse(rules)
    rng = random.Random(seed)
    first = first_dealer(parsed, seed, salt)
    score = MatchScore(parsed)
    deals = []
    while not score.is_over:
        number = score.deals + 1
        shuffle = shuffled(parsed, seed, salt, number)
        deal = Deal(parsed, shuffle.deck, score.next_dealer(first), shuffle.turned)
        most = 6 * parsed.n + 1 if fault_in == number else 999
        while not deal.over and len(deal.plays) < most:
            deal.play(_card(deal, rng))
        result = deal.result() if deal.over else DealResult.forfeited(parsed, deal.turn)
        early = "auto" if parsed.stop_at_61 == "auto" and deal.unplayed else "normal"
        deals.append(
            {
                "number": number,
                "dealer": deal.dealer,
                "deck": format_cards(deal.deck),
                "turned": format_cards(deal.turned),
                "plays": format_cards(deal.plays),
                "points": list(deal.points),
                "winner_side": result.winner_side,
                "termination": early if deal.over else "timeout",
                "fault_seat": None if deal.over else deal.turn,
                "think_ms": [1 + card for card in deal.plays] if think else [],
            }
        )
        score = score.add(result)
    return {
        "code": "K7Q2M4",
        "rules": parsed.code,
        "seats": [
            {
                "index": seat,
                "side": parsed.sides[seat],
                "name": NAMES[seat],
                "kind": "bot",
                "url": "/bot/",
                "note": "1612",
            }
            for seat in range(parsed.n)
        ],
        "first_dealer": first,
        "salt": salt,
        "seed": seed.hex(),
        "commitment": commitment(seed),
        "deals": deals,
        "has_analysis": None,
        "outcome": {"winner_side": score.winner_side, "wins": list(score.wins)},
    }


def analysed(data: dict[str, Any]) -> dict[str, Any]:
    """The same replay data when the analysis of every deal is made."""
    rules = Rules.parse(data["rules"])
    deals = []
    for deal in data["deals"]:
        record = Record(rules, parse_cards(deal["deck"]), parse_cards(deal["plays"]), deal["dealer"])
        found = analyse(record, tricks=5)
        made = {"method": "luck-1 open-5", "luck": found.luck, "plays": [asdict(play) for play in found.plays]}
        deals.append(deal | {"analysis": made})
    return data | {"deals": deals, "has_analysis": True}


def _card(deal: Deal, rng: random.Random) -> int:
    """Mostly a cheap card, so that the points spread over the deal."""
    legal = deal.legal()
    return rng.choice(legal) if rng.random() < 0.3 else min(legal, key=lambda card: (POINTS[card], card % 10))
