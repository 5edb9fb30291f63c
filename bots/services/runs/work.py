"""A match of bots as work for the arena: where it stands, who plays it, and the message that starts a run of it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings

from bots import doorbell
from bots.arena.jobs import DoneDeal, MatchJob, SeatJob
from bots.limits import LIMITS
from bots.models import BotSeat, BotVersion, MatchRun
from bots.services import ringing
from bots.services.runs.verify import Standing, rules_of
from games.engine import MatchScore
from games.models import Deal, Match, MatchMode
from games.selectors.standing import counted


@dataclass(slots=True, kw_only=True)
class Work:
    """A match and what is needed to play it on; `versions` by seat."""

    match: Match
    standing: Standing
    versions: tuple[BotVersion, ...]
    done: list[DoneDeal]

    def add(self, deal: Deal) -> None:
        """Count a deal that is over."""
        result = counted(self.standing.score, deal)
        self.standing.add(result, [] if deal.fault_seat is None else [deal.fault_seat])
        self.done.append(
            DoneDeal(
                deal=deal.number, winner_side=deal.winner_side, points=tuple(deal.points), fault_seat=deal.fault_seat
            )
        )

    def job(self, run: MatchRun) -> MatchJob:
        """The message that starts `run` of this match, after its finished deals."""
        match = self.match
        return MatchJob(
            run_id=str(run.run_id),
            attempt=run.attempt,
            match=match.code,
            mode=match.mode,
            rules=match.rules,
            salt=match.salt,
            seed=self.standing.seed.hex(),
            first_dealer=match.first_dealer,
            seats=tuple(
                SeatJob(
                    seat=seat,
                    side=self.standing.rules.sides[seat],
                    sha256=version.sha256,
                    language=version.bot.language,
                    entry=version.entry,
                )
                for seat, version in enumerate(self.versions)
            ),
            limits=LIMITS,
            tier_min=settings.ARENA_TIER_MIN,
            done=tuple(self.done),
            lease_s=settings.ARENA_LEASE_S,
        )


def ring(blocks: Iterable[Sequence[tuple[MatchRun, Work]]]) -> None:
    """Lay down the files that are missing and send each block of runs as one message.

    Called after commit: the database knows what was sent. Raises OSError and the errors of kombu and redis; what was
    not sent then is rung again by the dispatcher.
    """
    wanted = list(blocks)
    ringing.lay_down(version for block in wanted for _, work in block for version in work.versions)
    for block in wanted:
        doorbell.ring_matches([work.job(run) for run, work in block])


def work_of(matches: Iterable[Match]) -> dict[int, Work]:
    """The work of matches by primary key; three queries."""
    rows = list(matches)
    versions = _versions(rows)
    found = {
        match.pk: Work(match=match, standing=_standing(match), versions=versions[match.pk], done=[]) for match in rows
    }
    begun = [match.pk for match in rows if match.started_at is not None]
    if begun:
        for deal in Deal.objects.filter(match_id__in=begun).exclude(termination="").order_by("match_id", "number"):
            found[deal.match_id].add(deal)
    return found


def _standing(match: Match) -> Standing:
    rules = rules_of(match.rules)
    return Standing(
        code=match.code,
        rules=rules,
        seed=bytes(match.seed),
        salt=match.salt,
        first_dealer=match.first_dealer,
        goes_on_after_faults=match.mode == MatchMode.TEST,
        limits=LIMITS,
        score=MatchScore(rules),
    )


def _versions(matches: Iterable[Match]) -> Mapping[int, tuple[BotVersion, ...]]:
    seats = BotSeat.objects.filter(seat__match_id__in=[match.pk for match in matches])
    rows = list(seats.order_by("seat__match_id", "seat__index").values_list("seat__match_id", "version_id"))
    # The same few versions play many matches: one object each.
    versions = (
        BotVersion.objects.filter(pk__in={version for _, version in rows})
        .select_related("bot")
        .only("sha256", "entry", "archive", "bot__language")
        .in_bulk()
    )
    found: dict[int, list[BotVersion]] = defaultdict(list)
    for match_id, version_id in rows:
        found[match_id].append(versions[version_id])
    return {match_id: tuple(seats_in_order) for match_id, seats_in_order in found.items()}
