"""An event store that is watched: the same store, with figures and spans around what it does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager, nullcontext
from datetime import datetime
from time import perf_counter
from typing import Final
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.eventstore.port import (
    Appended,
    AppendResult,
    Conflict,
    EventStore,
    Repeated,
    Request,
    RequestReused,
    StreamAppend,
    Transaction,
)
from libs.telemetry.telemetry import Telemetry
from libs.telemetry.traceparent import sampled

_UNTRACED: Final = nullcontext()


def watched(store: EventStore, service: str, telemetry: Telemetry) -> EventStore:
    """Return the store, watched where somebody looks, else the very same."""
    if not telemetry.measures and telemetry.tracer is None:
        return store
    return InstrumentedEventStore(store, service, telemetry)


class StoreWatch:
    """What the store of one service and its transactions tell."""

    def __init__(self, service: str, telemetry: Telemetry) -> None:
        """Make the figures."""
        meter = telemetry.meter
        self._service = service
        self._tracer = telemetry.tracer
        self._commit = meter.histogram(
            "sparrow_move_commit_seconds",
            "From handing over the events of a player's move until they are durable.",
            service=service,
        )
        about = "Events that were appended."
        self._appended = {
            part: meter.counter("sparrow_appended_events_total", about, service=service, part=part.value)
            for part in Part
        }
        self._conflicts = meter.counter(
            "sparrow_append_conflicts_total", "Appends that lost their stream to another.", service=service
        )
        self._repeats = meter.counter(
            "sparrow_repeated_commands_total", "Commands that had been accepted before.", service=service
        )

    def span(self, appends: Sequence[StreamAppend]) -> AbstractContextManager[object]:
        """Return the span of an append, where the call it belongs to is traced."""
        if self._tracer is None or sampled() is None:
            return _UNTRACED
        events = sum(len(append.events) for append in appends)
        attributes: dict[str, str | int] = {
            "db.system.name": "postgresql",
            "db.namespace": self._service,
            "db.operation.name": "append",
            "sparrow.events": events,
        }
        return self._tracer.span(f"append {self._service}", attributes=attributes)

    def note_refused(self, result: AppendResult) -> None:
        """Count an append that stored nothing."""
        if isinstance(result, Conflict):
            self._conflicts.inc()
        elif isinstance(result, Repeated):
            self._repeats.inc()

    def note_stored(self, result: Appended, request: Request | None, seconds: float) -> None:
        """Count an append that is durable, after so long."""
        is_move = False
        for event in result.events:
            self._appended[event.part].inc()
            is_move = is_move or event.part is Part.MOVES
        if is_move and request is not None:
            self._commit.observe(seconds)


class InstrumentedEventStore:
    """Counts and times the appends of the store inside, and spans those of traced calls."""

    def __init__(self, inner: EventStore, service: str, telemetry: Telemetry) -> None:
        """Watch `inner`."""
        self._inner = inner
        self._watch = StoreWatch(service, telemetry)

    async def append(
        self,
        appends: Sequence[StreamAppend],
        *,
        recorded_at: datetime,
        caller: UUID,
        request: Request | None = None,
        reply: bytes | None = None,
    ) -> AppendResult:
        """As the port says."""
        began_s = perf_counter()
        with self._watch.span(appends):
            result = await self._inner.append(
                appends, recorded_at=recorded_at, caller=caller, request=request, reply=reply
            )
        if isinstance(result, Appended):
            self._watch.note_stored(result, request, perf_counter() - began_s)
        else:
            self._watch.note_refused(result)
        return result

    async def keep_reply(
        self, request: Request, reply: bytes, *, at: datetime
    ) -> Repeated | RequestReused | None:
        """As the port says."""
        return await self._inner.keep_reply(request, reply, at=at)

    async def load(self, stream_id: UUID, *, after_version: int = 0) -> list[RecordedEvent]:
        """As the port says."""
        return await self._inner.load(stream_id, after_version=after_version)

    async def heads(self, stream_ids: Sequence[UUID]) -> dict[UUID, int]:
        """As the port says."""
        return await self._inner.heads(stream_ids)

    async def find_request(self, caller: UUID, request_id: str) -> Repeated | None:
        """As the port says."""
        return await self._inner.find_request(caller, request_id)

    def transaction(self) -> AbstractAsyncContextManager[Transaction]:
        """As the port says."""
        return self._transaction()

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[Transaction]:
        async with self._inner.transaction() as inner:
            transaction = _InstrumentedTransaction(inner, self._watch)
            yield transaction
        transaction.note_committed()


class _InstrumentedTransaction:
    """Remembers what it appended until that is durable."""

    def __init__(self, inner: Transaction, watch: StoreWatch) -> None:
        self._inner = inner
        self._watch = watch
        self._stored: list[tuple[Appended, Request | None, float]] = []

    @property
    def connection(self) -> AsyncConnection:
        """As the port says."""
        return self._inner.connection

    async def append(
        self,
        appends: Sequence[StreamAppend],
        *,
        recorded_at: datetime,
        caller: UUID,
        request: Request | None = None,
        reply: bytes | None = None,
    ) -> AppendResult:
        """As the port says."""
        began_s = perf_counter()
        with self._watch.span(appends):
            result = await self._inner.append(
                appends, recorded_at=recorded_at, caller=caller, request=request, reply=reply
            )
        if isinstance(result, Appended):
            self._stored.append((result, request, began_s))
        else:
            self._watch.note_refused(result)
        if isinstance(result, Conflict):
            self._stored.clear()
        return result

    async def keep_reply(
        self, request: Request, reply: bytes, *, at: datetime
    ) -> Repeated | RequestReused | None:
        """As the port says."""
        return await self._inner.keep_reply(request, reply, at=at)

    async def lock(self, key: str) -> None:
        """As the port says."""
        await self._inner.lock(key)

    async def rollback(self) -> None:
        """As the port says."""
        self._stored.clear()
        await self._inner.rollback()

    def note_committed(self) -> None:
        """Count what is durable now."""
        for result, request, began_s in self._stored:
            self._watch.note_stored(result, request, perf_counter() - began_s)
