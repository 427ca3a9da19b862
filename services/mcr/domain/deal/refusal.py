"""Why a command to a deal changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from services.mcr.domain.deal.terms import WinScore


class Refusal(StrEnum):
    """Reasons of the error table, in order of precedence: where two hold, the upper one is the answer."""

    NOT_FOUND = "NOT_FOUND"
    """No such deal."""
    NOT_YOURS = "NOT_YOURS"
    """The caller has no seat; the AI may not play for a person who is there."""
    ACTION_INVALID = "FIELD_INVALID"
    """A tile that does not exist, one named twice, or too many or too few of them."""
    NOT_STARTED = "NOT_STARTED"
    """The first turn has not begun."""
    MATCH_ENDED = "MATCH_ENDED"
    """The deal is over."""
    SEAT_AWAY = "SEAT_AWAY"
    """The person has left or was lost: return first."""
    RETURN_LIMIT = "RETURN_LIMIT"
    """The seat has returned as often as it may: the AI plays the deal out."""
    STALE_DECISION = "STALE_DECISION"
    """The caller answered another decision than the present one."""
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    """Another seat is to act."""
    ALREADY_ANSWERED = "ALREADY_ANSWERED"
    """The seat has answered this window: an answer is final."""
    NOTHING_TO_CLAIM = "NOTHING_TO_CLAIM"
    """No tile is offered that the seat could claim so."""
    DISCARD_FIRST = "DISCARD_FIRST"
    """After a chow or a pung a discard comes before anything else."""
    NO_REPLACEMENT = "NO_REPLACEMENT"
    """A kong needs a replacement tile, and the wall has none left."""
    LAST_TILE = "LAST_TILE"
    """The discard after the last wall tile may be claimed for a win only."""
    NOT_NEXT = "NOT_NEXT"
    """Only the next player may claim a chow."""
    NO_SUCH_TILE = "NO_SUCH_TILE"
    """The hand does not hold a tile that was named."""
    NOT_A_SET = "NOT_A_SET"
    """The tiles do not make this set."""
    NOT_WINNING = "NOT_WINNING"
    """The hand is not complete."""


@dataclass(frozen=True, slots=True)
class UnderEight:
    """A complete hand of less than 8 points before flowers: refused with all it would count.

    No penalty: the seat may act otherwise in its time.
    """

    score: WinScore
