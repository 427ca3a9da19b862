"""Matches of rounds: how one begins, and what the end of a round means for it.

A round is dealt in the transaction that seats its players, or that ends the round before it: there is always
one to play, whichever process dies. With the last one the match ends, its rows, and whom it held seated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from libs.eventsourcing.envelope import NewEvent
from libs.eventsourcing.ids import RANDOM_BYTES, uuid7
from libs.eventstore.faults import fault
from libs.eventstore.port import STREAM_DOES_NOT_EXIST, Appended, StreamAppend, Transaction
from libs.eventstore.timers import set_timer
from libs.rules.solitaire.prng import SEED_BYTES
from libs.runtime.clock import Clock
from services.match.domain.queueing import Queue
from services.match.domain.rivals.dealing import deal_round, deal_sha256
from services.match.domain.rivals.events import RoundDealt
from services.match.domain.rivals.match_events import MatchCreated, MatchEvent
from services.match.domain.rivals.sequence import first_stage, goes_on, match_end, next_stage, round_fact
from services.match.domain.rivals.stage import Stage
from services.match.domain.rivals.state import Over
from services.match.domain.rivals.terms import RoundDeal
from services.match.jokers import SYSTEM
from services.match.queue.store import free_seats
from services.match.rounds import store as rows
from services.match.wire.round_codec import encoded

ROUND_TIMER: Final = "round"


class Matches:
    """The matches of all players. Everything happens in the caller's transaction."""

    def __init__(self, levels: tuple[int, ...], randomness: Callable[[int], bytes], clock: Clock) -> None:
        """Deal on the recipes of `levels`."""
        self._levels = levels
        self._randomness = randomness
        self._clock = clock

    async def begin(
        self,
        transaction: Transaction,
        queue: Queue,
        match_id: UUID,
        accounts: tuple[UUID, ...],
        now: datetime,
        *,
        private: bool = False,
    ) -> None:
        """Deal the first round of a match between these accounts and begin its countdown."""
        round_id = uuid7(now, self._randomness(RANDOM_BYTES))
        created = MatchCreated(queue.value, accounts, round_id, now, private)
        await _append(transaction, match_id, STREAM_DOES_NOT_EXIST, [created], now)
        await rows.insert_match(transaction.connection, match_id, created)
        stage = first_stage(queue.value, private=private)
        await self._deal(transaction, match_id, accounts, round_id, stage, now)

    async def end_round(self, transaction: Transaction, round_id: UUID, over: Over) -> None:
        """Let the match go on to its next round, or end."""
        connection, match_id = transaction.connection, over.round.match_id
        stage, now = over.round.stage, max(over.ended.occurred_at, self._clock.now())
        facts: list[MatchEvent] = []
        if goes_on(over):
            next_id = uuid7(now, self._randomness(RANDOM_BYTES))
            facts.append(round_fact(over, round_id, next_id))
            await _append(transaction, match_id, stage.number, facts, now)
            following = next_stage(over, now)
            await rows.enter_round(connection, match_id, over.ended, next_id)
            await self._deal(transaction, match_id, over.round.accounts, next_id, following, now)
            fault("round.next_dealt")
            return
        end = match_end(over)
        if stage.is_of_several:
            facts.append(round_fact(over, round_id, None))
            await rows.enter_round(connection, match_id, over.ended, round_id)
        await _append(transaction, match_id, stage.number, [*facts, end], now)
        await rows.end_match(connection, end, over.ended)
        await free_seats(connection, match_id)

    async def _deal(
        self,
        transaction: Transaction,
        match_id: UUID,
        accounts: tuple[UUID, ...],
        round_id: UUID,
        stage: Stage,
        now: datetime,
    ) -> None:
        """Deal a round that has an id, and wake it at its signal."""
        connection = transaction.connection
        dealt = RoundDealt(match_id, accounts, await self._fresh_deal(transaction, round_id), now, stage)
        await _append(transaction, round_id, STREAM_DOES_NOT_EXIST, [dealt], now)
        await rows.insert_round(connection, match_id, stage.number, round_id)
        await set_timer(connection, round_id, ROUND_TIMER, now + stage.countdown)

    async def _fresh_deal(self, transaction: Transaction, round_id: UUID) -> RoundDeal:
        """A deal that no round has had before."""
        while True:
            seed, nonce = self._randomness(SEED_BYTES), self._randomness(SEED_BYTES)
            deal = await asyncio.to_thread(deal_round, self._levels, seed, nonce)
            if await rows.claim_deal(transaction.connection, deal_sha256(deal), round_id):
                return deal


async def _append(
    transaction: Transaction,
    stream_id: UUID,
    version: int,
    events: Sequence[MatchEvent | RoundDealt],
    now: datetime,
) -> None:
    """Append to a stream that nobody else writes to now: a new one, or that of a match whose round ends."""
    appended = await transaction.append(
        [StreamAppend(stream_id, version, tuple(_new(event) for event in events))],
        recorded_at=now,
        caller=SYSTEM,
    )
    assert isinstance(appended, Appended), f"{stream_id} was expected at version {version}"


def _new(event: RoundDealt | MatchEvent) -> NewEvent:
    part, name, schema_version, data = encoded(event)
    return NewEvent(part, name, schema_version, event.occurred_at, data)
