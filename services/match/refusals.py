"""What a refusal says to a person."""

from __future__ import annotations

from typing import Final

from libs.runtime.errors import Refused, invalid_field
from services.match.domain.refusal import Refusal

DAY_MS: Final = 86_400_000

_MESSAGES: Final = {
    Refusal.NOT_FOUND: "there is no such match",
    Refusal.NOT_YOURS: "this is another player's match",
    Refusal.NOT_STARTED: "the signal has not been given yet",
    Refusal.NOT_IN_MODE: "there is no such command in this mode",
    Refusal.MATCH_ENDED: "the match has ended",
    Refusal.SEAT_OUT: "you are out: by leaving, or by 20 seconds without a pair",
    Refusal.JOKER_PENDING: "a joker was asked for: wait for what comes of it",
    Refusal.STALE_BOARD_VERSION: "the board has changed since: look again and decide again",
    Refusal.TOUCH_LIMIT: "all touches of this board have been used up",
    Refusal.TILE_GONE: "the tile has left the board",
    Refusal.NOTHING_LIFTED: "no tile is lifted",
    Refusal.JOKERS_USED_UP: "both jokers have been used",
    Refusal.NO_JOKER_OWNED: "you own no joker",
    Refusal.JOKER_TOO_LATE: "the joker could not be spent in time, or the round ended: nothing was spent",
}


def refused(refusal: Refusal, name: str) -> Refused:
    """The error of a refusal, for the match of this name."""
    if refusal is Refusal.TILE_OUT_OF_RANGE:
        return invalid_field("tile", "the layout has no tile of this index", "TILE")
    # The limit of touches never lifts within the attempt; the hint keeps clients from trying at once.
    retry_after_ms = DAY_MS if refusal is Refusal.TOUCH_LIMIT else None
    return Refused(refusal.value, _MESSAGES[refusal], {"name": name}, retry_after_ms=retry_after_ms)


def stream_conflict(name: str) -> Refused:
    """The error of a command that lost against others too often."""
    return Refused("STREAM_CONFLICT", "others changed the match at the same time: look again", {"name": name})
