"""Uploads, versions, checks and their games in JSON."""

from rest_framework import serializers

from accounts.names import MAX_NAME
from bots.models import BotVersion, VersionState


class Upload(serializers.Serializer):
    """The file of a further version, and how it shall be taken."""

    file = serializers.FileField(
        allow_empty_file=True, max_length=255, help_text="One .py file, or a zip of at most 512 KiB with bot.py on top."
    )
    notes = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=500, help_text="Shown to the owner and the staff."
    )
    activates = serializers.BooleanField(
        required=False, default=True, help_text="Play with it as soon as it qualifies."
    )


class NewBotUpload(Upload):
    """The file of a new bot; with the name of one of your bots, of its next version."""

    name = serializers.CharField(max_length=MAX_NAME, help_text="Everybody sees it; it stays for all versions.")


class RawUpload(serializers.Serializer):
    """What goes into the query string when the body is the file itself."""

    filename = serializers.CharField(required=False, default="bot.py", max_length=255)
    notes = serializers.CharField(required=False, default="", allow_blank=True, max_length=500)
    activates = serializers.BooleanField(required=False, default=True)


class NewBotRawUpload(RawUpload):
    """The same for a new bot."""

    name = serializers.CharField(required=False, default="", allow_blank=True, max_length=MAX_NAME)


class Check(serializers.Serializer):
    """One step of the check of a version."""

    check = serializers.CharField(help_text="Code of the step: unpack, syntax, form, start, self_play, against_...")
    ok = serializers.BooleanField()
    is_remark = serializers.BooleanField(help_text="Passed, with a remark.")
    title = serializers.CharField()
    message = serializers.CharField()
    place = serializers.CharField(help_text="`file:line`, or empty.")
    what_to_do = serializers.CharField()
    ms = serializers.IntegerField()
    log = serializers.CharField(help_text="What the bot wrote.")
    request = serializers.CharField(help_text="The line that the bot failed at.")
    answer = serializers.CharField(help_text="What it answered, escaped.")


class Result(serializers.Serializer):
    """What a version reached against one opponent."""

    opponent = serializers.CharField()
    deals = serializers.IntegerField()
    score = serializers.IntegerField(help_text="Thousandths of the deals.")
    difference = serializers.IntegerField(help_text="Card points made minus given.")


class Summary(serializers.Serializer):
    """The end of a check: results, and CPU time of a move in microseconds."""

    results = Result(many=True)
    moves = serializers.IntegerField()
    p50_us = serializers.IntegerField()
    p95_us = serializers.IntegerField()
    max_us = serializers.IntegerField()


class VersionInList(serializers.Serializer):
    """A version, as everybody sees it."""

    bot = serializers.SlugField(source="bot.player.slug")
    number = serializers.IntegerField()
    state = serializers.ChoiceField(VersionState.choices)
    is_active = serializers.SerializerMethodField(help_text="Whether it plays the bot's next matches.")
    created_at = serializers.DateTimeField()
    checked_at = serializers.DateTimeField(allow_null=True)
    page = serializers.CharField(source="get_absolute_url", help_text="Its page on the site.")

    def get_is_active(self, version: BotVersion) -> bool:
        """Whether the bot plays with it."""
        return bool(version.bot.active_version_id == version.pk)


class VersionFile(serializers.Serializer):
    """What only the owner and the staff see of a version."""

    filename = serializers.CharField()
    sha256 = serializers.CharField(help_text="Of the content: the same file is the same version.")
    size = serializers.IntegerField(help_text="Bytes.")
    notes = serializers.CharField(allow_blank=True)
    activates = serializers.BooleanField()


class VersionOwn(VersionFile):
    """The file and its check."""

    checks = Check(many=True, help_text="Every step that has been made, in order.")


class Version(VersionInList):
    """A version; `own` is null unless the bot is yours."""

    is_undecided = serializers.BooleanField(help_text="Whether a check waits or runs: ask again in a second.")
    summary = Summary(allow_null=True)
    own = VersionOwn(allow_null=True)


class Game(serializers.Serializer):
    """A deal that a version played while it was checked; cards as text, two characters each."""

    id = serializers.IntegerField(source="pk")
    step = serializers.CharField()
    number = serializers.IntegerField()
    opponent = serializers.CharField()
    seat = serializers.IntegerField(allow_null=True, help_text="Null where the version played both seats.")
    rules = serializers.CharField()
    dealer = serializers.IntegerField()
    deck = serializers.CharField()
    plays = serializers.CharField(allow_blank=True)
    think_ms = serializers.ListField(child=serializers.IntegerField())
    points = serializers.ListField(child=serializers.IntegerField(), help_text="By seat.")
    winner_side = serializers.IntegerField(allow_null=True)
    termination = serializers.CharField()
    fault_seat = serializers.IntegerField(allow_null=True)
