"""What every event store must do. The suite runs on the memory twin and on PostgreSQL through one harness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol
from uuid import UUID

import asyncpg

from libs.eventsourcing.envelope import NewEvent, Part, RecordedEvent
from libs.eventsourcing.ids import uuid7
from libs.eventstore.memory import MemoryEventStore, MemorySequencer
from libs.eventstore.port import Appender, AppendResult, EventStore, Feed, Request, StreamAppend
from libs.eventstore.postgres.database import Database
from libs.eventstore.sequencer import Sequencer

NOW = datetime(2026, 11, 29, 20, 0, tzinfo=UTC)
CALLER = UUID("0193776f-0000-7000-8000-000000000001")
OTHER_CALLER = UUID("0193776f-0000-7000-8000-000000000002")


class Steps(Protocol):
    """A sequencer of either kind."""

    async def step(self, epoch: int) -> int:
        """Move a batch to the feed."""
        ...


@dataclass(frozen=True)
class Harness:
    """One store with its feed and a way to sequence it."""

    store: EventStore
    feed: Feed
    sequencers: dict[Part, Steps]

    async def sequence(self, *, epoch: int = 1) -> int:
        """Sequence both parts until nothing is left; return how many events moved."""
        moved = 0
        for sequencer in self.sequencers.values():
            while step := await sequencer.step(epoch):
                moved += step
        return moved


def memory_harness() -> Harness:
    """The memory twin."""
    store = MemoryEventStore()
    return Harness(store, store.feed, {part: MemorySequencer(store, part, lambda: NOW) for part in Part})


def postgres_harness(database: Database) -> Harness:
    """A schema of a real database."""
    return Harness(database.store, database.feed, {part: Sequencer(database, part) for part in Part})


async def empty_event_core(database_url: str, schema: str) -> None:
    """Forget everything in one schema, so that tests may share a database; triggers are off for that."""
    connection = await asyncpg.connect(database_url, server_settings={"search_path": schema})
    try:
        await connection.execute(
            "SET session_replication_role = replica;"
            "TRUNCATE stream, event, outbox, feed, command_reply, lease, checkpoint, parked RESTART IDENTITY;"
            "UPDATE feed_head SET epoch = 0, last_seq = 0, at = '-infinity',"
            " chain = decode(repeat('00', 32), 'hex')"
        )
    finally:
        await connection.close()


def stream(number: int, *, born: datetime = NOW) -> UUID:
    """Return the id of the n-th stream of a test."""
    return uuid7(born, number.to_bytes(10))


def fact(text: str = "x", *, part: Part = Part.FACTS, at: datetime = NOW) -> NewEvent:
    """Return an event that holds a text."""
    return NewEvent(part, f"sparrow.test.{part}_noted.v1", 1, at, text.encode())


def move(text: str = "x", *, at: datetime = NOW) -> NewEvent:
    """Return an event of the other part."""
    return fact(text, part=Part.MOVES, at=at)


def to(number: int, expected_version: int, *events: NewEvent) -> StreamAppend:
    """Return an append to the n-th stream."""
    return StreamAppend(stream(number), expected_version, events)


def request(request_id: str, body: str = "body", *, caller: UUID = CALLER) -> Request:
    """Return a request whose hash stands for its body."""
    return Request(caller, request_id, body.encode().ljust(32, b"."))


async def append(
    store: Appender, *appends: StreamAppend, key: Request | None = None, reply: bytes | None = None
) -> AppendResult:
    """Append as CALLER at NOW + 1 s."""
    return await store.append(
        appends,
        recorded_at=NOW + timedelta(seconds=1),
        caller=CALLER if key is None else key.caller,
        request=key,
        reply=reply,
    )


def texts(events: Sequence[RecordedEvent]) -> list[str]:
    """Return what the events hold."""
    return [event.data.decode() for event in events]
