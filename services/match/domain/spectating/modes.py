"""Which modes can be watched."""

from __future__ import annotations

from enum import StrEnum


class WatchedMode(StrEnum):
    """What is played in a match that spectators may see: by the word that its queue has, where it has one."""

    QUICK_MATCH = "quick_match"
    ARENA = "arena"
    RACE = "race"
    POOL = "pool"
    TOURNAMENT = "tournament"
