"""Logs, faults and test games in JSON."""

from rest_framework import serializers

from bots.services.test_games import MOST_PAIRS


class Logs(serializers.Serializer):
    """The pipes of one's bots in a match."""

    match = serializers.CharField()
    lines = serializers.ListField(
        child=serializers.DictField(),
        help_text="seat, deal, ply, `to` or `from` = bot, message, cpu_us, wall_us, log; of a fault answer and fault.",
    )


class FaultInList(serializers.Serializer):
    """What a version did wrong."""

    id = serializers.IntegerField(source="pk")
    match = serializers.CharField(source="match.code")
    version = serializers.IntegerField(source="version.number")
    deal = serializers.IntegerField(source="number")
    seat = serializers.IntegerField()
    ply = serializers.IntegerField(allow_null=True, help_text="Plays of the deal before it; null: it did not start.")
    kind = serializers.CharField()
    message = serializers.CharField(source="sentence")
    what_to_do = serializers.CharField()
    detail = serializers.CharField()
    request = serializers.CharField(help_text="The line that it was asked.")
    answer = serializers.CharField(help_text="Its answer, escaped.")
    exit = serializers.CharField()
    log = serializers.CharField(source="stderr_tail", help_text="The end of its log.")
    created_at = serializers.DateTimeField()


class NewTestGame(serializers.Serializer):
    """Who meets whom, how often."""

    opponent = serializers.SlugField(help_text="Bot, as in its address.")
    version = serializers.IntegerField(required=False, help_text="Number; default: the active one.")
    opponent_version = serializers.IntegerField(required=False, help_text="Number; of one's own bots alone.")
    pairs = serializers.IntegerField(required=False, default=1, min_value=1, max_value=MOST_PAIRS)


class TestGameInList(serializers.Serializer):
    """A test game."""

    __test__ = False

    id = serializers.IntegerField(source="pk")
    version = serializers.IntegerField(source="version.number")
    opponent = serializers.SlugField(source="opponent.bot.player.slug")
    opponent_version = serializers.IntegerField(source="opponent.number")
    pairs = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    cancelled_at = serializers.DateTimeField(allow_null=True)


class TestMatch(serializers.Serializer):
    """A match of a test game; `is_won` and `score` as the tested version sees them."""

    __test__ = False

    match = serializers.CharField(source="match.code")
    state = serializers.CharField(source="match.state")
    score = serializers.ListField(child=serializers.IntegerField())
    is_won = serializers.BooleanField(allow_null=True)


class TestGame(serializers.Serializer):
    """Where a test game stands."""

    __test__ = False

    game = TestGameInList()
    is_over = serializers.BooleanField()
    won = serializers.IntegerField()
    drawn = serializers.IntegerField()
    lost = serializers.IntegerField()
    matches = TestMatch(source="lines", many=True)
