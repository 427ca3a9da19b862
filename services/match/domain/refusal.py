"""Why a command changes nothing."""

from __future__ import annotations

from enum import StrEnum


class Refusal(StrEnum):
    """Reasons of the error table, in order of precedence: where two hold, the upper one is the answer."""

    NOT_FOUND = "NOT_FOUND"
    """No such match."""
    NOT_YOURS = "NOT_YOURS"
    """Another player's match."""
    TILE_OUT_OF_RANGE = "FIELD_INVALID"
    """The layout has no tile of this index."""
    NOT_STARTED = "NOT_STARTED"
    """The signal has not been given."""
    NOT_IN_MODE = "NOT_IN_MODE"
    """The mode knows no such command."""
    MATCH_ENDED = "MATCH_ENDED"
    """Cleared, left or restarted; a round that is over."""
    SEAT_OUT = "SEAT_OUT"
    """The seat has left, or went 20 seconds without a pair."""
    JOKER_PENDING = "JOKER_PENDING"
    """A joker was asked for and has not been decided."""
    STALE_BOARD_VERSION = "STALE_BOARD_VERSION"
    """The caller decided on another board than the present one."""
    TOUCH_LIMIT = "TOUCH_LIMIT"
    """The seat has had all its touches."""
    TILE_GONE = "TILE_GONE"
    """The tile has left the board."""
    NOTHING_LIFTED = "NOTHING_LIFTED"
    """There is nothing to put back, or for a joker to take."""
    JOKERS_USED_UP = "JOKERS_USED_UP"
    """The two jokers of the round have been used."""
    NO_JOKER_OWNED = "NO_JOKER_OWNED"
    """The account owns no joker."""
    JOKER_TOO_LATE = "JOKER_TOO_LATE"
    """The joker could not be spent in time, or the round ended before: nothing is spent."""
