"""The board projector: the ledger's own feed, folded in its order into the tables of one generation.

Effect, checkpoint and digest are one transaction. A new holder of the lease fences the old one through the
checkpoint's epoch.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.checkpoint import advance, claim, park
from libs.eventstore.faults import fault
from libs.eventstore.postgres.database import Database
from services.ledger.domain.boards import reach
from services.ledger.events import LedgerDayClosed, LedgerEvent
from services.ledger.projections.effects import fold_all
from services.ledger.projections.tables import BoardTables
from services.ledger.wire.events import decode

BATCH_MAX: Final = 500
CHANGES_KEPT: Final = timedelta(minutes=20)
"""Page tokens live 15 minutes from the first page of their listing; the rest is for a last answer."""
FORGET_EVERY: Final = timedelta(minutes=1)

Batch = Sequence[tuple[FeedEntry, LedgerEvent | None]]


class BoardProjector:
    """Folds facts into one generation's tables, a batch at a time."""

    def __init__(self, database: Database, tables: BoardTables, now: Callable[[], datetime]) -> None:
        """Keep what a step needs; the place in the feed is read from the database in each step."""
        self._database = database
        self._tables = tables
        self._now = now
        self.skipped: Counter[str] = Counter()  # by type
        self._forget_at: datetime | None = None

    @property
    def name(self) -> str:
        """The name of this projector's lease and checkpoint."""
        return self._tables.checkpoint

    async def claim(self, epoch: int) -> None:
        """Fence every earlier holder; before the first step of an epoch."""
        async with self._database.engine.begin() as connection:
            await claim(connection, self.name, epoch)

    async def step(self, epoch: int, up_to: int | None = None) -> int:
        """Fold the next facts, at most BATCH_MAX, a day's closing always alone; return how many.

        None after the one at `up_to`.
        """
        async with self._database.engine.begin() as connection:
            head = await self._tables.head(connection)
        entries = await self._database.feed.read(Part.FACTS, head.seq + 1, up_to, limit=BATCH_MAX)
        batch = _next_batch(entries)
        if not batch:
            return 0
        facts = [(entry.seq, fact) for entry, fact in batch if fact is not None]
        last = batch[-1][0].seq
        is_roll = any(isinstance(fact, LedgerDayClosed) for _, fact in facts)
        async with self._database.engine.begin() as connection:
            head = await self._tables.head(connection)
            assert head.seq + 1 == batch[0][0].seq, "another projector moved the boards: the lease was lost"
            match facts:
                case [(seq, LedgerDayClosed() as closing)]:
                    boards = await self._tables.roll(connection, head, closing, seq, self._now())
                case _:
                    wanted = reach([fact for _, fact in facts], head.as_of_day)
                    boards = await self._tables.load(connection, head, wanted)
            traces = (entry.event.traceparent for entry in entries[: len(batch)])
            with self._database.telemetry.processing("fold boards", traces):
                effects = await asyncio.to_thread(fold_all, boards, facts)
            await self._tables.save(connection, effects, at=self._now())
            for entry, _ in batch:
                if entry.seq in effects.refused:
                    await park(connection, self.name, entry, "POINTS_OUT_OF_RANGE", self._now())
            if is_roll:
                fault("day.rolling")
            await advance(connection, self.name, epoch, last)
            fault("boards.effect_in")
            fault("boards.commit_sent")
        fault("boards.committed")
        self.skipped.update(entry.event.type for entry, fact in batch if fact is None)
        if is_roll:
            fault("day.rolled")
        return len(batch)

    async def forget_old_changes(self) -> None:
        """Drop changes older than any valid page token, once a minute."""
        now = self._now()
        if self._forget_at is None or now >= self._forget_at:
            self._forget_at = now + FORGET_EVERY
            async with self._database.engine.begin() as connection:
                await self._tables.forget_changes(connection, before=now - CHANGES_KEPT)


def _next_batch(entries: Sequence[FeedEntry]) -> Batch:
    """Return the first run of facts that may be folded at once: transfers up to a closing, or a closing.

    A fact that cannot be read stops the boards, and says so, once all before it are folded.
    """
    batch: list[tuple[FeedEntry, LedgerEvent | None]] = []
    for entry in entries:
        try:
            fact = decode(entry.event)
        except Exception:
            if not batch:
                raise
            break
        if isinstance(fact, LedgerDayClosed):
            return batch or [(entry, fact)]
        batch.append((entry, fact))
    return batch
