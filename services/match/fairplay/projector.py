"""The projection of play: each game that ended is counted once for everybody in it, and judged.

Figures, flags and the place in the feed are one transaction. A new holder of the lease fences the old one
through the checkpoint's epoch.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent
from libs.eventstore.checkpoint import advance, claim, park
from libs.eventstore.lease import wait_for
from libs.eventstore.postgres.database import Database
from libs.runtime.errors import Refused
from services.match.domain.fair_play.counts import Played, PlayMode
from services.match.domain.fair_play.judging import Suspicion, Thresholds, suspicions
from services.match.domain.fair_play.tally import played_level, played_pool, played_race, played_round
from services.match.fairplay import flag_store, store
from services.match.wire.event_codec import EventCodec
from services.match.wire.pool_codec import PoolCodec
from services.match.wire.race_codec import RaceCodec
from services.match.wire.round_codec import RoundCodec

FAIR_PLAY: Final = "fair-play"
"""Lease and checkpoint of the projection."""
BATCH_MAX: Final = 100
POLL_MS: Final = 500
Count = Callable[[Sequence[RecordedEvent]], list[Played]]


def _counting(codec: Any, played: Callable[[Any], list[Played]]) -> Count:
    def count(recorded: Sequence[RecordedEvent]) -> list[Played]:
        return played([codec.decode(event) for event in recorded])

    return count


_LEVEL: Final = _counting(EventCodec(), played_level)
COUNTED: Final[Mapping[str, Count]] = {
    "sparrow.match.attempt_cleared.v1": _LEVEL,
    "sparrow.match.attempt_left.v1": _LEVEL,
    "sparrow.match.attempt_restarted.v1": _LEVEL,
    "sparrow.match.round_ended.v1": _counting(RoundCodec(), played_round),
    "sparrow.match.race_ended.v1": _counting(RaceCodec(), played_race),
    "sparrow.match.pool_ended.v1": _counting(PoolCodec(), played_pool),
}
"""The facts that end a game, and how its stream is counted."""


class FairPlayProjector:
    """Counts games as their ends come by in the facts."""

    def __init__(
        self, database: Database, limits: Thresholds, window: timedelta, now: Callable[[], datetime]
    ) -> None:
        """Judge by `limits` what was played in the last `window` of whole days."""
        self._database = database
        self._limits = limits
        self._window = window
        self._now = now

    async def run(self, epoch: int, lost: asyncio.Event) -> None:
        """Count until the lease is lost."""
        self._database.figures.follow(FAIR_PLAY, FAIR_PLAY, Part.FACTS)
        done = await self.claim(epoch)
        while not lost.is_set():
            reached = await self.step(epoch, done)
            if reached == done:
                await wait_for(lost, POLL_MS)
            done = reached

    async def claim(self, epoch: int) -> int:
        """Fence every earlier holder; return the sequence that was counted last."""
        async with self._database.engine.begin() as connection:
            return (await claim(connection, FAIR_PLAY, epoch)).seq

    async def step(self, epoch: int, done: int) -> int:
        """Count the next facts; return the sequence of the last one, which is `done` when there was none."""
        entries = await self._database.feed.read(Part.FACTS, done + 1, limit=BATCH_MAX)
        if not entries:
            return done
        played: list[Played] = []
        wrong: list[tuple[FeedEntry, str]] = []
        for entry in entries:
            count = COUNTED.get(entry.event.type)
            if count is None:
                continue
            recorded = await self._database.store.load(entry.event.stream_id)
            ended = [event for event in recorded if event.version <= entry.event.version]
            try:
                played += await asyncio.to_thread(count, ended)
            except (KeyError, ValueError, Refused) as error:
                wrong.append((entry, f"MALFORMED: {error}"))
        async with self._database.engine.begin() as connection:
            for entry, reason in wrong:
                await park(connection, FAIR_PLAY, entry, reason, self._now())
            await store.add(connection, played)
            for account_id, mode in sorted({(each.account_id, each.mode) for each in played}):
                last = max(each.day for each in played if each.account_id == account_id)
                await self._judge(connection, account_id, mode, last - self._window + timedelta(days=1))
            await advance(connection, FAIR_PLAY, epoch, entries[-1].seq)
        return entries[-1].seq

    async def _judge(
        self, connection: AsyncConnection, account_id: UUID, mode: PlayMode, since: date
    ) -> None:
        """Put up the flags of a player's play in a mode from a day on.

        What an operator has dismissed is not held against the player again: then the days after that count.
        """
        dismissed = await flag_store.dismissals(connection, account_id, mode)
        for suspicion in await self._suspicions(connection, account_id, mode, since):
            told = suspicion
            dismissed_at = dismissed.get(suspicion.rule)
            if dismissed_at is not None and dismissed_at.date() >= since:
                later = dismissed_at.date() + timedelta(days=1)
                anew = await self._suspicions(connection, account_id, mode, later)
                again = [each for each in anew if each.rule is suspicion.rule]
                if not again:
                    continue
                told = again[0]
            await flag_store.raise_flag(connection, account_id, mode, told, self._now())

    async def _suspicions(
        self, connection: AsyncConnection, account_id: UUID, mode: PlayMode, since: date
    ) -> list[Suspicion]:
        figures = await store.read(connection, account_id, since)
        return await asyncio.to_thread(suspicions, figures.get(mode, {}), self._limits)
