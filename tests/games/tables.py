"""Tables where people play, in every state, for the tests of whoever needs one.

Seats without a version are people with an account. Every card is played through the services.
"""

from collections.abc import Sequence
from typing import Any

from bots.models import BotVersion
from bots.services import matches as bot_matches
from bots.services.matches import BotMatchSpec
from games.engine import Rules, card_code
from games.models import Match, MatchMode, Player, Visibility
from games.selectors.standing import Standing, standing
from games.services import deals, play, practice
from games.services.matches import MatchSpec, SeatSpec
from tests.factories import make_human, make_version

SEED = bytes(range(32))


def make_table(
    *seated: Player | BotVersion,
    rules: str = "n=2",
    mode: str = "casual",
    clock: str = "none",
    seed: bytes | None = SEED,
    is_started: bool = True,
    **fields: Any,
) -> Match:
    """A match of people and bots, its first deal dealt unless told otherwise; people sit where nobody is named."""
    parsed = Rules.parse(rules)
    filled = [*seated, *(make_human() for _ in range(parsed.n - len(seated)))]
    seats = tuple(SeatSpec(one.bot.player if isinstance(one, BotVersion) else one) for one in filled)
    visibility = Visibility.UNLISTED if mode == "practice" else Visibility.PUBLIC
    spec = MatchSpec(
        rules=parsed,
        mode=MatchMode(mode),
        seats=seats,
        seed=seed,
        clock=clock,
        **{"visibility": visibility} | fields,
    )
    versions = tuple(one if isinstance(one, BotVersion) else None for one in filled)
    (match,) = bot_matches.create_many(specs=[BotMatchSpec(spec, versions)])
    return deals.start_match(match=match) if is_started else match


def make_practice(*, rules: str = "n=2", person: Player | None = None, **fields: Any) -> Match:
    """One person at seat 0, bots at the others."""
    n = Rules.parse(rules).n
    versions = [make_version() for _ in range(n - 1)]
    return make_table(person or make_human(), *versions, rules=rules, mode="practice", **fields)


def now(match: Match) -> Standing:
    """Where a match stands in the database."""
    return standing(Match.objects.get(pk=match.pk))


def play_card(match: Match, card: str | None = None) -> dict[str, Any]:
    """The seat on turn plays a card, its oldest unless told otherwise."""
    found = now(match)
    assert found.deal is not None
    assert found.row is not None
    assert found.turn is not None
    chosen = card or card_code(found.deal.legal()[0])
    return play.play(match=match, seat=found.turn, deal=found.row.number, ply=len(found.deal.plays), card=chosen)


def play_cards(match: Match, count: int) -> Match:
    """Oldest cards, so many, or until the deal is over."""
    for _ in range(count):
        if now(match).in_play is None:
            break
        play_card(match)
    return Match.objects.get(pk=match.pk)


def play_deal(match: Match) -> Match:
    """To the end of the deal in play."""
    return play_cards(match, 40)


def everybody_ready(match: Match) -> Match:
    """The next deal begins."""
    found = now(match)
    number = 1 if found.row is None else found.row.number + 1
    for seat in found.people:
        play.ready(match=match, seat=seat, deal=number)
    return Match.objects.get(pk=match.pk)


def play_match(match: Match) -> Match:
    """To the end of the match."""
    while not (match := play_deal(match)).is_over:
        everybody_ready(match)
    return match


def make_every_state() -> dict[str, Match]:
    """A table in each state that a page must draw, by name."""
    waiting = make_table(is_started=False)
    yours = make_table()
    trick = play_cards(make_table(clock="180+5"), 2)
    last_draw = play_cards(make_table(), 34)
    last_three = play_cards(make_table(), 36)
    between = play_deal(make_table(rules="n=2 stop_at_61=auto"))
    over = play_match(make_table())
    resigned = make_table()
    play.resign(match=resigned, seat=0, deal=1, scope="match")
    four = play_cards(make_table(rules="n=4 signals=auto"), 6)
    opened = make_practice()
    practice.show_hands(match=opened, seat=0, on=True)
    return {
        "waiting": waiting,
        "yours": yours,
        "trick": trick,
        "last_draw": last_draw,
        "last_three": last_three,
        "between": between,
        "over": over,
        "resigned": resigned,
        "four": four,
        "open_hands": opened,
    }


def seats(match: Match) -> Sequence[Player]:
    """Who sits at the table, in order."""
    return [seat.player for seat in match.seats.select_related("player").order_by("index")]
