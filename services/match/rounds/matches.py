"""Matches of rounds: how one begins, and what the end of a round means for it.

A round is dealt in the transaction that seats its players, or that ends the round before it: there is always
one to play, whichever process dies. With the last one the match ends, its rows, and whom it held seated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from libs.eventsourcing.envelope import NewEvent
from libs.eventsourcing.ids import RANDOM_BYTES, uuid7
from libs.eventstore.faults import fault
from libs.eventstore.port import STREAM_DOES_NOT_EXIST, Appended, StreamAppend, Transaction
from libs.eventstore.timers import set_timers
from libs.rules.solitaire.prng import SEED_BYTES
from libs.runtime.clock import Clock
from services.match.domain.queueing import Queue, Seating
from services.match.domain.rematch_offers import after_round
from services.match.domain.rivals.dealing import deal_round, deal_sha256
from services.match.domain.rivals.events import RoundDealt
from services.match.domain.rivals.match_events import MatchCreated, MatchEvent
from services.match.domain.rivals.sequence import (
    first_stage,
    goes_on,
    match_end,
    next_stage,
    round_fact,
    table_stage,
)
from services.match.domain.rivals.stage import Stage, TournamentStage
from services.match.domain.rivals.state import Over
from services.match.domain.rivals.terms import RoundDeal
from services.match.domain.spectating.modes import WatchedMode
from services.match.jokers import SYSTEM
from services.match.queue.store import free_seats
from services.match.rematches import store as rematches
from services.match.rounds import store as rows
from services.match.watching import live
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
        await self.begin_all(transaction, queue, {match_id: accounts}, now, private=private)

    async def begin_all(
        self,
        transaction: Transaction,
        queue: Queue,
        seating: Seating,
        now: datetime,
        *,
        private: bool = False,
    ) -> None:
        """Begin matches, by one statement a table for all of them."""
        await self._begin(transaction, seating, first_stage(queue.value, private=private), now)

    async def begin_tables(
        self, transaction: Transaction, seating: Seating, laid_down: TournamentStage, now: datetime
    ) -> None:
        """Begin tables of a tournament's round likewise."""
        await self._begin(transaction, seating, table_stage(laid_down), now)

    async def _begin(self, transaction: Transaction, seating: Seating, stage: Stage, now: datetime) -> None:
        """Deal the first round of matches."""
        created = {
            match_id: MatchCreated(
                stage.mode,
                accounts,
                uuid7(now, self._randomness(RANDOM_BYTES)),
                now,
                stage.private,
                stage.tournament,
            )
            for match_id, accounts in seating.items()
        }
        facts = {(match_id, STREAM_DOES_NOT_EXIST): [fact] for match_id, fact in created.items()}
        await _append(transaction, facts, now)
        await rows.insert_matches(transaction.connection, created)
        mode = WatchedMode(stage.mode)
        await live.enter(transaction.connection, mode, seating, now, private=stage.private)
        first = {match_id: (fact.round_id, fact.accounts) for match_id, fact in created.items()}
        await self._deal(transaction, first, stage, now)

    async def end_round(self, transaction: Transaction, round_id: UUID, over: Over) -> None:
        """Let the match go on to its next round, or end."""
        connection, match_id = transaction.connection, over.round.match_id
        stage, now = over.round.stage, max(over.ended.occurred_at, self._clock.now())
        facts: list[MatchEvent] = []
        if goes_on(over):
            next_id = uuid7(now, self._randomness(RANDOM_BYTES))
            facts.append(round_fact(over, round_id, next_id))
            await _append(transaction, {(match_id, stage.number): facts}, now)
            await rows.enter_round(connection, match_id, over.ended, next_id)
            following = {match_id: (next_id, over.round.accounts)}
            await self._deal(transaction, following, next_stage(over, now), now)
            fault("round.next_dealt")
            return
        end = match_end(over)
        if stage.is_of_several:
            facts.append(round_fact(over, round_id, None))
            await rows.enter_round(connection, match_id, over.ended, round_id)
        await _append(transaction, {(match_id, stage.number): [*facts, end]}, now)
        await rows.end_match(connection, end, over.ended)
        await live.end(connection, match_id, over.ended.occurred_at)
        await free_seats(connection, match_id)
        if (offer := after_round(over)) is not None:
            await rematches.OFFERS.insert(connection, offer)

    async def _deal(
        self,
        transaction: Transaction,
        rounds: Mapping[UUID, tuple[UUID, tuple[UUID, ...]]],
        stage: Stage,
        now: datetime,
    ) -> None:
        """Deal rounds, by match with their ids and accounts, and wake them at their signal."""
        connection = transaction.connection
        round_ids = [round_id for round_id, _accounts in rounds.values()]
        deals = await self._fresh_deals(transaction, round_ids)
        dealt: dict[tuple[UUID, int], Sequence[RoundDealt]] = {
            (round_id, STREAM_DOES_NOT_EXIST): [RoundDealt(match_id, accounts, deals[round_id], now, stage)]
            for match_id, (round_id, accounts) in rounds.items()
        }
        await _append(transaction, dealt, now)
        await rows.insert_rounds(connection, stage.number, dict(zip(rounds, round_ids, strict=True)))
        signal_at = now + stage.countdown
        due = signal_at if stage.cut_at is None else min(signal_at, max(now, stage.cut_at))
        await set_timers(connection, round_ids, ROUND_TIMER, due)

    async def _fresh_deals(
        self, transaction: Transaction, round_ids: Sequence[UUID]
    ) -> dict[UUID, RoundDeal]:
        """Deals that no round has had before, by round."""
        fresh: dict[UUID, RoundDeal] = {}
        while missing := [round_id for round_id in round_ids if round_id not in fresh]:
            deals = await asyncio.to_thread(self._some_deals, missing)
            hashes = {round_id: deal_sha256(deal) for round_id, deal in deals.items()}
            claimed = await rows.claim_deals(transaction.connection, hashes)
            fresh |= {round_id: deals[round_id] for round_id in claimed}
        return fresh

    def _some_deals(self, round_ids: Sequence[UUID]) -> dict[UUID, RoundDeal]:
        randomness = self._randomness
        return {
            round_id: deal_round(self._levels, randomness(SEED_BYTES), randomness(SEED_BYTES))
            for round_id in round_ids
        }


async def _append(
    transaction: Transaction,
    events: Mapping[tuple[UUID, int], Sequence[MatchEvent | RoundDealt]],
    now: datetime,
) -> None:
    """Append to streams at their versions; nobody else writes to these now.

    They are new, or of a match whose round ends.
    """
    appends = [
        StreamAppend(stream_id, version, tuple(map(_new, facts)))
        for (stream_id, version), facts in events.items()
    ]
    appended = await transaction.append(appends, recorded_at=now, caller=SYSTEM)
    assert isinstance(appended, Appended), f"others wrote to {sorted(str(key) for key, _ in events)}"


def _new(event: RoundDealt | MatchEvent) -> NewEvent:
    part, name, schema_version, data = encoded(event)
    return NewEvent(part, name, schema_version, event.occurred_at, data)
