"""Making matches between bots."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from bots.errors import BotsError
from bots.models import BotSeat, BotVersion
from bots.services import ringing
from games.models import Match, PlayerKind, Seat
from games.services import matches as games_matches
from games.services.matches import MatchSpec


@dataclass(frozen=True, slots=True)
class BotMatchSpec:
    """A match and the version that plays each seat, None where a person sits."""

    match: MatchSpec
    versions: tuple[BotVersion | None, ...]

    @property
    def is_for_arena(self) -> bool:
        """Whether it is played without anybody: as soon as there is room."""
        return None not in self.versions and not self.match.on_hold


def create_many(*, specs: Sequence[BotMatchSpec]) -> list[Match]:
    """Make matches of bots, all of them or none, in a constant number of queries; they are played in their turn. One
    with people waits for `games.services.deals.start_match`.

    Raises BotsError `match.versions` when a version is not one of the player who sits there (a bot without one), and as
    `games.services.matches.create_many`.
    """
    _check(specs)
    with transaction.atomic():
        matches = games_matches.create_many(specs=[spec.match for spec in specs])
        seats = Seat.objects.filter(match__in=matches).order_by("match_id", "index")
        seat_ids = {(seat.match_id, seat.index): seat for seat in seats}
        BotSeat.objects.bulk_create(
            BotSeat(seat=seat_ids[match.pk, index], version=version)
            for match, spec in zip(matches, specs, strict=True)
            for index, version in enumerate(spec.versions)
            if version is not None
        )
        if any(spec.is_for_arena for spec in specs):
            ringing.ask_dispatch()
    return matches


def _check(specs: Sequence[BotMatchSpec]) -> None:
    wanted = {version.pk for spec in specs for version in spec.versions if version is not None}
    players = dict(BotVersion.objects.filter(pk__in=wanted).values_list("pk", "bot__player_id"))
    for spec in specs:
        seated = [seat.player.pk if seat.player.kind == PlayerKind.BOT else None for seat in spec.match.seats]
        if [version and players.get(version.pk) for version in spec.versions] != seated:
            raise BotsError(
                "match.versions", _("Each seat of a match of bots needs a version of the bot that sits there.")
            )
