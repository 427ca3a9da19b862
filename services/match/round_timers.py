"""What timers wake rounds for."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from services.match.jokers import Jokers
from services.match.rounds import JOKER_TIMER, ROUND_TIMER, Rounds


class RoundTimers:
    """The kinds of timers on streams of rounds."""

    def __init__(self, rounds: Rounds, jokers: Jokers) -> None:
        """Fire into these."""
        self._rounds = rounds
        self._jokers = jokers

    async def fire(self, round_id: UUID, kind: str, due: datetime) -> datetime | None:
        """Do what is due; return when to look again, None for never."""
        name, _, seat = kind.partition("/")
        if name == JOKER_TIMER:
            await self._jokers.fire(round_id, int(seat))
            return None
        assert kind == ROUND_TIMER, f"rounds have no timer {kind}"
        return await self._rounds.fire(round_id, due)
