"""From the matches of an encounter to the points of a pairing, in half-points: win 2, draw 1, loss 0."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from league.scoring.errors import ScoringError

WIN, DRAW, LOSS = 2, 1, 0
"""Half-points of a match or of an encounter."""

DEAL_CARDS = 120
"""Card points in a deal; who is awarded one takes them all."""

UNPLAYED_CARDS = 61
"""Card points of a deal that was not played, to whom it is given, where standings go by card points: 61-0."""

Two = tuple[int, int]
"""A number for side 0 and one for side 1."""


class EncounterScoring(StrEnum):
    """How the matches of an encounter become pairing points."""

    OUTCOME = "outcome"
    """More match points: 2, equal: 1 each."""
    SHARE = "share"
    """All match points count."""


class PairingEnd(StrEnum):
    """How a pairing came to its end. The last three concern one entry alone."""

    PLAYED = "played"
    FORFEIT = "forfeit"
    DOUBLE_FORFEIT = "double_forfeit"
    VOID = "void"
    BYE = "bye"
    HALF_BYE = "half_bye"
    ABSENCE = "absence"


@dataclass(frozen=True, slots=True, kw_only=True)
class DealScore:
    """One deal of a match: card points as banked by play, the side that won it (None: drawn), whether awarded."""

    cards: Two
    winner: int | None
    awarded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DealTally:
    """Deals won and card points by side; an awarded deal counts 120-0."""

    deals: Two
    cards: Two


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchScore:
    """One match of an encounter. `winner` is a side, None when drawn.

    `at_table` is False when nobody played for the result (forfeit, decided by a person); a `void` match counts for
    nothing.
    """

    winner: int | None
    deals: Two = (0, 0)
    cards: Two = (0, 0)
    at_table: bool = True
    void: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EncounterScore:
    """What an encounter gave each side.

    `points` are the pairing's half-points, `match_points` those of its matches added up, `wins` the matches won at the
    table, `matches` how many counted; none: the pairing is void and has no points yet (`unplayed_points`).
    """

    points: Two
    match_points: Two
    wins: Two
    deals: Two
    cards: Two
    matches: int


def tally_deals(deals: Iterable[DealScore]) -> DealTally:
    """Add up the deals of a match."""
    won, cards = [0, 0], [0, 0]
    for deal in deals:
        if deal.winner is not None:
            won[deal.winner] += 1
        if deal.awarded:
            if deal.winner is None:
                raise ScoringError("bad_result", "An awarded deal has a winner.")
            cards[deal.winner] += DEAL_CARDS
        else:
            cards[0] += deal.cards[0]
            cards[1] += deal.cards[1]
    return DealTally(deals=(won[0], won[1]), cards=(cards[0], cards[1]))


def score_encounter(matches: Iterable[MatchScore], *, scoring: EncounterScoring) -> EncounterScore:
    """Add up the matches of an encounter and give the pairing its points."""
    match_points, wins, deals, cards = [0, 0], [0, 0], [0, 0], [0, 0]
    counted = 0
    for match in matches:
        if match.void:
            continue
        counted += 1
        for side in (0, 1):
            match_points[side] += DRAW if match.winner is None else (WIN if match.winner == side else LOSS)
            wins[side] += match.winner == side and match.at_table
            deals[side] += match.deals[side]
            cards[side] += match.cards[side]
    score_0, score_1 = match_points
    if scoring is EncounterScoring.SHARE or not counted:
        points = (score_0, score_1)
    elif score_0 == score_1:
        points = (DRAW, DRAW)
    else:
        points = (WIN, LOSS) if score_0 > score_1 else (LOSS, WIN)
    return EncounterScore(
        points=points,
        match_points=(score_0, score_1),
        wins=(wins[0], wins[1]),
        deals=(deals[0], deals[1]),
        cards=(cards[0], cards[1]),
        matches=counted,
    )


def unplayed_points(
    end: PairingEnd,
    *,
    winner: int = 0,
    matches: int = 1,
    scoring: EncounterScoring = EncounterScoring.OUTCOME,
    void_half: bool = True,
) -> Two:
    """Half-points of a pairing that was not played; a bye and the like belong to side 0.

    `winner` is the side that did not forfeit, `matches` the length of the encounter (it matters when every match
    counts), `void_half` whether a void pairing gives half a point each. Raises ScoringError (`bad_result`).
    """
    worth = matches if scoring is EncounterScoring.SHARE else 1
    match end:
        case PairingEnd.FORFEIT:
            return (WIN * worth, LOSS) if winner == 0 else (LOSS, WIN * worth)
        case PairingEnd.BYE:
            return (WIN * worth, LOSS)
        case PairingEnd.HALF_BYE:
            return (DRAW * worth, LOSS)
        case PairingEnd.VOID:
            return (DRAW * worth, DRAW * worth) if void_half else (LOSS, LOSS)
        case PairingEnd.DOUBLE_FORFEIT | PairingEnd.ABSENCE:
            return (LOSS, LOSS)
        case _:
            raise ScoringError("bad_result", "A played pairing has the points of its encounter.", value=end.value)


def unplayed_cards(
    end: PairingEnd, *, winner: int = 0, matches: int = 1, deals: int, played: Two = (0, 0), played_deals: int = 0
) -> Two:
    """Card points of a pairing that was not played to its end, where standings go by card points: 61-0 a deal.

    `deals` are those of a match, of which `played_deals` of all matches were played and count as they fell (`played`).
    A double forfeit, void pairing, absence or half-bye gives nothing for what was not played; a bye belongs to side 0.
    Raises ScoringError (`bad_result`).
    """
    left = matches * deals - played_deals
    if left < 0 or end is PairingEnd.PLAYED:
        raise ScoringError("bad_result", "Only a pairing with unplayed deals is given card points.", value=end.value)
    given = UNPLAYED_CARDS * left
    if end is PairingEnd.BYE or (end is PairingEnd.FORFEIT and winner == 0):
        return (played[0] + given, played[1])
    if end is PairingEnd.FORFEIT:
        return (played[0], played[1] + given)
    return played


def is_left_out(*, played: int, due: int) -> bool:
    """Whether an entry that leaves a round robin goes out of the standings: fewer than half of its pairings played.

    Otherwise it stays and the rest of its pairings are forfeits.
    """
    return 2 * played < due
