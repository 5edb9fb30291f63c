"""What every app of the site shares: the base of errors, row locks, state tables. Knows no app."""

from accounts.foundation.errors import DomainError
from accounts.foundation.locks import LockError, lock, lock_one, take_turn
from accounts.foundation.states import BadState, Transitions, advance

__all__ = ["BadState", "DomainError", "LockError", "Transitions", "advance", "lock", "lock_one", "take_turn"]
