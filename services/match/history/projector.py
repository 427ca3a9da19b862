"""The projection of races and of the pool: each game that ended is entered for everybody who played it.

Rows and the place in the feed are one transaction. A new holder of the lease fences the old one through the
checkpoint's epoch.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.checkpoint import advance, claim, park
from libs.eventstore.lease import wait_for
from libs.eventstore.postgres.database import Database
from libs.runtime.errors import Refused
from services.match.history import store
from services.match.history.store import Row
from services.match.wire.history_listing import POOL, POOL_ENDED, RACE, RACE_ENDED, listed_by

HISTORY: Final = "history"
"""Lease and checkpoint of the projection."""
BATCH_MAX: Final = 100
POLL_MS: Final = 500
LISTED: Final[Mapping[str, str]] = {RACE_ENDED: RACE, POOL_ENDED: POOL}
"""The facts that end such a game, and its mode."""


class HistoryProjector:
    """Enters games as their ends come by in the facts."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        """Write to the service's database."""
        self._database = database
        self._now = now

    async def run(self, epoch: int, lost: asyncio.Event) -> None:
        """Enter until the lease is lost."""
        self._database.figures.follow(HISTORY, HISTORY, Part.FACTS)
        done = await self.claim(epoch)
        while not lost.is_set():
            reached = await self.step(epoch, done)
            if reached == done:
                await wait_for(lost, POLL_MS)
            done = reached

    async def claim(self, epoch: int) -> int:
        """Fence every earlier holder; return the sequence that was entered last."""
        async with self._database.engine.begin() as connection:
            return (await claim(connection, HISTORY, epoch)).seq

    async def step(self, epoch: int, done: int) -> int:
        """Enter the next facts; return the sequence of the last one, which is `done` when there was none."""
        entries = await self._database.feed.read(Part.FACTS, done + 1, limit=BATCH_MAX)
        if not entries:
            return done
        rows: list[Row] = []
        wrong: list[tuple[FeedEntry, str]] = []
        for entry in entries:
            mode = LISTED.get(entry.event.type)
            if mode is None:
                continue
            recorded = await self._database.store.load(entry.event.stream_id)
            try:
                told = await asyncio.to_thread(listed_by, recorded)
            except (AssertionError, KeyError, ValueError, Refused) as error:
                wrong.append((entry, f"MALFORMED: {error}"))
                continue
            rows += [Row(account, entry.event.stream_id, mode, each) for account, each in told.items()]
        async with self._database.engine.begin() as connection:
            for entry, reason in wrong:
                await park(connection, HISTORY, entry, reason, self._now())
            await store.enter(connection, rows)
            await advance(connection, HISTORY, epoch, entries[-1].seq)
        return entries[-1].seq
