"""How games of the pool begin: dealt afresh, in the transaction that seats their players."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final
from uuid import UUID

from libs.eventsourcing.envelope import NewEvent
from libs.eventstore.port import STREAM_DOES_NOT_EXIST, Appended, StreamAppend, Transaction
from libs.eventstore.timers import set_timer
from libs.rules.solitaire.prng import SEED_BYTES
from services.match.domain.pool.dealing import deal_sha256
from services.match.domain.pool.events import PoolDealt
from services.match.domain.pool.terms import LIMIT, STAKES_WITHIN, PoolDeal, PoolTerms
from services.match.domain.queueing import Queue
from services.match.jokers import SYSTEM
from services.match.pools.thinking import Thinking
from services.match.rounds.store import claim_deal
from services.match.wire.pool_codec import PoolCodec

POOL_TIMER: Final = "pool"
ESCROW_TIMER: Final = "pool-escrow"


class PoolBeginnings:
    """Deals that no game had before. Everything happens in the caller's transaction."""

    def __init__(self, thinking: Thinking, randomness: Callable[[int], bytes], *, stake: int) -> None:
        """Seats of matches pay `stake` chips."""
        self._thinking = thinking
        self._randomness = randomness
        self._stake = stake

    async def begin(
        self,
        transaction: Transaction,
        _queue: Queue,
        match_id: UUID,
        accounts: tuple[UUID, ...],
        now: datetime,
    ) -> None:
        """Deal a match between these accounts and have their stakes paid."""
        terms = PoolTerms(accounts, self._stake, LIMIT)
        deal = await self.fresh_deal(transaction, match_id)
        await append_new(transaction, match_id, PoolDealt(terms, deal, now), SYSTEM)
        await set_timer(transaction.connection, match_id, POOL_TIMER, now + STAKES_WITHIN)
        await set_timer(transaction.connection, match_id, ESCROW_TIMER, now)

    async def fresh_deal(self, transaction: Transaction, game_id: UUID) -> PoolDeal:
        """A deal that no game has had before."""
        while True:
            deal = await self.unclaimed_deal()
            if await self.claim(transaction, deal, game_id):
                return deal

    async def unclaimed_deal(self) -> PoolDeal:
        """A deal of fresh chance."""
        return await self._thinking.deal(self._randomness(SEED_BYTES), self._randomness(SEED_BYTES))

    async def claim(self, transaction: Transaction, deal: PoolDeal, game_id: UUID) -> bool:
        """Keep a deal for a game; False when another game had it before."""
        return await claim_deal(transaction.connection, deal_sha256(deal), game_id)


async def append_new(transaction: Transaction, game_id: UUID, dealt: PoolDealt, caller: UUID) -> None:
    """Begin the stream of a game."""
    part, name, schema_version, data = PoolCodec().encode(dealt)
    event = NewEvent(part, name, schema_version, dealt.occurred_at, data)
    appended = await transaction.append(
        [StreamAppend(game_id, STREAM_DOES_NOT_EXIST, (event,))],
        recorded_at=dealt.occurred_at,
        caller=caller,
    )
    assert isinstance(appended, Appended), "a new stream has no rival"
