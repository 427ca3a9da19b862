"""How a game of any kind begins that is not a matter of its queue: by invitation, or again."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from libs.eventstore.port import Transaction
from services.match.domain.queueing import GameKind, Queue
from services.match.pools.begin import PoolBeginnings
from services.match.races.begin import BeginRaces
from services.match.rounds.matches import Matches


class Beginnings:
    """The beginnings of all kinds of games that have several seats."""

    def __init__(self, matches: Matches, pools: PoolBeginnings, races: BeginRaces) -> None:
        """Begin by these."""
        self._matches = matches
        self._pools = pools
        self._races = races

    async def begin(
        self,
        transaction: Transaction,
        kind: GameKind,
        match_id: UUID,
        accounts: tuple[UUID, ...],
        now: datetime,
    ) -> None:
        """Begin a game of this id between these accounts, who sit in it, in the caller's transaction."""
        seating = {match_id: accounts}
        match kind.queue:
            case Queue.POOL:
                await self._pools.begin_all(transaction, kind.queue, seating, now, stake=kind.stake)
            case Queue.RACE:
                await self._races.begin_all(transaction, kind.queue, seating, now)
            case Queue.QUICK_MATCH | Queue.ARENA:
                await self._matches.begin_all(transaction, kind.queue, seating, now, private=kind.private)
