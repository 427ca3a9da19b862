"""Why a command changes nothing."""

from __future__ import annotations

from enum import StrEnum


class Refusal(StrEnum):
    """Reasons of the error table, in order of precedence: where two hold, the upper one is the answer."""

    NOT_FOUND = "NOT_FOUND"
    """No such attempt."""
    NOT_YOURS = "NOT_YOURS"
    """Another player's attempt."""
    TILE_OUT_OF_RANGE = "FIELD_INVALID"
    """The layout has no tile of this index."""
    MATCH_ENDED = "MATCH_ENDED"
    """Cleared, left or restarted."""
    STALE_BOARD_VERSION = "STALE_BOARD_VERSION"
    """The caller decided on another board than the present one."""
    TOUCH_LIMIT = "TOUCH_LIMIT"
    """The attempt has had all its touches."""
    TILE_GONE = "TILE_GONE"
    """The tile has left the board."""
    NOTHING_LIFTED = "NOTHING_LIFTED"
    """There is nothing to put back."""
