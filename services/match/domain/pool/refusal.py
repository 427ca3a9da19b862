"""Why a command of the pool changes nothing."""

from __future__ import annotations

from enum import StrEnum


class PoolRefusal(StrEnum):
    """Reasons of the error table, in order of precedence: where two hold, the upper one is the answer."""

    NOT_FOUND = "NOT_FOUND"
    """No such game of the pool."""
    NOT_YOURS = "NOT_YOURS"
    """Another player's game."""
    TILE_OUT_OF_RANGE = "FIELD_INVALID"
    """The layout has no tile of this index, or one tile was named twice."""
    NOT_IN_MODE = "NOT_IN_MODE"
    """Restart is for training, leave for matches."""
    NOT_STARTED = "NOT_STARTED"
    """The signal has not been given."""
    MATCH_ENDED = "MATCH_ENDED"
    """The game is over for everybody."""
    SEAT_OUT = "SEAT_OUT"
    """The caller's own game is over."""
    STALE_BOARD_VERSION = "STALE_BOARD_VERSION"
    """The caller decided on another board than the present one."""
    TOUCH_LIMIT = "TOUCH_LIMIT"
    """The seat has had all its commands."""
    TILE_GONE = "TILE_GONE"
    """A tile has left the board."""
    TILE_BLOCKED = "TILE_BLOCKED"
    """A tile is not free."""
    NOT_A_PAIR = "NOT_A_PAIR"
    """The faces do not match."""
    UNDOS_USED_UP = "UNDOS_USED_UP"
    NOTHING_TO_UNDO = "NOTHING_TO_UNDO"
    """No pair is left to take back: charges nothing, uses none."""
    SHUFFLES_USED_UP = "SHUFFLES_USED_UP"
    HINTS_USED_UP = "HINTS_USED_UP"
    NO_PAIR_AVAILABLE = "NO_PAIR_AVAILABLE"
    """There is no pair to hint at: charges nothing, uses none."""
    SHUFFLE_LEFT = "SHUFFLE_LEFT"
    """The game cannot be ended while a shuffle is left that was not found impossible."""
