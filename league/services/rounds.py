"""Rounds: drawn, confirmed, released.

All rounds of a round robin are drawn at the start: none depends on another. Releasing a round makes its matches.
"""

import hashlib
import hmac
import json
import secrets
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.foundation import advance, lock_one
from accounts.models import User
from bots.models import BotVersion
from bots.services.matches import BotMatchSpec
from bots.services.matches import create_many as create_bot_matches
from games.engine import Rules
from games.models import Match, MatchMode, Player, Visibility
from games.services.matches import MatchSpec, SeatSpec
from league.errors import LeagueError
from league.models import (
    ROUND_TRANSITIONS,
    Entry,
    EntryState,
    League,
    Pairing,
    PairingMatch,
    PairingSlot,
    PairingState,
    PeriodKind,
    Round,
    RoundState,
    Stage,
    Tournament,
    TournamentState,
)
from league.pairing import PairingError, RoundRobinRound, schedule
from league.permissions import Act, require
from league.selectors.ratings import shown_of_versions
from league.services import audit
from league.services.checks import nothing_starts
from league.services.ratings import planning
from league.services.work import is_held, work_group


def planned(*, stage: Stage, count: int) -> tuple[RoundRobinRound, ...]:
    """The rounds for starting numbers 1..count; LeagueError `size_limit` when the format does not take so many."""
    try:
        return schedule(range(1, count + 1), double=bool(stage.params.get("double")))
    except PairingError as error:
        raise wrong_size(count) from error


def wrong_size(count: int) -> LeagueError:
    """So many entries are not what the format takes."""
    return LeagueError("size_limit", _("A round robin takes 3 to 64 entries; there are %(count)s."), count=count)


def draw(*, stage: Stage) -> list[Round]:
    """Store every round, confirmed; called in the transaction that starts the tournament (lock held)."""
    entries = {
        entry.number: entry
        for entry in Entry.objects.filter(tournament=stage.tournament, state=EntryState.PLAYING, number__isnull=False)
    }
    drawn = planned(stage=stage, count=len(entries))
    digest = _input_hash(stage, entries)
    rounds = Round.objects.bulk_create(
        Round(stage=stage, number=one.number, state=RoundState.CONFIRMED, input_hash=digest) for one in drawn
    )
    pairings: list[Pairing] = []
    slots: list[PairingSlot] = []
    for round_, plan in zip(rounds, drawn, strict=True):
        meetings = [(board.board, board.seat_0, board.seat_1) for board in plan.boards]
        for board, first, second in meetings:
            pairing = Pairing(stage=stage, round=round_, board=board, reason={"code": "berger", "cycle": plan.cycle})
            pairings.append(pairing)
            slots += [
                PairingSlot(pairing=pairing, round=round_, index=0, entry=entries[first]),
                PairingSlot(pairing=pairing, round=round_, index=1, entry=entries[second]),
            ]
        if plan.resting is not None:
            rest = Pairing(
                stage=stage, round=round_, board=len(meetings), state=PairingState.BYE, reason={"code": "bye"}
            )
            pairings.append(rest)
            slots += [
                PairingSlot(pairing=rest, round=round_, index=0, entry=entries[plan.resting]),
                PairingSlot(pairing=rest, round=round_, index=1, entry=None),
            ]
    Pairing.objects.bulk_create(pairings)
    PairingSlot.objects.bulk_create(slots)
    return rounds


