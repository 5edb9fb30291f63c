"""Which pool a match is rated in."""

from games.engine import Rules
from games.models import PlayerKind, Visibility
from league.models import League, RatingPool

#: Deals to win (best of three, five, seven) that are rated.
RATED_TARGETS = range(2, 5)


def is_rateable(rules: Rules) -> bool:
    """Whether the site's pools take these rules: 40 cards, two seats, an upcard, first to 2..4, closed hands."""
    return (
        rules.n == 2
        and len(rules.cards) == 40
        and rules.trump == "upcard"
        and rules.open == "none"
        and rules.kind == "first_to"
        and rules.target in RATED_TARGETS
    )


def population_of(kinds: set[str]) -> str:
    """Who sits at the table: only people, only bots, or both."""
    if kinds == {PlayerKind.BOT}:
        return RatingPool.Population.BOT
    if kinds == {PlayerKind.HUMAN}:
        return RatingPool.Population.HUMAN
    return RatingPool.Population.OPEN


def pool_for(*, population: str, league: League | None) -> RatingPool:
    """The pool `<population>-1v1`; a private league always has its own, `<slug>:<population>-1v1`."""
    own = league if league is not None and league.visibility == Visibility.PRIVATE else None
    code = f"{own.slug}:{population}-1v1" if own else f"{population}-1v1"
    pool, _made = RatingPool.objects.get_or_create(code=code, defaults={"population": population, "league": own})
    return pool
