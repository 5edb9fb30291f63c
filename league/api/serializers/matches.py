"""Matches, their deals, the receipt of their Elo."""

from rest_framework import serializers

from games.api.serializers import PlayerRef
from games.models import DealEnd, MatchEnd, MatchMode, MatchOutcome, MatchState, Visibility
from games.models import Match as MatchRow
from league.models import PairingMatch, RatedState
from league.reasons import in_words


class SeatShown(serializers.Serializer):
    """A seat, and what was known of its player when the match was made."""

    index = serializers.IntegerField()
    side = serializers.IntegerField()
    player = PlayerRef()
    version = serializers.CharField(source="shown.version", default=None, allow_null=True)
    rating = serializers.IntegerField(source="shown.rating", default=None, allow_null=True)
    is_provisional = serializers.BooleanField(source="shown.provisional", default=None, allow_null=True)


class Place(serializers.Serializer):
    """Where in its tournament a match belongs. A `replaced` one was played again and counts for nothing."""

    tournament = serializers.CharField(source="pairing.stage.tournament.code")
    league = serializers.SlugField(source="pairing.stage.tournament.league.slug")
    round = serializers.IntegerField(source="pairing.round.number", default=None, allow_null=True)
    board = serializers.SerializerMethodField()
    number = serializers.IntegerField()
    replaced = serializers.BooleanField()

    def get_board(self, place: PairingMatch) -> int:
        """Boards are counted from 1."""
        return place.pairing.board + 1


class MatchInList(serializers.Serializer):
    """A match, in short. `score` = deals won by side."""

    code = serializers.CharField(help_text="Name in addresses.")
    mode = serializers.ChoiceField(MatchMode.choices)
    visibility = serializers.ChoiceField(Visibility.choices)
    state = serializers.ChoiceField(MatchState.choices)
    rules = serializers.CharField()
    outcome = serializers.ChoiceField(MatchOutcome.choices, allow_blank=True)
    termination = serializers.ChoiceField(MatchEnd.choices, allow_blank=True)
    winner_side = serializers.IntegerField(allow_null=True)
    score = serializers.ListField(child=serializers.IntegerField())
    seats = SeatShown(many=True)
    place = Place(source="pairing_match", default=None, allow_null=True)
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    page = serializers.CharField(source="get_absolute_url", help_text="Its page on the site.")


class Cards(serializers.Serializer):
    """The cards of a deal as text, two characters each: deck in dealing order, plays in playing order."""

    deck = serializers.CharField()
    turned = serializers.CharField(allow_blank=True)
    plays = serializers.CharField(allow_blank=True)
    end = serializers.CharField()


class DealHead(serializers.Serializer):
    """A deal. `points` by seat, as banked by play."""

    number = serializers.IntegerField()
    dealer = serializers.IntegerField()
    points = serializers.ListField(child=serializers.IntegerField())
    winner_side = serializers.IntegerField(allow_null=True)
    termination = serializers.ChoiceField(DealEnd.choices, allow_blank=True)
    fault_seat = serializers.IntegerField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class DealShown(DealHead):
    """A deal; `cards` is null while nobody may see them."""

    cards = Cards(allow_null=True)


class Mirror(serializers.Serializer):
    """The other matches of a mirrored set: the same decks, exchanged seats."""

    index = serializers.IntegerField()
    twins = serializers.ListField(child=serializers.CharField())


class MatchHead(MatchInList):
    """A match without its deals."""

    shuffle = serializers.CharField()
    commitment = serializers.CharField(help_text="SHA-256 of the seed, hex: public from the start.")
    salt = serializers.CharField(allow_blank=True)
    first_dealer = serializers.IntegerField()
    void_reason = serializers.CharField(
        allow_blank=True, help_text="`infrastructure`, `faults`, `twin`, or what an arbiter wrote."
    )
    void_text = serializers.SerializerMethodField(help_text="The same as a sentence.")

    def get_void_text(self, match: MatchRow) -> str:
        """Why it is void, in words."""
        return in_words(match.void_reason)


class Match(MatchHead):
    """A match with its deals. `seed` is null, and `hidden` says why, until it may be shown."""

    mirror = Mirror(allow_null=True)
    deals = DealShown(many=True)
    seed = serializers.CharField(allow_null=True)
    hidden = serializers.DictField(child=serializers.CharField(), help_text="What is hidden -> why.")


class MatchQuery(serializers.Serializer):
    """What the list of matches can be narrowed by."""

    player = serializers.SlugField(required=False, default="", max_length=60, help_text="A player or a bot.")
    league = serializers.SlugField(required=False, default="", max_length=60)
    tournament = serializers.SlugField(required=False, default="", max_length=12)
    round = serializers.IntegerField(required=False, default=None, min_value=1, max_value=10_000)
    board = serializers.IntegerField(required=False, default=None, min_value=1, max_value=10_000)
    state = serializers.ChoiceField(MatchState.choices, required=False, default="")


class ReceiptSide(serializers.Serializer):
    """The arithmetic of one side: before + delta + floor = after, in milli-Elo; expected and score in ppm."""

    subject = serializers.CharField()
    name = serializers.CharField()
    seat = serializers.IntegerField()
    before = serializers.IntegerField()
    opponent_before = serializers.IntegerField(allow_null=True)
    expected = serializers.IntegerField()
    score = serializers.IntegerField()
    k = serializers.IntegerField()
    n = serializers.IntegerField(help_text="Rated matches before the period.")
    delta = serializers.IntegerField()
    floor = serializers.IntegerField()
    after = serializers.IntegerField()
    seq = serializers.IntegerField(help_text="Row of the ledger.")
    hash = serializers.CharField()


class Receipt(serializers.Serializer):
    """Whether a match counts for Elo, why not, and the arithmetic when it did."""

    state = serializers.ChoiceField(RatedState.choices)
    reason = serializers.CharField(allow_blank=True, help_text="Why it does not count, a code.")
    reason_text = serializers.CharField(allow_blank=True, help_text="The same as a sentence.")
    pool = serializers.CharField(allow_blank=True)
    revision = serializers.IntegerField()
    period = serializers.IntegerField(allow_null=True)
    rows = ReceiptSide(many=True)
