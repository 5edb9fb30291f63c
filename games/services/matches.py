"""Making matches, and keeping them from being played. What happens while they are played: `games.services.results`."""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.foundation import lock
from games.clocks import NO_CLOCK, parse_clock
from games.engine import Rules, ShuffleError, commitment, first_dealer
from games.errors import BadMatch
from games.events import MatchesHeld, MatchesReleased, publish
from games.models import (
    Deal,
    Match,
    MatchMode,
    MatchState,
    Player,
    PlayerKind,
    Seat,
    Visibility,
)
from games.services.codes import new_codes
from games.services.results import finish, record_deal, start, void

__all__ = [
    "MatchSpec",
    "SeatSpec",
    "create",
    "create_many",
    "finish",
    "hold",
    "mirrored",
    "record_deal",
    "release_hold",
    "start",
    "void",
]

SEED_BYTES = 32
#: What is played for the fun of it: one bot may take all the seats that people leave.
_FILLED_UP = frozenset({MatchMode.PRACTICE, MatchMode.CASUAL})


@dataclass(frozen=True, slots=True)
class SeatSpec:
    """Who sits down, and what is shown of the player (rating, interval, provisional, version label)."""

    player: Player
    shown: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSpec:
    """A match to be made. `seats` in playing order; `seed` None = 32 fresh random bytes.

    The matches of a mirrored set share `mirror_set`, seed and salt: see `mirrored`. `group` names who asked for the
    match (`t:<tournament id>`); matches `on_hold` are not played until `release_hold`. `clock` is for people
    (`games.clocks`). With `origin_deal` the first deal goes on after the first `origin_ply` cards of that one.
    """

    rules: Rules
    mode: MatchMode
    seats: tuple[SeatSpec, ...]
    visibility: Visibility = Visibility.PUBLIC
    seed: bytes | None = field(default=None, repr=False)
    salt: str = ""
    mirror_set: UUID | None = None
    mirror_index: int = 0
    rerun: int = 0
    group: str = ""
    on_hold: bool = False
    clock: str = NO_CLOCK
    origin_deal: Deal | None = None
    origin_ply: int | None = None


def mirrored(spec: MatchSpec) -> tuple[MatchSpec, ...]:
    """The mirrored set of a match: one match a side, same seed, the player of seat i at seat (i + r) mod n in match r.

    The dealer moves on after a drawn deal too, so that the same deals meet the same dealers in all of them.
    """
    rules = replace(spec.rules, tie_dealer="next")
    seed = spec.seed or secrets.token_bytes(SEED_BYTES)
    shared = replace(spec, rules=rules, seed=seed, mirror_set=spec.mirror_set or uuid4())
    n = rules.n
    return tuple(
        replace(shared, mirror_index=turn, seats=tuple(spec.seats[(index - turn) % n] for index in range(n)))
        for turn in range(rules.side_count)
    )


def create(*, spec: MatchSpec) -> Match:
    """Make one match. Raises as `create_many`."""
    (match,) = create_many(specs=[spec])
    return match


def create_many(*, specs: Sequence[MatchSpec]) -> list[Match]:
    """Make matches, all of them or none, in a constant number of queries; the result is in the order of `specs`.

    Raises BadMatch: `match.seats` (not one a seat of the rules), `match.player_twice` (allowed in mode test,
    and to bots in practice and casual matches),
    `match.guest` (a guest outside practice), `match.mirror` (a set without a common seed or without `tie_dealer=next`),
    `match.seed`, `match.clock`, `match.origin` (not in practice, or other rules).
    """
    for spec in specs:
        _check(spec)
    codes = new_codes(len(specs))
    matches = [_row(spec, code) for spec, code in zip(specs, codes, strict=True)]
    with transaction.atomic():
        Match.objects.bulk_create(matches)
        Seat.objects.bulk_create(
            Seat(match=match, index=index, side=spec.rules.sides[index], player=seat.player, shown=seat.shown)
            for match, spec in zip(matches, specs, strict=True)
            for index, seat in enumerate(spec.seats)
        )
    return matches


