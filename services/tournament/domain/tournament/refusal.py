"""Why an order to a tournament changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Refusal(StrEnum):
    """Reasons of the error table, in order of precedence: where two hold, the upper one is the answer."""

    NOT_FOUND = "NOT_FOUND"
    """No such tournament."""
    FIELD_INVALID = "FIELD_INVALID"
    """Terms with which there is no tournament; results that cannot be a table's."""
    TOURNAMENT_CANCELLED = "TOURNAMENT_CANCELLED"
    """It does not take place, or stopped without prizes."""
    TOURNAMENT_OVER = "TOURNAMENT_OVER"
    """It has ended, or is about to as soon as its tables are counted."""
    TOURNAMENT_NOT_RUNNING = "TOURNAMENT_NOT_RUNNING"
    """It has not started: what has not begun is cancelled, not ended."""
    REGISTRATION_NOT_OPEN = "REGISTRATION_NOT_OPEN"
    """It opens later."""
    REGISTRATION_CLOSED = "REGISTRATION_CLOSED"
    """It closed with the start."""
    NOT_REGISTERED = "NOT_REGISTERED"
    """Who is not in cannot withdraw."""
    TOURNAMENT_FULL = "TOURNAMENT_FULL"
    """As many as may are in."""
    REGISTRATION_LIMIT = "REGISTRATION_LIMIT"
    """The player came and went too often, or all players together did."""
    RESULT_UNKNOWN = "RESULT_UNKNOWN"
    """No such round, table or player at it."""
    RESULT_PENDING = "RESULT_PENDING"
    """The table is still played: only all of it can be voided."""


@dataclass(frozen=True, slots=True)
class TooFewPrizePoints:
    """ENTRY_CONDITION: fewer than needed in the current week. The last reason not to let somebody in."""

    points: int
    needed: int
