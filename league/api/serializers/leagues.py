"""Leagues, members, reasons why not."""

from rest_framework import serializers

from games.api.serializers import PlayerRef
from games.models import Visibility
from league.models import Audience, Joining, LeagueState, MembershipState, Role


class LeagueInList(serializers.Serializer):
    """A league, in short."""

    slug = serializers.SlugField(help_text="Name in addresses.")
    name = serializers.CharField()
    state = serializers.ChoiceField(LeagueState.choices)
    audience = serializers.ChoiceField(Audience.choices)
    joining = serializers.ChoiceField(Joining.choices)
    visibility = serializers.ChoiceField(Visibility.choices)
    players = serializers.IntegerField(help_text="Bots in it.")
    tournaments = serializers.IntegerField(source="tournament_count")
    live = serializers.IntegerField(help_text="Tournaments in play.")
    created_at = serializers.DateTimeField()
    page = serializers.CharField(source="get_absolute_url", help_text="Its page on the site.")


class League(LeagueInList):
    """A league."""

    about = serializers.CharField(allow_blank=True)
    rules = serializers.CharField(help_text="Code of the rules that its tournaments start from.")
    bots_per_owner = serializers.IntegerField()


class Member(serializers.Serializer):
    """A player in a league."""

    player = PlayerRef()
    role = serializers.ChoiceField(Role.choices)
    state = serializers.ChoiceField(MembershipState.choices)
    since = serializers.DateTimeField()


class JoinOrder(serializers.Serializer):
    """Who shall join."""

    bot = serializers.SlugField(max_length=60, help_text="One of your bots.")
    code = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=60, help_text="The invitation, where one is needed."
    )


class ByBot(serializers.Serializer):
    """Which bot is asked about."""

    bot = serializers.SlugField(max_length=60, help_text="One of your bots.")


class Reason(serializers.Serializer):
    """Why not; the same code as the refusal would have."""

    code = serializers.CharField()
    message = serializers.CharField()
    params = serializers.DictField()


class Eligibility(serializers.Serializer):
    """Whether a bot can take part now, and every reason why not."""

    bot = serializers.SlugField()
    is_eligible = serializers.BooleanField()
    reasons = Reason(many=True)


class Named(serializers.Serializer):
    """What lists of leagues can be narrowed by."""

    q = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=60, help_text="Part of the name."
    )


class LeagueQuery(Named):
    """What the list of leagues can be narrowed by."""

    audience = serializers.ChoiceField(Audience.choices, required=False, default="")
