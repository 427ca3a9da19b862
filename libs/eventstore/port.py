"""The port to the event store. Adapters: `memory` (a twin for tests) and `postgres`; one suite holds both.

Repeat-safety: the key of a command is (caller, request_id); the hash covers method, caller and body.
The first event of a command carries the id and how many events it appended. Creating commands, and those
that append nothing, keep their reply as a row beside.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventsourcing.envelope import FeedEntry, NewEvent, Part, RecordedEvent

STREAM_DOES_NOT_EXIST = 0


class StoreUnavailable(Exception):
    """The database does not answer now. A write may have happened: ask again with the same request."""


class Fenced(Exception):
    """Somebody with a later epoch has taken over. Nothing was stored; stop the work."""


@dataclass(frozen=True, slots=True)
class Request:
    """What makes a write repeat-safe."""

    caller: UUID
    request_id: str
    sha256: bytes  # over method, caller and body


@dataclass(frozen=True, slots=True)
class StreamAppend:
    """Events for one stream whose head must be at `expected_version` (0: the stream must not exist)."""

    stream_id: UUID
    expected_version: int
    events: tuple[NewEvent, ...]


@dataclass(frozen=True, slots=True)
class Appended:
    """It is stored."""

    events: tuple[RecordedEvent, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """The same command was accepted before, and this is what it did."""

    sha256: bytes
    stream_id: UUID | None  # the stream its first event stands in; None when only a reply was kept
    first_version: int
    event_count: int
    reply: bytes | None


@dataclass(frozen=True, slots=True)
class RequestReused:
    """The caller used this request_id before, with another body. Nothing was stored."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A stream was not at its expected version. Nothing was stored."""

    stream_id: UUID


AppendResult = Appended | Repeated | RequestReused | Conflict


class Appender(Protocol):
    """Whatever can append: the store by itself, or a transaction that rows share."""

    async def append(
        self,
        appends: Sequence[StreamAppend],
        *,
        recorded_at: datetime,
        caller: UUID,
        request: Request | None = None,
        reply: bytes | None = None,
    ) -> AppendResult:
        """Append to all streams or to none, in one round trip.

        With `request`: a repeat stores nothing and answers Repeated or RequestReused. With `reply` as well:
        the reply is kept for repeats (creating commands).
        """
        ...

    async def keep_reply(
        self, request: Request, reply: bytes, *, at: datetime
    ) -> Repeated | RequestReused | None:
        """Keep the reply of a command that appends nothing; None when it was kept now."""
        ...


class Transaction(Appender, Protocol):
    """One database transaction. After a Conflict it can only be left: leaving rolls back (see `rollback`)."""

    @property
    def connection(self) -> AsyncConnection:
        """The SQLAlchemy connection of the same transaction, for plain rows. The memory twin has none."""
        ...

    async def lock(self, key: str) -> None:
        """Wait for the exclusive right to `key` until the transaction ends (advisory)."""
        ...

    async def rollback(self) -> None:
        """Undo everything; leaving the context afterwards commits nothing."""
        ...


class EventStore(Appender, Protocol):
    """The log of one service."""

    async def load(self, stream_id: UUID, *, after_version: int = 0) -> list[RecordedEvent]:
        """Return the stream's events after a version, in order; an unknown stream has none."""
        ...

    async def heads(self, stream_ids: Sequence[UUID]) -> dict[UUID, int]:
        """Return the last versions of the streams that exist."""
        ...

    async def find_request(self, caller: UUID, request_id: str) -> Repeated | None:
        """Return what an earlier command with this key did."""
        ...

    def transaction(self) -> AbstractAsyncContextManager[Transaction]:
        """Open a transaction that commits when left without an exception."""
        ...


@dataclass(frozen=True, slots=True)
class FeedHead:
    """The end of a feed."""

    last_seq: int
    chain: bytes


class Feed(Protocol):
    """The gapless, chained order of one service's events, part by part."""

    async def head(self, part: Part) -> FeedHead:
        """Return the end of the feed; seq 0 and 32 zero bytes when it is empty."""
        ...

    async def read(
        self, part: Part, from_seq: int, to_seq: int | None = None, *, limit: int = 500
    ) -> list[FeedEntry]:
        """Return entries from `from_seq` on, in order, without a gap."""
        ...
