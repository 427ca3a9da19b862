"""Why an order in a race changes nothing."""

from __future__ import annotations

from enum import StrEnum


class RaceRefusal(StrEnum):
    """Reasons of the error table, in order of precedence: where two hold, the upper one is the answer."""

    NOT_FOUND = "NOT_FOUND"
    """No such race."""
    NOT_YOURS = "NOT_YOURS"
    """A race in which the caller has no seat: nobody looks on."""
    TILE_OUT_OF_RANGE = "FIELD_INVALID"
    """The layout has no tile of this index, or the pair is one tile twice."""
    NOT_STARTED = "NOT_STARTED"
    """The signal has not been given."""
    MATCH_ENDED = "MATCH_ENDED"
    """The race is over."""
    SEAT_OUT = "SEAT_OUT"
    """The board is cleared, or the player has given up."""
    STALE_BOARD_VERSION = "STALE_BOARD_VERSION"
    """The caller decided on another board than the present one."""
    SHUFFLE_PAUSE = "SHUFFLE_PAUSE"
    """After a shuffle the seat waits."""
    TOUCH_LIMIT = "TOUCH_LIMIT"
    """The seat has had all its touches."""
    TILE_GONE = "TILE_GONE"
    """The tile has left the board."""
    NOT_BLOCKED = "NOT_BLOCKED"
    """A pair is available: there is nothing to shuffle."""
    SHUFFLES_USED_UP = "SHUFFLES_USED_UP"
    """No shuffle is left."""
    HINTS_OFF = "HINTS_OFF"
    """The settings allow none."""
    HINTS_USED_UP = "HINTS_USED_UP"
    """No hint is left."""
    NO_PAIR = "NO_PAIR"
    """No pair is available that a hint could light."""
