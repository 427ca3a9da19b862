"""The event store's twin in memory: the same promises without a disk, for tests and simulations.

Locks behave as PostgreSQL's do: a transaction holds its request keys, heads and advisory locks until it ends,
and nobody sees what it appended before that.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from typing import NoReturn
from uuid import UUID
from weakref import WeakValueDictionary

from libs.eventsourcing.envelope import FeedEntry, Part, RecordedEvent
from libs.eventstore.chain import CHAIN_START
from libs.eventstore.ordering import VersionOrder, place
from libs.eventstore.port import (
    Appended,
    AppendResult,
    Conflict,
    FeedHead,
    Fenced,
    Repeated,
    Request,
    RequestReused,
    StreamAppend,
    Transaction,
)
from libs.eventstore.recording import recorded

Key = tuple[UUID, str]


class MemoryEventStore:
    """The log of one service, in memory."""

    def __init__(self) -> None:
        """Begin empty."""
        self.streams: dict[UUID, list[RecordedEvent]] = {}
        self.requests: dict[Key, Repeated] = {}
        self.outbox: list[RecordedEvent] = []
        self.feed = MemoryFeed()
        self._locks: WeakValueDictionary[object, asyncio.Lock] = WeakValueDictionary()

    async def append(
        self,
        appends: Sequence[StreamAppend],
        *,
        recorded_at: datetime,
        caller: UUID,
        request: Request | None = None,
        reply: bytes | None = None,
    ) -> AppendResult:
        """Append to all streams or to none (see the port)."""
        async with self._transaction() as transaction:
            return await transaction.append(
                appends, recorded_at=recorded_at, caller=caller, request=request, reply=reply
            )

    async def keep_reply(
        self, request: Request, reply: bytes, *, at: datetime
    ) -> Repeated | RequestReused | None:
        """Keep the reply of a command that appends nothing; None when it was kept now."""
        async with self._transaction() as transaction:
            return await transaction.keep_reply(request, reply, at=at)

    async def load(self, stream_id: UUID, *, after_version: int = 0) -> list[RecordedEvent]:
        """Return the stream's events after a version, in order; an unknown stream has none."""
        await asyncio.sleep(0)  # others get their turn here, as they would during a round trip
        return self.streams.get(stream_id, [])[after_version:]

    async def heads(self, stream_ids: Sequence[UUID]) -> dict[UUID, int]:
        """Return the last versions of the streams that exist."""
        await asyncio.sleep(0)
        return {
            stream_id: len(self.streams[stream_id]) for stream_id in stream_ids if stream_id in self.streams
        }

    async def find_request(self, caller: UUID, request_id: str) -> Repeated | None:
        """Return what an earlier command with this key did."""
        await asyncio.sleep(0)
        return self.requests.get((caller, request_id))

    def transaction(self) -> AbstractAsyncContextManager[Transaction]:
        """Open a transaction that commits when left without an exception."""
        return self._transaction()

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[MemoryTransaction]:
        transaction = MemoryTransaction(self)
        try:
            yield transaction
            transaction.commit()
        finally:
            transaction.release()

    def lock_of(self, key: object) -> asyncio.Lock:
        """Return the lock of a request key, a head or an advisory key; it lives as long as it is used."""
        return self._locks.setdefault(key, asyncio.Lock())


