"""Rulings: what an arbiter decides about a match, with a reason that everybody can read."""

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext_lazy as _

from accounts.foundation import advance, lock, lock_one
from accounts.models import User
from games.models import Match, MatchState
from league.errors import LeagueError
from league.models import (
    PAIRING_TRANSITIONS,
    ROUND_TRANSITIONS,
    Entry,
    EntryMember,
    LeagueState,
    Pairing,
    PairingMatch,
    PairingSlot,
    PairingState,
    Round,
    RoundState,
    Stage,
    Tournament,
    TournamentState,
)
from league.permissions import Act, require
from league.services import audit, standings
from league.services.ratings import amendments
from league.services.rounds import Encounter, make_matches
from league.services.work import void_locked


def void_and_rerun(*, match: Match, actor: User, reason: str) -> list[Match]:
    """Void a match and have it played again with a new seed; of a mirrored set, all its matches.

    A match that is over already is amended: its result no longer counts for standings and ratings, and stays readable.
    While tournament or league is paused the new matches wait.
    Returns the new matches. Raises `not_in_tournament`, `replaced_already`, `tournament_cancelled`,
    `league_not_open`, `conflict_of_interest`, `reason_required`, `not_allowed`.
    """
    reason = audit.checked_reason(reason)
    place = PairingMatch.objects.filter(match=match).select_related("pairing__stage__tournament__league").first()
    if place is None:
        raise LeagueError("not_in_tournament", _("This match belongs to no tournament."))
    tournament = place.pairing.stage.tournament
    require(actor, Act.RULE, tournament.league)
    require_no_stake(actor, place.pairing)
    with transaction.atomic():
        tournament = lock_one(Tournament.objects.filter(pk=tournament.pk).select_related("league"))
        if (refusal := _nothing_again(tournament)) is not None:
            raise refusal
        round_, pairing, places = _locked(place)
        before = {"matches": [one.match.code for one in places], "state": _state_of(match, places)}
        _take_out(places, actor=actor, reason=reason)
        _reopen(pairing, round_)
        made = _play_again(tournament, pairing, places)
        standings.refresh(stage=pairing.stage, rounds=[round_] if round_ is not None else [])
        audit.record(
            action="match.rerun",
            league=tournament.league,
            tournament=tournament,
            actor=actor,
            target=match.code,
            before=before,
            after={"matches": [one.code for one in made]},
            reason=reason,
        )
    return made


def why_no_rerun(*, place: PairingMatch, actor: User) -> LeagueError | None:
    """Why this person could not have the match played again now; None when he could. Its tournament is loaded."""
    if place.replaced:
        return _replaced_already()
    try:
        require_no_stake(actor, place.pairing)
    except LeagueError as error:
        return error
    return _nothing_again(place.pairing.stage.tournament)


def _nothing_again(tournament: Tournament) -> LeagueError | None:
    if tournament.state == TournamentState.CANCELLED:
        return LeagueError("tournament_cancelled", _("The tournament is cancelled: nothing is played again."))
    if tournament.league.state == LeagueState.ARCHIVED:
        return LeagueError("league_not_open", _("The league is archived: nothing is played again."))
    return None


def _replaced_already() -> LeagueError:
    return LeagueError("replaced_already", _("This match has been replaced by another one already."))


def _state_of(match: Match, places: list[PairingMatch]) -> str:
    return next(one.match.state for one in places if one.match_id == match.pk)


def require_no_stake(actor: User, pairing: Pairing) -> None:
    """Nobody rules on a pairing in which he or a bot of his plays, staff excepted (`conflict_of_interest`)."""
    if actor.acts_as_staff:
        return
    mine = EntryMember.objects.filter(entry__slots__pairing=pairing)
    if mine.filter(player__user=actor).exists() or mine.filter(player__bot__owner=actor).exists():
        raise LeagueError(
            "conflict_of_interest", _("You take part in this pairing: another arbiter has to decide."), status=403
        )


def _locked(place: PairingMatch) -> tuple[Round | None, Pairing, list[PairingMatch]]:
    """Lock round, pairing, the ties and the matches of the set, in this order."""
    round_ = lock_one(Round.objects.filter(pk=place.pairing.round_id)) if place.pairing.round_id else None
    pairing = lock_one(Pairing.objects.filter(pk=place.pairing_id).select_related("stage"))
    pairing.round = round_
    same_set = PairingMatch.objects.filter(pairing=pairing, replaced=False)
    if place.match.mirror_set is not None:
        places = lock(same_set.filter(match__mirror_set=place.match.mirror_set).select_related("match"))
    else:
        places = lock(same_set.filter(pk=place.pk).select_related("match"))
    if not places:
        raise _replaced_already()
    locked = {match.pk: match for match in lock(Match.objects.filter(pk__in=[one.match_id for one in places]))}
    for one in places:
        one.match = locked[one.match_id]
    return round_, pairing, places


def _take_out(places: list[PairingMatch], *, actor: User, reason: str) -> None:
    """The old matches no longer count: void those that are not over, annul the results of the others."""
    unfinished = [one.match for one in places if not one.match.is_over]
    finished = [one.match for one in places if one.match.state == MatchState.FINISHED]
    void_locked(matches=unfinished, reason=reason)
    if finished:
        amendments.annul(matches=finished, actor=actor, reason=reason)
    PairingMatch.objects.filter(pk__in=[one.pk for one in places]).update(replaced=True)


def _reopen(pairing: Pairing, round_: Round | None) -> None:
    if pairing.state not in (PairingState.PLANNED, PairingState.LIVE):
        advance(pairing, PairingState.LIVE, table=PAIRING_TRANSITIONS)
        pairing.finished_at = None
        pairing.save(update_fields=["state", "finished_at"])
    PairingSlot.objects.filter(pairing=pairing).update(points_h=None, match_points_h=None)
    if round_ is not None and round_.state == RoundState.FINISHED:
        advance(round_, RoundState.RUNNING, table=ROUND_TRANSITIONS)
        round_.finished_at = None
        round_.save(update_fields=["state", "finished_at"])


def _play_again(tournament: Tournament, pairing: Pairing, places: list[PairingMatch]) -> list[Match]:
    stage = Stage.objects.get(pk=pairing.stage_id)
    entries = tuple(
        Entry.objects.filter(slots__pairing=pairing)
        .order_by("slots__index")
        .select_related("version")
        .prefetch_related("members__player")
    )
    first = min(one.number for one in places)
    set_number = (first + 1) // 2 if stage.mirrored else first
    before = PairingMatch.objects.filter(pairing=pairing).aggregate(Max("match__rerun"))["match__rerun__max"]
    encounter = Encounter(
        pairing=pairing,
        stage=stage,
        entries=(entries[0], entries[1]),
        sets=(set_number,),
        rerun=(before or 0) + 1,
        # A seed derived from the tournament's is public once it is finished.
        fresh_seed=tournament.state == TournamentState.FINISHED,
    )
    return [tied.match for tied in make_matches(encounters=[encounter], tournament=tournament)]
