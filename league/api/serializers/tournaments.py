"""Tournaments, entries, rounds, standings."""

from rest_framework import serializers

from games.models import MatchState, PlayerKind
from league.api.serializers.leagues import Named
from league.models import (
    EncounterScoring,
    EntryState,
    PairingState,
    RoundState,
    StageFormat,
    Tournament,
    TournamentState,
)
from league.selectors.tournaments import GROUPS


class Progress(serializers.Serializer):
    """How far a tournament is."""

    entries = serializers.IntegerField()
    matches = serializers.IntegerField()
    matches_over = serializers.IntegerField()
    rounds = serializers.IntegerField()
    rounds_over = serializers.IntegerField()


class TournamentInList(serializers.Serializer):
    """A tournament, in short."""

    code = serializers.CharField(source="tournament.code", help_text="Name in addresses.")
    name = serializers.CharField(source="tournament.name")
    league = serializers.SlugField(source="tournament.league.slug")
    state = serializers.ChoiceField(TournamentState.choices, source="tournament.state")
    rules = serializers.CharField(source="tournament.rules", help_text="Code of the rules.")
    is_rated = serializers.BooleanField(source="tournament.rated")
    created_at = serializers.DateTimeField(source="tournament.created_at")
    started_at = serializers.DateTimeField(source="tournament.started_at", allow_null=True)
    finished_at = serializers.DateTimeField(source="tournament.finished_at", allow_null=True)
    page = serializers.CharField(source="tournament.get_absolute_url", help_text="Its page on the site.")
    progress = Progress(help_text="How far it is.")


class Stage(serializers.Serializer):
    """How the entries meet."""

    format = serializers.ChoiceField(StageFormat.choices)
    is_double = serializers.BooleanField(
        source="params.double", default=False, help_text="Everybody meets everybody two times."
    )
    best_of = serializers.IntegerField(help_text="Deals of a match.")
    encounter = serializers.IntegerField(help_text="Matches of a pairing.")
    is_mirrored = serializers.BooleanField(
        source="mirrored", help_text="Each two of them with the same decks and exchanged seats."
    )
    scoring = serializers.ChoiceField(EncounterScoring.choices, source="encounter_scoring")


class TournamentDetail(TournamentInList):
    """A tournament. Commitments are null in draft; seeds are shown when it is finished."""

    about = serializers.CharField(source="tournament.about", allow_blank=True)
    capacity = serializers.IntegerField(source="tournament.capacity", allow_null=True)
    min_entries = serializers.IntegerField(source="tournament.min_entries")
    control = serializers.ChoiceField(Tournament.Control.choices, source="tournament.control")
    release_every_s = serializers.IntegerField(source="tournament.release_every_s")
    stage = Stage()
    seed_commitment = serializers.CharField(allow_null=True)
    deal_seed_commitment = serializers.CharField(allow_null=True)
    seed = serializers.CharField(allow_null=True)
    deal_seed = serializers.CharField(allow_null=True)


class TournamentQuery(Named):
    """What the list of tournaments can be narrowed by."""

    league = serializers.SlugField(required=False, default="", max_length=60)
    group = serializers.ChoiceField(
        list(GROUPS), required=False, default="", help_text="`open` for entries, `live`, `over`."
    )


class EntryRef(serializers.Serializer):
    """An entry, in short."""

    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    number = serializers.IntegerField(allow_null=True)


class EntryPlayer(serializers.Serializer):
    """A player of an entry."""

    slug = serializers.SlugField(source="player.slug")
    name = serializers.CharField(source="player.name")
    kind = serializers.ChoiceField(PlayerKind.choices, source="player.kind")


class Entry(EntryRef):
    """Who takes part, under which starting number (null before the start), with which version (fixed then)."""

    state = serializers.ChoiceField(EntryState.choices)
    version = serializers.IntegerField(source="version.number", default=None, allow_null=True)
    players = EntryPlayer(many=True, source="members.all")
    created_at = serializers.DateTimeField()


class TieBreak(serializers.Serializer):
    """A criterion: exact `value` (null where it does not apply), its parts, whether it parted this row from the one
    above."""

    code = serializers.CharField()
    title = serializers.CharField(source="label")
    value = serializers.JSONField(allow_null=True, help_text="Whole number, text of a lot, or null.")
    text = serializers.CharField(help_text="The value as points.")
    decided = serializers.BooleanField()
    parts = serializers.ListField(child=serializers.DictField())


class StandingRow(serializers.Serializer):
    """A row of the standings. Points are half-points: 9 are 4½."""

    rank = serializers.IntegerField(source="stored.rank")
    change = serializers.IntegerField(allow_null=True, help_text="Places won since the round before.")
    entry = EntryRef(source="stored.entry")
    is_out = serializers.BooleanField(help_text="Disqualified.")
    half_points = serializers.IntegerField(source="stored.points_h")
    played = serializers.IntegerField(source="stored.played")
    won = serializers.IntegerField(source="stored.won")
    drawn = serializers.IntegerField(source="stored.drawn")
    lost = serializers.IntegerField(source="stored.lost")
    deals_won = serializers.IntegerField(source="stored.deals_won")
    deals_lost = serializers.IntegerField(source="stored.deals_lost")
    card_points_for = serializers.IntegerField(source="stored.card_points_for")
    card_points_against = serializers.IntegerField(source="stored.card_points_against")
    form = serializers.CharField(source="stored.form", allow_blank=True, help_text="The last pairings, W D L.")
    tie_breaks = TieBreak(many=True)


class Standings(serializers.Serializer):
    """The table after a round; `rounds` are those that have one."""

    after = serializers.IntegerField()
    rounds = serializers.ListField(child=serializers.IntegerField())
    rows = StandingRow(many=True)


class StandingsQuery(serializers.Serializer):
    """Which table."""

    after = serializers.IntegerField(
        required=False, default=None, min_value=0, max_value=10_000, help_text="After this round; the latest otherwise."
    )


class RoundInList(serializers.Serializer):
    """A round."""

    number = serializers.IntegerField()
    state = serializers.ChoiceField(RoundState.choices)
    released_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)


class PairingSide(serializers.Serializer):
    """A side of a pairing; `points` is empty while it is open."""

    entry = serializers.IntegerField()
    name = serializers.CharField()
    points = serializers.CharField(allow_blank=True)
    wins = serializers.IntegerField()
    is_winner = serializers.BooleanField()


class PairingMatch(serializers.Serializer):
    """A match of a pairing; score and winner by side of the pairing."""

    number = serializers.IntegerField()
    code = serializers.CharField(source="match.code")
    state = serializers.ChoiceField(MatchState.choices, source="match.state")
    score = serializers.CharField(allow_blank=True)
    winner = serializers.IntegerField(allow_null=True)


class Pairing(serializers.Serializer):
    """Who meets whom; `second` is null for a bye. Of more than 20 matches none is listed: ask /matches/ for them."""

    board = serializers.IntegerField()
    state = serializers.ChoiceField(PairingState.choices)
    first = PairingSide()
    second = PairingSide(allow_null=True)
    count = serializers.IntegerField(help_text="Matches.")
    over = serializers.IntegerField(help_text="Of them over.")
    drawn = serializers.IntegerField()
    matches = PairingMatch(many=True)


class Round(RoundInList):
    """A round with every pairing, played or not."""

    pairings = Pairing(many=True)
