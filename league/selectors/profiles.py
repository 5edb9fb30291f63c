"""Reading players and bots with their ratings, and the pools that somebody may see."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from bots.models import Bot
from games.models import Player, PlayerKind
from league.models import RatingCurrent, RatingPool
from league.permissions import Viewer
from league.selectors import leagues
from league.selectors.ratings import ESTABLISHED, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """Where a player stands in a pool: whole Elo, rated matches; provisional while these are few."""

    pool: str
    rating: int
    n: int
    is_provisional: bool


def pools(viewer: Viewer) -> QuerySet[RatingPool]:
    """The pools that this viewer may see: the site's, and those of private leagues that he may open."""
    return RatingPool.objects.filter(Q(league__isnull=True) | Q(league__in=leagues.visible(viewer)))


def players() -> QuerySet[Player]:
    """Everybody with a page, with the bot and its owner: people and bots, no guests."""
    return Player.objects.exclude(kind=PlayerKind.GUEST).select_related("bot__owner__player")


def bots() -> QuerySet[Bot]:
    """All bots, with player, owner and active version."""
    rows = Bot.objects.select_related("player__bot", "owner__player", "active_version")
    return rows.defer("active_version__report")


def ratings(found: Iterable[Player], viewer: Viewer) -> Mapping[int, tuple[Rating, ...]]:
    """The ratings of players (a bot's is that of its active version) by primary key; one query.

    Precondition: their bots are loaded.
    """
    by_version = {one.bot.active_version_id: one.pk for one in found if one.kind == PlayerKind.BOT}
    people = [one.pk for one in found if one.kind == PlayerKind.HUMAN]
    by_version.pop(None, None)
    rows = RatingCurrent.objects.filter(Q(player__in=people) | Q(version__in=by_version), pool__in=pools(viewer))
    ratings: dict[int, list[Rating]] = {}
    for player, version, pool, rating_m, n in rows.order_by("pool__league", "pool").values_list(
        "player_id", "version_id", "pool__code", "rating_m", "n"
    ):
        rating = Rating(pool=pool, rating=whole(rating_m), n=n, is_provisional=n < ESTABLISHED)
        ratings.setdefault(player or by_version[version], []).append(rating)
    return {pk: tuple(found) for pk, found in ratings.items()}


def versions_of(player: Player) -> dict[int, int]:
    """The numbers of a bot's versions by primary key; empty for a person. One query at most."""
    return dict(player.bot.versions.values_list("pk", "number")) if player.kind == PlayerKind.BOT else {}


def subjects(player: Player, versions: Iterable[int]) -> list[str]:
    """What the ledger calls a player: the person, or each version (primary key) of the bot."""
    return [f"v:{pk}" for pk in versions] if player.kind == PlayerKind.BOT else [f"p:{player.pk}"]
