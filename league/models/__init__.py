"""Leagues, tournaments, their pairings and standings; ratings; invitations to play; the public log."""

from league.models.audit import AuditEntry
from league.models.entry import ENTRY_TRANSITIONS, LIVE_ENTRIES, Entry, EntryMember, EntryState
from league.models.invitation import (
    INVITATION_TRANSITIONS,
    Invitation,
    InvitationKind,
    InvitationSeat,
    InvitationState,
    SeatAnswer,
)
from league.models.league import (
    LEAGUE_TRANSITIONS,
    MEMBERSHIP_TRANSITIONS,
    Audience,
    Joining,
    League,
    LeagueState,
    Membership,
    MembershipState,
    Role,
)
from league.models.pairing import PAIRING_TRANSITIONS, Pairing, PairingMatch, PairingSlot, PairingState
from league.models.rating import (
    HeadToHead,
    MatchAmendment,
    PeriodKind,
    RatedMatch,
    RatedState,
    RatingCurrent,
    RatingEvent,
    RatingPeriod,
    RatingPool,
    UnratedReason,
)
from league.models.stage import ROUND_TRANSITIONS, EncounterScoring, Round, RoundState, Stage, StageFormat, StageState
from league.models.standing import Standing
from league.models.tournament import TOURNAMENT_TRANSITIONS, Tournament, TournamentState

__all__ = [
    "ENTRY_TRANSITIONS",
    "INVITATION_TRANSITIONS",
    "LEAGUE_TRANSITIONS",
    "LIVE_ENTRIES",
    "MEMBERSHIP_TRANSITIONS",
    "PAIRING_TRANSITIONS",
    "ROUND_TRANSITIONS",
    "TOURNAMENT_TRANSITIONS",
    "Audience",
    "AuditEntry",
    "EncounterScoring",
    "Entry",
    "EntryMember",
    "EntryState",
    "HeadToHead",
    "Invitation",
    "InvitationKind",
    "InvitationSeat",
    "InvitationState",
    "Joining",
    "League",
    "LeagueState",
    "MatchAmendment",
    "Membership",
    "MembershipState",
    "Pairing",
    "PairingMatch",
    "PairingSlot",
    "PairingState",
    "PeriodKind",
    "RatedMatch",
    "RatedState",
    "RatingCurrent",
    "RatingEvent",
    "RatingPeriod",
    "RatingPool",
    "Role",
    "Round",
    "RoundState",
    "SeatAnswer",
    "Stage",
    "StageFormat",
    "StageState",
    "Standing",
    "Tournament",
    "TournamentState",
    "UnratedReason",
]