def _check(spec: MatchSpec) -> None:
    players = [seat.player for seat in spec.seats]
    if len(players) != spec.rules.n:
        raise BadMatch(
            "match.seats",
            _("These rules seat %(wanted)s players, but %(given)s were named."),
            wanted=spec.rules.n,
            given=len(players),
        )
    once = [player.pk for player in players if player.kind != PlayerKind.BOT or spec.mode not in _FILLED_UP]
    if spec.mode != MatchMode.TEST and len(set(once)) != len(once):
        raise BadMatch(
            "match.player_twice", _("A player cannot sit at two seats of one match: choose another opponent.")
        )
    if spec.mode != MatchMode.PRACTICE and any(player.kind == PlayerKind.GUEST for player in players):
        raise BadMatch("match.guest", _("Guests can only practise. Sign up to play this match."))
    if spec.clock != NO_CLOCK:
        parse_clock(spec.clock)
    if spec.origin_deal is not None and (
        spec.mode != MatchMode.PRACTICE
        or not spec.origin_deal.is_over
        or spec.origin_deal.match.parsed_rules.n != spec.rules.n
        or not 0 <= (spec.origin_ply or 0) < len(spec.origin_deal.plays) // 2
    ):
        raise BadMatch("match.origin", _("Only practice can go on from a card of a finished deal of the same kind."))
    if spec.mirror_set is not None and (spec.seed is None or spec.rules.tie_dealer != "next"):
        raise BadMatch(
            "match.mirror", _("The matches of a mirrored set share one seed, and the dealer moves on after every deal.")
        )


def _row(spec: MatchSpec, code: str) -> Match:
    seed = spec.seed or secrets.token_bytes(SEED_BYTES)
    try:
        return Match(
            code=code,
            rules=spec.rules.code,
            mode=spec.mode,
            visibility=spec.visibility,
            commitment=commitment(seed),
            seed=seed,
            salt=spec.salt,
            first_dealer=first_dealer(spec.rules, seed, spec.salt),
            mirror_set=spec.mirror_set,
            mirror_index=spec.mirror_index,
            rerun=spec.rerun,
            group=spec.group,
            on_hold=spec.on_hold,
            has_people=any(seat.player.kind != PlayerKind.BOT for seat in spec.seats),
            clock=spec.clock,
            origin_deal=spec.origin_deal,
            origin_ply=spec.origin_ply,
            aids=[] if spec.origin_deal is None else ["hands"],
            score=[0] * spec.rules.side_count,
        )
    except ShuffleError as error:
        raise BadMatch(
            "match.seed", _("The seed needs 32 bytes and the salt at most 64 letters and digits.")
        ) from error


def hold(*, matches: Iterable[Match]) -> list[Match]:
    """Keep matches from being played: those that wait are not started, those in play stop after their deal.

    Returns those that were changed; matches that are over or held already are left alone.
    """
    with transaction.atomic():
        rows = lock(_unfinished(matches).filter(on_hold=False))
        Match.objects.filter(pk__in=[match.pk for match in rows]).update(on_hold=True)
        for match in rows:
            match.on_hold = True
        if rows:
            publish(MatchesHeld(match_ids=tuple(match.pk for match in rows)))
    return rows


def release_hold(*, matches: Iterable[Match]) -> list[Match]:
    """Let held matches be played. Returns those that were changed."""
    with transaction.atomic():
        rows = lock(_unfinished(matches).filter(on_hold=True))
        Match.objects.filter(pk__in=[match.pk for match in rows]).update(on_hold=False)
        for match in rows:
            match.on_hold = False
        if rows:
            publish(MatchesReleased(match_ids=tuple(match.pk for match in rows)))
    return rows


def _unfinished(matches: Iterable[Match]) -> QuerySet[Match]:
    return Match.objects.filter(pk__in=[match.pk for match in matches]).exclude(
        state__in=(MatchState.FINISHED, MatchState.VOID)
    )
