"""What a refusal in a race or a group says to a person and to a program."""

from __future__ import annotations

from typing import Final

from libs.runtime.errors import Refused, invalid_field
from services.match.domain.race.decide import Paused
from services.match.domain.race.group import GroupRefusal
from services.match.domain.race.refusal import RaceRefusal
from services.match.refusals import DAY_MS

_MESSAGES: Final = {
    RaceRefusal.NOT_FOUND: "there is no such race",
    RaceRefusal.NOT_YOURS: "you have no seat in this race",
    RaceRefusal.NOT_STARTED: "the signal has not been given yet",
    RaceRefusal.MATCH_ENDED: "the race is over",
    RaceRefusal.SEAT_OUT: "your part is over: the board is cleared, or you gave up",
    RaceRefusal.STALE_BOARD_VERSION: "the board has changed since: look again and decide again",
    RaceRefusal.TOUCH_LIMIT: "all touches of this board have been used up",
    RaceRefusal.TILE_GONE: "the tile has left the board",
    RaceRefusal.NOT_BLOCKED: "a pair is available: a board is shuffled only when it is blocked",
    RaceRefusal.SHUFFLES_USED_UP: "no shuffle is left: only giving up remains",
    RaceRefusal.HINTS_OFF: "this race has no hints",
    RaceRefusal.HINTS_USED_UP: "no hint is left",
    RaceRefusal.NO_PAIR: "no pair is available: the board is blocked",
}
_GROUP_MESSAGES: Final = {
    GroupRefusal.NOT_FOUND: "there is no such group",
    GroupRefusal.NOT_YOURS: "you are not in this group",
    GroupRefusal.IN_ANOTHER_GROUP: "you are in another group: leave it first",
    GroupRefusal.HOST_ONLY: "only the host does this",
    GroupRefusal.RACE_RUNNING: "a race is being played: this is done between games",
    GroupRefusal.GROUP_FULL: "persons and CPU players are at most 20",
    GroupRefusal.ALREADY_SEATED: "you are playing elsewhere: finish or leave that first",
}


def race_refused(refusal: RaceRefusal | Paused, name: str) -> Refused:
    """The error of a refusal, for the race of this name."""
    if isinstance(refusal, Paused):
        message = f"after a shuffle you wait: {refusal.left_ms} ms are left"
        return Refused("SHUFFLE_PAUSE", message, {"name": name}, retry_after_ms=refusal.left_ms)
    if refusal is RaceRefusal.TILE_OUT_OF_RANGE:
        return invalid_field("tile", "two different tiles of the layout", "TILE")
    retry_after_ms = DAY_MS if refusal is RaceRefusal.TOUCH_LIMIT else None
    return Refused(refusal.value, _MESSAGES[refusal], {"name": name}, retry_after_ms=retry_after_ms)


def group_refused(refusal: GroupRefusal, name: str = "") -> Refused:
    """The error of a refusal, for the group of this name."""
    return Refused(refusal.value, _GROUP_MESSAGES[refusal], {"name": name} if name else {})
