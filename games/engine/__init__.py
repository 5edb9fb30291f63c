"""Briscola: cards, rules, deals, records, matches, a provable shuffle, views, text forms, an exact ending.

Pure Python, standard library only: no files, no clock, no global random. `docs/engine.md` shows it in ten minutes.
"""

from .analysis import OPEN_TRICKS, DealAnalysis, PlayValue, analyse
from .cards import HONOURS, POINTS, RANKS, SUITS, card_code, card_int, format_cards, parse_cards
from .deal import Deal, Trick
from .errors import (
    CardError,
    ClaimError,
    EngineError,
    IllegalPlay,
    MatchError,
    NotationError,
    PositionError,
    RecordError,
    RulesError,
    ShuffleError,
    SignalError,
    SolverError,
)
from .luck import LUCK_TABLE, luck
from .match import MatchScore
from .notation import DealText
from .notation import write as write_deal
from .notation import write_all as write_deals
from .notation_reader import read as read_deal
from .notation_reader import read_all as read_deals
from .notation_reader import stream as stream_deals
from .position import Position
from .record import Record
from .result import DealResult
from .rules import Rules
from .shuffle import Shuffle, commitment, dealer_draws, first_dealer, shuffled
from .signs import SIGNS, Sign, sign
from .solver import Solution, solve
from .verify import Problem, verify_match
from .view import Observation, SeenTrick

__all__ = [
    "HONOURS",
    "LUCK_TABLE",
    "OPEN_TRICKS",
    "POINTS",
    "RANKS",
    "SIGNS",
    "SUITS",
    "CardError",
    "ClaimError",
    "Deal",
    "DealAnalysis",
    "DealResult",
    "DealText",
    "EngineError",
    "IllegalPlay",
    "MatchError",
    "MatchScore",
    "NotationError",
    "Observation",
    "PlayValue",
    "Position",
    "PositionError",
    "Problem",
    "Record",
    "RecordError",
    "Rules",
    "RulesError",
    "SeenTrick",
    "Shuffle",
    "ShuffleError",
    "Sign",
    "SignalError",
    "Solution",
    "SolverError",
    "Trick",
    "analyse",
    "card_code",
    "card_int",
    "commitment",
    "dealer_draws",
    "first_dealer",
    "format_cards",
    "luck",
    "parse_cards",
    "read_deal",
    "read_deals",
    "shuffled",
    "sign",
    "solve",
    "stream_deals",
    "verify_match",
    "write_deal",
    "write_deals",
]
