"""How games of the pool begin: dealt afresh, in the transaction that seats their players."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

from libs.eventsourcing.envelope import NewEvent
from libs.eventstore.port import STREAM_DOES_NOT_EXIST, Appended, StreamAppend, Transaction
from libs.eventstore.timers import set_timers
from libs.rules.solitaire.prng import SEED_BYTES
from services.match.domain.pool.dealing import deal_sha256
from services.match.domain.pool.events import PoolDealt
from services.match.domain.pool.terms import LIMIT, STAKES_WITHIN, PoolDeal, PoolTerms
from services.match.domain.queueing import Queue, Seating
from services.match.domain.spectating.modes import WatchedMode
from services.match.jokers import SYSTEM
from services.match.pools.thinking import Thinking
from services.match.rounds.store import claim_deal, claim_deals
from services.match.watching import live
from services.match.wire.pool_codec import PoolCodec

POOL_TIMER: Final = "pool"
ESCROW_TIMER: Final = "pool-escrow"


class PoolBeginnings:
    """Deals that no game had before. Everything happens in the caller's transaction."""

    def __init__(self, thinking: Thinking, randomness: Callable[[int], bytes], *, stake: int) -> None:
        """Seats of matches pay `stake` chips where nothing else is said."""
        self._thinking = thinking
        self._randomness = randomness
        self._stake = stake

    async def begin(
        self,
        transaction: Transaction,
        queue: Queue,
        match_id: UUID,
        accounts: tuple[UUID, ...],
        now: datetime,
    ) -> None:
        """Deal a match between these accounts and have their stakes paid."""
        await self.begin_all(transaction, queue, {match_id: accounts}, now)

    async def begin_all(
        self,
        transaction: Transaction,
        _queue: Queue,
        seating: Seating,
        now: datetime,
        *,
        stake: int | None = None,
    ) -> None:
        """Begin matches and have their stakes paid, by one statement a table for all of them."""
        terms = partial(PoolTerms, stake=self._stake if stake is None else stake, limit=LIMIT)
        deals = await self._fresh_deals(transaction, list(seating))
        dealt = {
            match_id: PoolDealt(terms(accounts), deals[match_id], now)
            for match_id, accounts in seating.items()
        }
        await _append_all_new(transaction, dealt, SYSTEM, now)
        await set_timers(transaction.connection, list(seating), POOL_TIMER, now + STAKES_WITHIN)
        await set_timers(transaction.connection, list(seating), ESCROW_TIMER, now)
        await live.enter(transaction.connection, WatchedMode.POOL, seating, now)

    async def fresh_deal(self, transaction: Transaction, game_id: UUID) -> PoolDeal:
        """A deal that no game has had before."""
        return (await self._fresh_deals(transaction, [game_id]))[game_id]

    async def _fresh_deals(self, transaction: Transaction, game_ids: Sequence[UUID]) -> dict[UUID, PoolDeal]:
        """Deals that no game has had before, by game."""
        fresh: dict[UUID, PoolDeal] = {}
        while missing := [game_id for game_id in game_ids if game_id not in fresh]:
            deals = {game_id: await self.unclaimed_deal() for game_id in missing}
            hashes = {game_id: deal_sha256(deal) for game_id, deal in deals.items()}
            claimed = await claim_deals(transaction.connection, hashes)
            fresh |= {game_id: deals[game_id] for game_id in claimed}
        return fresh

    async def unclaimed_deal(self) -> PoolDeal:
        """A deal of fresh chance."""
        return await self._thinking.deal(self._randomness(SEED_BYTES), self._randomness(SEED_BYTES))

    async def claim(self, transaction: Transaction, deal: PoolDeal, game_id: UUID) -> bool:
        """Keep a deal for a game; False when another game had it before."""
        return await claim_deal(transaction.connection, deal_sha256(deal), game_id)


async def append_new(transaction: Transaction, game_id: UUID, dealt: PoolDealt, caller: UUID) -> None:
    """Begin the stream of a game."""
    await _append_all_new(transaction, {game_id: dealt}, caller, dealt.occurred_at)


async def _append_all_new(
    transaction: Transaction, dealt: Mapping[UUID, PoolDealt], caller: UUID, now: datetime
) -> None:
    codec = PoolCodec()
    appends: list[StreamAppend] = []
    for game_id, fact in dealt.items():
        part, name, schema_version, data = codec.encode(fact)
        event = NewEvent(part, name, schema_version, fact.occurred_at, data)
        appends.append(StreamAppend(game_id, STREAM_DOES_NOT_EXIST, (event,)))
    appended = await transaction.append(appends, recorded_at=now, caller=caller)
    assert isinstance(appended, Appended), "new streams have no rivals"
