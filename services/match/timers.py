"""What timers wake games for."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from services.match.attempts.jokers import AttemptJokers
from services.match.attempts.play import ATTEMPT_JOKER_TIMER
from services.match.pools.begin import ESCROW_TIMER, POOL_TIMER
from services.match.pools.escrow import Escrow
from services.match.pools.play import Pools
from services.match.rounds.jokers import RoundJokers
from services.match.rounds.matches import ROUND_TIMER
from services.match.rounds.play import JOKER_TIMER, Rounds


class GameTimers:
    """The kinds of timers on streams of games."""

    def __init__(
        self,
        rounds: Rounds,
        round_jokers: RoundJokers,
        attempt_jokers: AttemptJokers,
        pools: Pools,
        escrow: Escrow,
    ) -> None:
        """Fire into these."""
        self._rounds = rounds
        self._round_jokers = round_jokers
        self._attempt_jokers = attempt_jokers
        self._pools = pools
        self._escrow = escrow

    async def fire(self, stream_id: UUID, kind: str, due: datetime) -> datetime | None:
        """Do what is due; return when to look again, None for never."""
        name, _, seat = kind.partition("/")
        if name == JOKER_TIMER:
            await self._round_jokers.fire(stream_id, int(seat))
            return None
        if name == ATTEMPT_JOKER_TIMER:
            await self._attempt_jokers.fire(stream_id)
            return None
        if name == POOL_TIMER:
            return await self._pools.fire(stream_id, due)
        if name == ESCROW_TIMER:
            return await self._escrow.fire(stream_id, due)
        assert kind == ROUND_TIMER, f"games have no timer {kind}"
        return await self._rounds.fire(stream_id, due)
