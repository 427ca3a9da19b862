"""Reading the feed: the gapless order that the sequencer gives."""

from __future__ import annotations

from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.port import FeedHead
from libs.eventstore.postgres.errors import unavailable_is_told
from libs.eventstore.postgres.rows import EVENT_COLUMNS, FEED_COLUMNS, PART_NUMBERS, to_feed_entry
from libs.eventstore.postgres.store import Pool

HEAD = "SELECT last_seq, chain FROM feed_head WHERE part = $1"
# LATERAL with OFFSET 0 keeps this one index probe per entry, in the one partition that can hold the event,
# whatever the planner thinks of fresh tables without statistics.
READ = f"""
SELECT {FEED_COLUMNS}, {EVENT_COLUMNS}
FROM (SELECT * FROM feed WHERE part = $1 AND seq BETWEEN $2 AND $3 ORDER BY seq LIMIT $4) AS f
CROSS JOIN LATERAL (SELECT * FROM event
    WHERE part = f.part AND stream_id = f.stream_id AND version = f.version OFFSET 0) AS e
ORDER BY f.seq
"""  # noqa: S608 fixed columns
SEQ_MAX = 2**63 - 1


class PostgresFeed:
    """The feed of one service in its schema."""

    def __init__(self, pool: Pool) -> None:
        """Read over the hot pool."""
        self._pool = pool

    async def head(self, part: Part) -> FeedHead:
        """Return the end of the feed; seq 0 and 32 zero bytes when it is empty."""
        with unavailable_is_told():
            row = await self._pool.fetchrow(HEAD, PART_NUMBERS[part])
        assert row is not None, "every schema has a head for each part"
        return FeedHead(row[0], row[1])

    async def read(
        self, part: Part, from_seq: int, to_seq: int | None = None, *, limit: int = 500
    ) -> list[FeedEntry]:
        """Return entries from `from_seq` on, in order, without a gap."""
        last = SEQ_MAX if to_seq is None else to_seq
        with unavailable_is_told():
            rows = await self._pool.fetch(READ, PART_NUMBERS[part], from_seq, last, limit)
        entries = [to_feed_entry(row) for row in rows]
        first = max(from_seq, 1)
        assert all(entry.seq == first + at for at, entry in enumerate(entries)), "the feed has a gap"
        return entries
