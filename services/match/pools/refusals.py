"""What a refusal of the pool says to a person."""

from __future__ import annotations

from typing import Final

from libs.runtime.errors import Refused, invalid_field
from services.match.domain.pool.refusal import PoolRefusal
from services.match.refusals import DAY_MS

_MESSAGES: Final = {
    PoolRefusal.NOT_FOUND: "there is no such game",
    PoolRefusal.NOT_YOURS: "this is another player's game",
    PoolRefusal.NOT_IN_MODE: "there is no such command in this mode",
    PoolRefusal.NOT_STARTED: "the signal has not been given yet",
    PoolRefusal.MATCH_ENDED: "the game has ended",
    PoolRefusal.SEAT_OUT: "your own game has ended",
    PoolRefusal.STALE_BOARD_VERSION: "the board has changed since: look again and decide again",
    PoolRefusal.TOUCH_LIMIT: "all commands of this board have been used up",
    PoolRefusal.TILE_GONE: "a tile has left the board",
    PoolRefusal.TILE_BLOCKED: "a tile is not free",
    PoolRefusal.NOT_A_PAIR: "the tiles do not match",
    PoolRefusal.UNDOS_USED_UP: "all five undos have been used",
    PoolRefusal.NOTHING_TO_UNDO: "there is no pair to take back: nothing was charged",
    PoolRefusal.SHUFFLES_USED_UP: "all five shuffles have been used",
    PoolRefusal.HINTS_USED_UP: "all five hints have been used",
    PoolRefusal.NO_PAIR_AVAILABLE: "no pair is available: nothing was charged",
    PoolRefusal.SHUFFLE_LEFT: "a shuffle is left that was not found impossible",
}


def pool_refused(refusal: PoolRefusal, name: str) -> Refused:
    """The error of a refusal, for the game of this name."""
    if refusal is PoolRefusal.TILE_OUT_OF_RANGE:
        return invalid_field("first, second", "two tiles of the layout", "TILES")
    retry_after_ms = DAY_MS if refusal is PoolRefusal.TOUCH_LIMIT else None
    return Refused(refusal.value, _MESSAGES[refusal], {"name": name}, retry_after_ms=retry_after_ms)
