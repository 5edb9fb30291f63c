"""What the tests of the engine share: random rules, decks, deals and whole matches."""

import json
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import strategies as st

from games.engine import Deal, MatchScore, Rules, commitment, first_dealer, format_cards, shuffled

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
CASES = json.loads((GOLDEN / "rules.json").read_text())["cases"]
SEATS = (2, 3, 4, 5, 6, 8)
TWOS = ("2D", "2C", "2S", "2B")
SEED = bytes(range(32))


def case(name: str) -> dict[str, Any]:
    """A golden case by its id."""
    return next(entry for entry in CASES if entry["id"] == name)


@st.composite
def any_rules(draw: st.DrawFn, seats: tuple[int, ...] = SEATS) -> Rules:
    """Rules with every option drawn, free of conflicts."""
    n = draw(st.sampled_from(seats))
    fields: dict[str, Any] = {"n": n}
    removed = {2: ((), ("2D", "2B"), TWOS), 3: tuple((two,) for two in TWOS), 4: ((), TWOS)}
    fields["removed"] = draw(st.sampled_from(removed.get(n, ((),))))
    sides = {2: ((), (1, 0)), 4: ((), (0, 0, 1, 1)), 6: ((), (0, 1, 2, 0, 1, 2))}
    fields["sides"] = draw(st.sampled_from(sides.get(n, ((),))))
    two_sides = n in (2, 4) or (n == 6 and not fields["sides"])
    kinds = ["first_to:2", "first_to:3", "deals:1", "deals:4", "sum:3", "race:120", "race:61"]
    fields["format"] = draw(st.sampled_from([*kinds, "difference:2"] if two_sides else kinds))
    if fields["format"].startswith(("first_to", "deals")):
        fields["stop_at_61"] = draw(st.sampled_from(("no", "claim", "auto")))
    if two_sides:
        fields["tie"] = draw(st.sampled_from(("draw", "last_trick")))
    fields["open"] = draw(st.sampled_from(("none", "none", "none", "hands", "all")))
    if n in (4, 6) and fields["open"] == "none":
        fields["partners_see"] = draw(st.sampled_from(("never", "start", "stock_empty", "always")))
        fields["signals"] = draw(st.sampled_from(("none", "signs", "auto")))
    if n == 2 and draw(st.integers(0, 4)) == 4:
        fields |= {"hand": 5, "trump": "none"}
    else:
        fields["redraw"] = draw(st.sampled_from(("none", "A3", "A3R")))
    fields["tie_dealer"] = draw(st.sampled_from(("same", "next")))
    fields["max_deals"] = draw(st.sampled_from((0, 0, 7)))
    fields["first_dealer"] = draw(st.sampled_from(("random", "lowest", "highest", f"seat:{n - 1}")))
    fields["first_lead"] = draw(st.sampled_from(("after", "before")))
    fields["direction"] = draw(st.sampled_from(("ccw", "cw")))
    fields["figures"] = draw(st.sampled_from(("north", "south")))
    fields["signs_from"] = draw(st.integers(1, 5))
    return Rules(**fields)


@st.composite
def any_deal(draw: st.DrawFn, seats: tuple[int, ...] = SEATS) -> Deal:
    """A deal of any rules, with any number of random plays made."""
    rules = draw(any_rules(seats))
    rng = Random(draw(st.integers(0, 2**32)))
    deal = new_deal(rules, rng)
    for _ in range(draw(st.integers(0, len(rules.cards)))):
        if deal.over:
            break
        deal.play(rng.choice(deal.legal()))
    return deal


def new_deal(rules: Rules, rng: Random) -> Deal:
    """A deal with a random deck and dealer, not yet played."""
    deck = list(rules.cards)
    rng.shuffle(deck)
    return Deal(rules, deck, rng.randrange(rules.n))


def play_out(deal: Deal, rng: Random) -> Deal:
    """Play `deal` at random to its end."""
    while not deal.over:
        deal.play(rng.choice(deal.legal()))
    return deal


def state_of(deal: Deal) -> dict[str, Any]:
    """Everything that a deal holds, as values."""
    names = (
        "over turn leader table hands stock points side_points unplayed tricks tricks_done plays winner_side end "
        "upcard trump deck dealer turned stock_size"
    )
    return {name: getattr(deal, name) for name in names.split()} | {"legal": deal.legal()}


def played_match(rules: Rules, seed: bytes = SEED, salt: str = "prova", *, chance: int = 1) -> dict[str, Any]:
    """Bundle of a whole match, its deals dealt from `seed` and played at random."""
    rng = Random(chance)
    first = first_dealer(rules, seed, salt)
    score = MatchScore(rules)
    deals = []
    while not score.is_over:
        shuffle = shuffled(rules, seed, salt, score.deals + 1)
        deal = play_out(Deal(rules, shuffle.deck, score.next_dealer(first), shuffle.turned), rng)
        deals.append(
            {
                "number": score.deals + 1,
                "dealer": deal.dealer,
                "deck": format_cards(deal.deck),
                "turned": format_cards(deal.turned),
                "plays": format_cards(deal.plays),
                "points": list(deal.points),
                "end": deal.end,
            }
        )
        score = score.add(deal.result())
    return {
        "engine": "bella-1",
        "rules": rules.to_dict(),
        "salt": salt,
        "seed": seed.hex(),
        "commitment": commitment(seed),
        "first_dealer": first,
        "deals": deals,
        "outcome": {
            "winner_side": score.winner_side,
            "wins": list(score.wins),
            "drawn": score.drawn,
            "points": list(score.points),
        },
    }
