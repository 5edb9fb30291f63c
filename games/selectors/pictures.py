"""What the picture of a match shows: nothing that its page would not show to everybody."""

from games.engine import Record, parse_cards
from games.models import Deal, Match, MatchState, Visibility
from games.pictures import Picture, Side
from games.selectors.visibility import can_see_cards, can_see_seed

BRAND = "Bella"


def picture_of(match: Match, number: int | None = None) -> Picture | None:
    """The picture of a match, or of its deal `number`; None for what has none (yet).

    Only finished public matches of two sides, and deals whose cards everybody may see.
    """
    if match.visibility != Visibility.PUBLIC or match.state != MatchState.FINISHED or len(match.score) != 2:
        return None
    if not can_see_seed(match, None):
        return None
    names = _names(match)
    deals = list(match.deals.exclude(termination="").order_by("number"))
    if number is not None:
        deal = next((one for one in deals if one.number == number), None)
        return _deal(match, deal, names) if deal and can_see_cards(match, deal, None) else None
    return Picture(
        title=match.code,
        foot=BRAND,
        sides=_sides(names, [str(won) for won in match.score], match.winner_side),
        deals=tuple(_points(match, deal) for deal in deals),
    )


def _deal(match: Match, deal: Deal, names: tuple[str, str]) -> Picture:
    rules = match.parsed_rules
    record = Record(rules, parse_cards(deal.deck), parse_cards(deal.plays), deal.dealer, parse_cards(deal.turned))
    totals = [[0, 0]]
    for trick in record.replay().tricks:
        points = totals[-1][:]
        points[rules.sides[trick.winner]] += trick.points
        totals.append(points)
    return Picture(
        title=f"{match.code} · {deal.number}",
        foot=BRAND,
        sides=_sides(names, [str(points) for points in _points(match, deal)], deal.winner_side),
        lines=tuple(tuple(points[side] for points in totals) for side in (0, 1)),
    )


def _names(match: Match) -> tuple[str, str]:
    found: dict[int, list[str]] = {0: [], 1: []}
    for side, name in match.seats.order_by("index").values_list("side", "player__name"):
        found[side].append(name)
    return " + ".join(found[0]), " + ".join(found[1])


def _sides(names: tuple[str, str], numbers: list[str], winner: int | None) -> tuple[Side, Side]:
    one, other = (
        Side(name=name, number=number, is_winner=winner == side)
        for side, (name, number) in enumerate(zip(names, numbers, strict=True))
    )
    return one, other


def _points(match: Match, deal: Deal) -> tuple[int, int]:
    sides = match.parsed_rules.sides
    points = [0, 0]
    for seat, taken in enumerate(deal.points):
        points[sides[seat]] += taken
    return points[0], points[1]
