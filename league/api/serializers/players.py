"""Players, bots, rankings, histories of ratings."""

from rest_framework import serializers

from games.api.serializers import PlayerRef
from games.models import PlayerKind
from league.api.serializers.leagues import Named
from league.models import RatingPool


class Rating(serializers.Serializer):
    """Where a player stands in a pool."""

    pool = serializers.CharField()
    rating = serializers.IntegerField(help_text="Elo.")
    n = serializers.IntegerField(help_text="Rated matches.")
    is_provisional = serializers.BooleanField()


class PlayerHead(PlayerRef):
    """A person or a bot without ratings."""

    since = serializers.DateTimeField(source="created_at")
    owner = PlayerRef(source="bot.owner.player", default=None, allow_null=True, help_text="Of a bot.")
    page = serializers.CharField(source="get_absolute_url", help_text="Its page on the site.")


class PlayerShown(PlayerHead):
    """A person or a bot. The ratings of a bot are those of its active version."""

    ratings = Rating(many=True)


class PlayerQuery(Named):
    """What the list of players can be narrowed by."""

    kind = serializers.ChoiceField(
        [choice for choice in PlayerKind.choices if choice[0] != PlayerKind.GUEST], required=False, default=""
    )


class BotHead(serializers.Serializer):
    """A bot without ratings."""

    slug = serializers.SlugField(source="player.slug", help_text="Name in addresses.")
    name = serializers.CharField(source="player.name")
    owner = PlayerRef(source="owner.player", default=None, allow_null=True)
    language = serializers.CharField()
    is_house = serializers.BooleanField()
    about = serializers.CharField(allow_blank=True)
    active_version = serializers.IntegerField(source="active_version.number", default=None, allow_null=True)
    created_at = serializers.DateTimeField()
    page = serializers.CharField(source="get_absolute_url", help_text="Its page on the site.")


class Bot(BotHead):
    """A bot. `active_version` is null while none of its versions can play."""

    ratings = Rating(many=True)


class BotQuery(Named):
    """What the list of bots can be narrowed by."""

    owner = serializers.SlugField(required=False, default="", max_length=60, help_text="The player who owns them.")
    mine = serializers.BooleanField(required=False, default=False, help_text="My own.")


class Pool(serializers.Serializer):
    """Who is rated together."""

    code = serializers.CharField()
    population = serializers.ChoiceField(RatingPool.Population.choices)
    format = serializers.CharField()
    league = serializers.SlugField(
        source="league.slug", default=None, allow_null=True, help_text="Of a private league."
    )


class RankRow(serializers.Serializer):
    """A row of a ranking; `rank` is null while provisional. The established ones come first."""

    rank = serializers.IntegerField(allow_null=True)
    player = PlayerRef()
    version = serializers.IntegerField(source="version.number", default=None, allow_null=True)
    owner = PlayerRef(source="author", allow_null=True)
    rating_m = serializers.IntegerField(help_text="Milli-Elo.")
    n = serializers.IntegerField(help_text="Rated matches.")
    is_provisional = serializers.BooleanField()
    change_m = serializers.IntegerField(source="change", allow_null=True, help_text="Milli-Elo in thirty days.")
    last_day = serializers.DateField(allow_null=True)


class HistoryPoint(serializers.Serializer):
    """Where a subject stood after a period."""

    period = serializers.IntegerField(source="point.seq")
    day = serializers.DateField(source="point.day")
    rating_m = serializers.IntegerField(source="point.rating_m", help_text="Milli-Elo.")
    n = serializers.IntegerField(source="point.n", help_text="Rated matches so far.")
    version = serializers.IntegerField(allow_null=True, help_text="Of a bot: which of its versions.")


class History(serializers.Serializer):
    """The rating of a player by period, oldest first. `next` is the period to go on after, null at the end."""

    pool = serializers.CharField()
    next = serializers.IntegerField(allow_null=True)
    results = HistoryPoint(many=True)


class HistoryQuery(serializers.Serializer):
    """Which pool, and from where."""

    pool = serializers.CharField(
        required=False, default="", max_length=80, help_text="`bot-1v1` or `human-1v1` otherwise."
    )
    after = serializers.IntegerField(required=False, default=0, min_value=0, max_value=2**31 - 1)
