"""Feeds, checkpoints and handlers in memory, for tests of what carries facts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent
from libs.eventstore.chain import CHAIN_START, link
from libs.eventstore.port import FeedHead, Fenced
from libs.eventstore.position import FeedPage, Reached

START = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)
SOURCE = "test/match"
WON = "sparrow.match.attempt_cleared.v1"
OTHER = "sparrow.match.attempt_abandoned.v1"


def entry(
    seq: int,
    *,
    type_: str = WON,
    schema_version: int = 1,
    data: bytes | None = None,
    after: bytes = CHAIN_START,
) -> FeedEntry:
    """Return the entry at `seq`, a second after the one before, whose chain value is `after`."""
    at = START + timedelta(seconds=seq)
    event = RecordedEvent(
        stream_id=UUID(int=seq // 3 + 1, version=4),
        version=seq % 3 + 1,
        part=Part.FACTS,
        type=type_,
        schema_version=schema_version,
        occurred_at=at,
        recorded_at=at,
        caller=UUID(int=7),
        request_id=f"r{seq}",
        request_events=1,
        data=b"%d" % seq if data is None else data,
    )
    return FeedEntry(seq, at, link(after, seq, at, event), event)


class ListFeed:
    """A feed that is a list; also its own reader. `away` makes the reader fail."""

    def __init__(self, length: int = 0) -> None:
        self.entries: list[FeedEntry] = []
        self.grow(length)
        self.away = False
        self.reads = 0

    @property
    def chain(self) -> bytes:
        """The chain value at the end."""
        return self.entries[-1].chain if self.entries else CHAIN_START

    def grow(
        self, count: int = 1, *, type_: str = WON, schema_version: int = 1, data: bytes | None = None
    ) -> None:
        """Append `count` entries."""
        for seq in range(len(self.entries) + 1, len(self.entries) + 1 + count):
            self.entries.append(
                entry(seq, type_=type_, schema_version=schema_version, data=data, after=self.chain)
            )

    async def head(self, part: Part) -> FeedHead:
        """As the port says."""
        assert part == Part.FACTS
        return FeedHead(len(self.entries), self.chain)

    async def read(
        self, part: Part, from_seq: int, to_seq: int | None = None, *, limit: int = 500
    ) -> list[FeedEntry]:
        """As the port says."""
        assert part == Part.FACTS
        return self.entries[max(from_seq, 1) - 1 : to_seq][:limit]

    async def read_feed(self, part: Part, from_seq: int, to_seq: int | None) -> FeedPage:
        """As the port says; at most 100 entries, so that ranges take several pages."""
        self.reads += 1
        if self.away:
            raise ConnectionRefusedError("the owner is away")
        return FeedPage(await self.read(part, from_seq, to_seq, limit=100), len(self.entries))


class MemoryCheckpoint:
    """A fenced checkpoint, and beside it the effects that a handler leaves in the same transaction."""

    def __init__(self) -> None:
        self.seq = 0
        self.chain: bytes | None = None
        self.epoch = 0
        self.effects: list[tuple[int, bytes]] = []

    async def claim(self, epoch: int) -> Reached:
        """As the port says."""
        if epoch < self.epoch:
            raise Fenced(f"epoch {epoch} is over")
        self.epoch = epoch
        return Reached(self.seq, self.chain)

    async def advance(self, epoch: int, seq: int, chain: bytes | None = None) -> None:
        """As the port says."""
        if epoch != self.epoch or seq <= self.seq:
            raise Fenced(f"{seq} does not follow {self.seq}")
        self.seq, self.chain = seq, chain

    async def handle(self, entries: Sequence[FeedEntry], epoch: int) -> None:
        """Keep what was handed on, in order, and move: both or nothing."""
        await self.advance(epoch, entries[-1].seq, entries[-1].chain)
        self.effects += [(one.seq, one.event.data) for one in entries]
