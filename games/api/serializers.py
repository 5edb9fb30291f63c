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
    is_staff = serializers.BooleanField(
        help_text="Whether the person has the rights of staff: with a second factor only."
    )
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


class PlayValueSeen(serializers.Serializer):
    """What a card was worth when it was played; points of the player's side, cards open."""

    ply = serializers.IntegerField(min_value=0, help_text="Cards played before it.")
    seat = serializers.IntegerField(min_value=0)
    card = serializers.CharField()
    best = serializers.ListField(child=serializers.CharField(), help_text="The cards that lose nothing.")
    lost = serializers.IntegerField(min_value=0, help_text="Points given away against them.")
    values = serializers.DictField(
        child=serializers.IntegerField(),
        help_text="Points to come of the player's side less those of the other, for each card of the hand.",
    )
    is_exact = serializers.BooleanField(help_text="Whether the player could know all hands.")


class DealAnalysisSeen(serializers.Serializer):
    """The analysis of a deal."""

    number = serializers.IntegerField(min_value=1)
    method = serializers.CharField(help_text="Table of the luck, and how many tricks before the end were looked at.")
    luck = serializers.ListField(
        child=serializers.IntegerField(), allow_null=True, help_text="Tenths of a point by seat; null: no meaning."
    )
    plays = PlayValueSeen(many=True)


class MatchAnalysis(serializers.Serializer):
    """The analyses of the deals of a match; empty while they are being made."""

    deals = DealAnalysisSeen(many=True)
