"""Players and records in JSON."""

from rest_framework import serializers

from games.models import PlayerKind


class PlayerRef(serializers.Serializer):
    """A player, in short."""

    slug = serializers.SlugField(help_text="Name in addresses.")
    name = serializers.CharField()
    kind = serializers.ChoiceField(PlayerKind.choices)


class TokenSeen(serializers.Serializer):
    """The token of the request."""

    name = serializers.CharField()
    expires_at = serializers.DateTimeField(source="expiry", allow_null=True)


class Me(serializers.Serializer):
    """Who asks."""

    name = serializers.CharField()
    player = serializers.SlugField(source="player.slug", help_text="The person in /players/.")
    is_confirmed = serializers.BooleanField(help_text="Whether the e-mail address is confirmed.")
    is_staff = serializers.BooleanField()
    language = serializers.CharField(help_text="`it`, `en`, or empty: the request decides.")
    scopes = serializers.ListField(
        child=serializers.CharField(), help_text="What this request may do: of the token, or all in a session."
    )
    token = TokenSeen(allow_null=True)


class RecordedDeal(serializers.Serializer):
    """A deal that can be replayed: cards as text, two characters each (`AD` is the ace of denari)."""

    number = serializers.IntegerField(min_value=1)
    dealer = serializers.IntegerField(min_value=0)
    deck = serializers.CharField()
    turned = serializers.CharField(allow_blank=True)
    plays = serializers.CharField(allow_blank=True)
    points = serializers.ListField(child=serializers.IntegerField(min_value=0))
    end = serializers.CharField()
    termination = serializers.CharField()
    winner_side = serializers.IntegerField(allow_null=True)
    fault_seat = serializers.IntegerField(allow_null=True, required=False)


class MatchRecord(serializers.Serializer):
    """All that is needed to verify a match: `python -m games.engine verify FILE`."""

    engine = serializers.CharField(help_text="The shuffle.")
    rules = serializers.CharField()
    salt = serializers.CharField(allow_blank=True)
    commitment = serializers.CharField(help_text="SHA-256 of the seed, hex.")
    first_dealer = serializers.IntegerField(min_value=0)
    deals = RecordedDeal(many=True)
    outcome = serializers.DictField(allow_null=True)
    seed = serializers.CharField(required=False, help_text="Hex; only when the match, and its mirrored set, is over.")
    hidden = serializers.DictField(
        child=serializers.CharField(), required=False, help_text="What is left out -> `match_not_over` ..."
    )
