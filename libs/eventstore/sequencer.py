"""The sequencer: moves committed events from the outbox to the gapless, chained feed of one part.

One leader per part works at a time; its lease's epoch fences it. A transaction that commits late is picked up
in a later round: nothing is skipped, nothing waits for strangers. Within a stream the order is right because
`outbox.pos` is drawn under the lock of the stream's head; that is asserted here, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import TypeAlias

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent
from libs.eventstore.faults import fault
from libs.eventstore.ordering import VersionOrder, place
from libs.eventstore.port import FeedHead, Fenced
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told
from libs.eventstore.postgres.rows import EVENT_COLUMNS, PART_NUMBERS, to_event

BATCH_MAX = 1_000
CHAINED_INLINE_MAX = 100  # a longer batch takes over a millisecond: it is chained in a thread

CLAIM = "UPDATE feed_head SET epoch = $2 WHERE part = $1 AND epoch <= $2"
HEAD = """
SELECT last_seq, chain, greatest(at, clock_timestamp()) FROM feed_head WHERE part = $1 AND epoch = $2
"""
READ = f"""
SELECT o.pos, {EVENT_COLUMNS}
FROM (SELECT * FROM outbox WHERE part = $1 ORDER BY pos LIMIT $2) AS o
CROSS JOIN LATERAL (SELECT * FROM event
    WHERE part = o.part AND stream_id = o.stream_id AND version = o.version OFFSET 0) AS e
ORDER BY o.pos
"""  # noqa: S608 fixed columns
INSERT = """
INSERT INTO feed (part, seq, stream_id, version, at, chain)
SELECT $1, seq, stream_id, version, $2, chain
FROM unnest($3::bigint[], $4::uuid[], $5::bigint[], $6::bytea[]) AS e (seq, stream_id, version, chain)
"""
DELETE = "DELETE FROM outbox WHERE part = $1 AND pos = ANY($2)"
MOVE_HEAD = """
UPDATE feed_head SET last_seq = $4, chain = $5, at = $6 WHERE part = $1 AND epoch = $2 AND last_seq = $3
"""

Connection: TypeAlias = "PoolConnectionProxy[asyncpg.Record]"


class Sequencer:
    """Sequences one part of one service."""

    def __init__(self, database: Database, part: Part, *, batch: int = BATCH_MAX) -> None:
        """Sequence `part` in batches of at most `batch` events."""
        self._database = database
        self._part = part
        self._number = PART_NUMBERS[part]
        self._batch = batch
        self._claimed_epoch = 0
        self._order = VersionOrder()

    async def step(self, epoch: int) -> int:
        """Move at most a batch of events to the feed in one transaction; return how many.

        `epoch` is the lease's. Raise Fenced once a later epoch has claimed the feed, StoreUnavailable when
        the database is away. After any error the step may simply be repeated.
        """
        with unavailable_is_told():
            async with self._database.pool.acquire() as connection:
                await self._claim(connection, epoch)
                # Read before the transaction: most looks find nothing. What another sequencer takes meanwhile
                # is missed by the deletion below.
                rows = await connection.fetch(READ, self._number, self._batch)
                if not rows:
                    return 0
                fault("sequencer.read")
                async with connection.transaction():
                    moved = await self._move(connection, epoch, rows)
                    fault("sequencer.commit_sent")
        self._order.placed(moved)
        fault("sequencer.committed")
        return len(moved)

    async def _claim(self, connection: Connection, epoch: int) -> None:
        """Make the feed ours once per epoch: from then on every earlier epoch is fenced."""
        if epoch == self._claimed_epoch:
            return
        if await connection.execute(CLAIM, self._number, epoch) != "UPDATE 1":
            raise Fenced(f"epoch {epoch} of the {self._part} sequencer is over")
        self._claimed_epoch = epoch
        self._order = VersionOrder()  # others may have sequenced in between

    async def _move(
        self, connection: Connection, epoch: int, rows: Sequence[asyncpg.Record]
    ) -> list[RecordedEvent]:
        head, at = await self._head(connection, epoch)
        events = [to_event(row, 1) for row in rows]
        self._order.check(events)
        if len(events) <= CHAINED_INLINE_MAX:
            entries = place(head, at, events)
        else:
            entries = await asyncio.to_thread(place, head, at, events)
        await self._insert(connection, at, entries)
        fault("sequencer.feed_inserted")
        deleted = await connection.execute(DELETE, self._number, [row[0] for row in rows])
        end = entries[-1]
        moved = await connection.execute(
            MOVE_HEAD, self._number, epoch, head.last_seq, end.seq, end.chain, end.at
        )
        if deleted != f"DELETE {len(rows)}" or moved != "UPDATE 1":
            raise Fenced(f"another {self._part} sequencer was here")
        return events

    async def _head(self, connection: Connection, epoch: int) -> tuple[FeedHead, datetime]:
        row = await connection.fetchrow(HEAD, self._number, epoch)
        if row is None:
            raise Fenced(f"epoch {epoch} of the {self._part} sequencer is over")
        return FeedHead(row[0], row[1]), row[2]

    async def _insert(self, connection: Connection, at: datetime, entries: Sequence[FeedEntry]) -> None:
        try:
            await connection.execute(
                INSERT,
                self._number,
                at,
                [entry.seq for entry in entries],
                [entry.event.stream_id for entry in entries],
                [entry.event.version for entry in entries],
                [entry.chain for entry in entries],
            )
        except asyncpg.UniqueViolationError as error:
            raise Fenced(f"another {self._part} sequencer was here") from error
