"""A projection of a service's own facts: rows that follow from what has happened, entered as it comes by.

Rows and the place in the feed are one transaction. A new holder of the lease fences the old one through the
checkpoint's epoch. Thrown away with their checkpoint, the rows come again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Final, Generic, TypeVar

from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.checkpoint import advance, claim, park
from libs.eventstore.lease import wait_for
from libs.eventstore.postgres.database import Database

BATCH_MAX: Final = 100
POLL_MS: Final = 500
R = TypeVar("R")


class Malformed(Exception):
    """A fact from which no rows can be made: it is parked for an operator with this text."""


class FactsProjector(Generic[R]):
    """Enters rows of type R as facts come by."""

    def __init__(
        self,
        database: Database,
        name: str,
        now: Callable[[], datetime],
        *,
        read: Callable[[FeedEntry], Awaitable[Sequence[R]]],
        enter: Callable[[AsyncConnection, Sequence[R]], Awaitable[None]],
    ) -> None:
        """Write to the service's database; `name` is that of lease, checkpoint and parked facts.

        `read` gives the rows of a fact, none for most, or raises Malformed. `enter` writes rows; those that
        are there already stay.
        """
        self._database = database
        self._name = name
        self._now = now
        self._read = read
        self._enter = enter

    async def run(self, epoch: int, lost: asyncio.Event) -> None:
        """Enter until the lease is lost."""
        self._database.figures.follow(self._name, self._name, Part.FACTS)
        done = await self.claim(epoch)
        while not lost.is_set():
            reached = await self.step(epoch, done)
            if reached == done:
                await wait_for(lost, POLL_MS)
            done = reached

    async def claim(self, epoch: int) -> int:
        """Fence every earlier holder; return the sequence that was entered last."""
        async with self._database.engine.begin() as connection:
            return (await claim(connection, self._name, epoch)).seq

    async def step(self, epoch: int, done: int) -> int:
        """Enter the next facts; return the sequence of the last one, which is `done` when there was none."""
        entries = await self._database.feed.read(Part.FACTS, done + 1, limit=BATCH_MAX)
        if not entries:
            return done
        rows: list[R] = []
        wrong: list[tuple[FeedEntry, str]] = []
        for entry in entries:
            try:
                rows += await self._read(entry)
            except Malformed as error:
                wrong.append((entry, f"MALFORMED: {error}"))
        async with self._database.engine.begin() as connection:
            for entry, reason in wrong:
                await park(connection, self._name, entry, reason, self._now())
            await self._enter(connection, rows)
            await advance(connection, self._name, epoch, entries[-1].seq)
        return entries[-1].seq