class MemoryTransaction:
    """What one transaction is about to do, and the locks it holds."""

    def __init__(self, store: MemoryEventStore) -> None:
        """Begin with nothing."""
        self._store = store
        self._events: list[RecordedEvent] = []
        self._requests: dict[Key, Repeated] = {}
        self._held: dict[object, asyncio.Lock] = {}
        self._is_over = False

    @property
    def connection(self) -> NoReturn:
        """There is no database: code that needs plain rows is tested on PostgreSQL."""
        raise AssertionError("the memory twin has no connection")

    async def append(
        self,
        appends: Sequence[StreamAppend],
        *,
        recorded_at: datetime,
        caller: UUID,
        request: Request | None = None,
        reply: bytes | None = None,
    ) -> AppendResult:
        """Append inside the transaction; after a Conflict it is rolled back and can only be left."""
        assert reply is None or request is not None, "a reply is kept under a request"
        events = recorded(appends, recorded_at, caller, request)
        if request is not None and (earlier := await self._earlier(request)) is not None:
            return earlier
        for append in sorted(appends, key=lambda append: append.stream_id.bytes):
            await self.lock(append.stream_id)
            if self._version(append.stream_id) != append.expected_version:
                await self.rollback()
                return Conflict(append.stream_id)
        self._events += events
        if request is not None:
            self._requests[request.caller, request.request_id] = Repeated(
                request.sha256, events[0].stream_id, events[0].version, events[0].request_events, reply
            )
        return Appended(events)

    async def keep_reply(
        self, request: Request, reply: bytes, *, at: datetime
    ) -> Repeated | RequestReused | None:
        """Keep the reply of a command that appends nothing; None when it was kept now."""
        assert at.tzinfo is not None, "instants are aware"
        earlier = await self._earlier(request)
        if earlier is None:
            key = (request.caller, request.request_id)
            self._requests[key] = Repeated(request.sha256, None, 0, 0, reply)
        return earlier

    async def lock(self, key: object) -> None:
        """Wait for the exclusive right to `key` until the transaction ends."""
        assert not self._is_over, "the transaction was rolled back"
        if key not in self._held:
            lock = self._store.lock_of(key)
            await lock.acquire()
            self._held[key] = lock

    async def rollback(self) -> None:
        """Undo everything; leaving the context afterwards commits nothing."""
        self._is_over = True
        self._events.clear()
        self._requests.clear()
        self.release()

    def commit(self) -> None:
        """Show everybody what was appended."""
        for event in self._events:
            self._store.streams.setdefault(event.stream_id, []).append(event)
        self._store.outbox += self._events
        self._store.requests |= self._requests

    def release(self) -> None:
        """Give all locks back."""
        for lock in self._held.values():
            lock.release()
        self._held.clear()

    async def _earlier(self, request: Request) -> Repeated | RequestReused | None:
        key = (request.caller, request.request_id)
        await self.lock(key)
        earlier = self._requests.get(key) or self._store.requests.get(key)
        if earlier is None or earlier.sha256 == request.sha256:
            return earlier
        return RequestReused()

    def _version(self, stream_id: UUID) -> int:
        staged = sum(event.stream_id == stream_id for event in self._events)
        return len(self._store.streams.get(stream_id, [])) + staged


class MemoryFeed:
    """The feed of one service, in memory."""

    def __init__(self) -> None:
        """Begin empty."""
        self.entries: dict[Part, list[FeedEntry]] = {part: [] for part in Part}
        self.epochs: dict[Part, int] = dict.fromkeys(Part, 0)

    async def head(self, part: Part) -> FeedHead:
        """Return the end of the feed; seq 0 and 32 zero bytes when it is empty."""
        entries = self.entries[part]
        return FeedHead(entries[-1].seq, entries[-1].chain) if entries else FeedHead(0, CHAIN_START)

    async def read(
        self, part: Part, from_seq: int, to_seq: int | None = None, *, limit: int = 500
    ) -> list[FeedEntry]:
        """Return entries from `from_seq` on, in order, without a gap."""
        first = max(from_seq, 1) - 1
        return self.entries[part][first:to_seq][:limit]


class MemorySequencer:
    """The sequencer's twin: one step moves a batch from the outbox to the feed."""

    def __init__(
        self, store: MemoryEventStore, part: Part, now: Callable[[], datetime], *, batch: int = 1000
    ) -> None:
        """Sequence one part with instants from `now`."""
        self._store = store
        self._part = part
        self._now = now
        self._batch = batch
        self._order = VersionOrder()

    async def step(self, epoch: int) -> int:
        """Move at most a batch of events to the feed; return how many. Raise Fenced under a later epoch."""
        feed = self._store.feed
        if epoch < feed.epochs[self._part]:
            raise Fenced(f"epoch {epoch} of the sequencer is over")
        feed.epochs[self._part] = epoch
        events = [event for event in self._store.outbox if event.part is self._part][: self._batch]
        if not events:
            return 0
        entries = feed.entries[self._part]
        at = max(self._now(), entries[-1].at) if entries else self._now()
        self._order.check(events)
        entries += place(await feed.head(self._part), at, events)
        self._order.placed(events)
        taken = {event.id for event in events}
        self._store.outbox = [event for event in self._store.outbox if event.id not in taken]
        return len(events)