def _input_hash(stage: Stage, entries: dict[int | None, Entry]) -> str:
    inputs = {
        "format": stage.format,
        "params": stage.params,
        "entries": [[number, entries[number].pk] for number in sorted(filter(None, entries))],
        "policy": "berger-1",
    }
    return hashlib.sha256(json.dumps(inputs, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def release(*, round_: Round, actor: User | None) -> Round:
    """Make a confirmed round public and its matches ready to be played, as an organiser."""
    tournament = round_.stage.tournament
    require(actor, Act.RUN_ROUNDS, tournament.league)
    with transaction.atomic():
        league = lock_one(League.objects.filter(pk=tournament.league_id))
        tournament = lock_one(Tournament.objects.filter(pk=tournament.pk).select_related("league"))
        if tournament.state != TournamentState.RUNNING:
            raise LeagueError(
                "bad_state", _("Rounds are released while the tournament runs. Start or resume it first.")
            )
        if (refusal := nothing_starts(league)) is not None:
            raise refusal
        _release([round_], tournament, timezone.now(), actor)
    round_.refresh_from_db()
    return round_


def release_due(*, tournament: Tournament, now: datetime) -> int:
    """Release what automatic control has due: all rounds at once, or the next one every `release_every_s` seconds.

    Called in the transaction that holds the tournament's lock; returns how many were released: none during a pause.
    """
    if is_held(tournament):
        return 0
    waiting = list(Round.objects.filter(stage__tournament=tournament, state=RoundState.CONFIRMED).order_by("number"))
    if not waiting:
        return 0
    if tournament.release_every_s:
        last = (
            Round.objects.filter(stage__tournament=tournament, released_at__isnull=False)
            .order_by("-released_at")
            .values_list("released_at", flat=True)
            .first()
        )
        if last is not None and last + timedelta(seconds=tournament.release_every_s) > now:
            return 0
        waiting = waiting[:1]
    _release(waiting, tournament, now, None)
    return len(waiting)


def _release(rounds: Sequence[Round], tournament: Tournament, now: datetime, actor: User | None) -> None:
    stage = tournament.stages.get()
    rounds = list(Round.objects.filter(pk__in=[one.pk for one in rounds]).order_by("number"))
    for round_ in rounds:
        advance(round_, RoundState.RELEASED, table=ROUND_TRANSITIONS)
        round_.released_at = now
        round_.stage = stage
    Round.objects.bulk_update(rounds, ["state", "released_at"])
    stage.tournament = tournament
    pairings = (
        Pairing.objects.filter(round__in=rounds, state=PairingState.PLANNED)
        .prefetch_related("slots__entry__version", "slots__entry__members__player")
        .order_by("round__number", "board")
    )
    by_round = {round_.pk: round_ for round_ in rounds}
    wanted: list[Encounter] = []
    for pairing in pairings:
        pairing.round = by_round.get(pairing.round_id or 0)
        wanted.append(Encounter.of(pairing, stage=stage))
    make_matches(encounters=wanted, tournament=tournament)
    for round_ in rounds:
        audit.record(
            action="round.release",
            league=tournament.league,
            tournament=tournament,
            actor=actor,
            target=str(round_.number),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Encounter:
    """What a pairing needs played: sets numbered from 1 (a mirrored pair, or one match), under re-run `rerun`."""

    pairing: Pairing
    stage: Stage
    entries: tuple[Entry, Entry]
    sets: tuple[int, ...]
    rerun: int = 0
    fresh_seed: bool = False

    @classmethod
    def of(cls, pairing: Pairing, *, stage: Stage) -> "Encounter":
        """The whole encounter of a pairing whose slots and entries are loaded."""
        first, second = sorted(pairing.slots.all(), key=lambda slot: slot.index)
        count = stage.encounter // 2 if stage.mirrored else stage.encounter
        return cls(
            pairing=pairing,
            stage=stage,
            entries=(_entry(first), _entry(second)),
            sets=tuple(range(1, count + 1)),
        )

    def numbers(self, set_number: int) -> tuple[int, ...]:
        """The match numbers (from 1) that a set covers."""
        return (2 * set_number - 1, 2 * set_number) if self.stage.mirrored else (set_number,)


def _entry(slot: PairingSlot) -> Entry:
    if slot.entry is None:
        raise ValueError("a bye has no encounter")
    return slot.entry


def make_matches(*, encounters: Sequence[Encounter], tournament: Tournament) -> list[PairingMatch]:
    """Make the matches of encounters, tie them to their pairings and plan their rating; the tournament's lock is held.

    The number of queries does not depend on the number of encounters of a round.
    """
    rules = Rules.parse(tournament.rules)
    versions = {entry.version for one in encounters for entry in one.entries if entry.version is not None}
    shown = shown_of_versions(versions, league=tournament.league)
    on_hold = is_held(tournament)
    specs: list[BotMatchSpec] = []
    places: list[tuple[Encounter, int]] = []
    for encounter in encounters:
        for spec, number in _specs(encounter, tournament, rules, shown, on_hold=on_hold):
            specs.append(spec)
            places.append((encounter, number))
    matches = create_bot_matches(specs=specs)
    tied = PairingMatch.objects.bulk_create(
        PairingMatch(pairing=encounter.pairing, match=match, number=number)
        for match, (encounter, number) in zip(matches, places, strict=True)
    )
    by_round: dict[str, list[Match]] = {}
    for match, (encounter, _number) in zip(matches, places, strict=True):
        by_round.setdefault(str(encounter.pairing.round_id), []).append(match)
    planning.plan(matches=by_round, kind=PeriodKind.ROUND, league=tournament.league, rated=tournament.rated)
    return tied


def _specs(
    encounter: Encounter, tournament: Tournament, rules: Rules, shown: dict[int, dict[str, object]], *, on_hold: bool
) -> Iterator[tuple[BotMatchSpec, int]]:
    stage, pairing = encounter.stage, encounter.pairing
    round_number = pairing.round.number if pairing.round is not None else 0
    for set_number in encounter.sets:
        label = f"{stage.order}:{round_number}:{pairing.board}:{set_number}:{encounter.rerun}"
        derived = hmac.digest(bytes(tournament.deal_seed), f"set:{label}".encode(), "sha256")
        seed = secrets.token_bytes(32) if encounter.fresh_seed else derived
        mirror_set = uuid.uuid4() if stage.mirrored else None
        for index, number in enumerate(encounter.numbers(set_number)):
            # Mirrored: seats exchanged in the second match of a set. Else the seats alternate from match to match.
            is_turned = bool(index) if stage.mirrored else number % 2 == 0
            seated = tuple(reversed(encounter.entries)) if is_turned else encounter.entries
            players, versions = zip(*(_who_plays(entry) for entry in seated), strict=True)
            match = MatchSpec(
                rules=rules,
                mode=MatchMode.LEAGUE,
                seats=tuple(
                    SeatSpec(player=player, shown=shown.get(version.pk, {}))
                    for player, version in zip(players, versions, strict=True)
                ),
                visibility=Visibility(tournament.league.visibility),
                seed=seed,
                salt=f"{tournament.code}-{label.replace(':', '-')}",
                mirror_set=mirror_set,
                mirror_index=index,
                rerun=encounter.rerun,
                group=work_group(tournament),
                on_hold=on_hold,
            )
            yield BotMatchSpec(match=match, versions=versions), number


def _who_plays(entry: Entry) -> tuple[Player, BotVersion]:
    player = next(member.player for member in entry.members.all() if member.until is None)
    if entry.version is None:
        raise ValueError(f"entry {entry.pk} has no version")
    return player, entry.version
