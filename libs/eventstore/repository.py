"""From a pure decider to stored events: load, decide, append, and repeat-safe answers, for all services.

A repeat of an accepted command is answered by what the first one did, whatever the state is by now; that is
why a refusal, too, first looks for an earlier command with the same key.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar, cast
from uuid import UUID

from libs.eventsourcing.envelope import NewEvent, Part, RecordedEvent
from libs.eventstore.port import (
    Appended,
    Appender,
    Conflict,
    EventStore,
    Repeated,
    Request,
    RequestReused,
    StreamAppend,
    Transaction,
)
from libs.eventstore.states import Known, States

S = TypeVar("S")
E = TypeVar("E")
R = TypeVar("R")
T = TypeVar("T")
F = TypeVar("F", contravariant=True)

RETRIES_MAX = 5
STATES_MAX = 2_000
EVENTS_PER_TURN = 100  # about a millisecond

Encoded = tuple[Part, str, int, bytes]  # part, type, schema version, data


class Codec(Protocol[E]):
    """Between a service's events and stored ones. `decode` lifts older versions to the present form."""

    def encode(self, event: E) -> Encoded:
        """Return part, type, schema version and bytes of an event."""
        ...

    def decode(self, recorded: RecordedEvent) -> E:
        """Return the event; a type or version that is not known is an error of ours."""
        ...


class Evolution(Protocol[S, F]):
    """The half of a decider that a fold needs."""

    def initial(self) -> S:
        """Return the state of a stream without events."""
        ...

    def evolve(self, state: S, event: F) -> S:
        """Return the state after a past fact."""
        ...


@dataclass(frozen=True, slots=True)
class Stamped(Generic[E]):
    """An event at its place in its stream."""

    event: E
    version: int
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class Accepted(Generic[S, E]):
    """What a command did. For a repeat: what it did then, with the state right after it."""

    state: S
    events: tuple[Stamped[E], ...]
    repeated: bool
    stream_id: UUID  # a repeated creation names the stream it made then
    version: int  # of the stream, right after the events
    reply: bytes | None = None  # of a repeat whose reply was kept


@dataclass(frozen=True, slots=True)
class StreamConflict:
    """Others were faster, time and again. Nothing was stored."""

    stream_id: UUID


class Repository(Generic[S, E, R]):
    """The streams of one kind: their events, their states, and their refusals."""

    def __init__(
        self, evolution: Evolution[S, E], codec: Codec[E], store: EventStore, *, states_max: int = STATES_MAX
    ) -> None:
        """Bind the pure functions to a store; at most `states_max` folded states are remembered."""
        self._evolution = evolution
        self._codec = codec
        self._store = store
        self._states: States[S] = States(states_max)

    async def state(self, stream_id: UUID) -> tuple[S, int]:
        """Return the present state and version of a stream; version 0 when it does not exist."""
        known = await self._catch_up(stream_id, self._states.get(stream_id))
        return known.state, known.version

    async def events(self, stream_id: UUID, after_version: int = 0) -> list[Stamped[E]]:
        """Return the events of a stream after a version."""
        recorded = await self._store.load(stream_id, after_version=after_version)
        return [self._stamp(event) for event in recorded]

    async def execute(
        self,
        stream_id: UUID,
        decide: Callable[[S], Sequence[E] | R],
        *,
        request: Request,
        now: datetime,
        reply: bytes | None = None,
    ) -> Accepted[S, E] | R | RequestReused | StreamConflict:
        """Decide on the present state and append what was decided; return it, or the refusal.

        `decide` is pure and may be called again on a later state. A list or tuple is events; anything else is
        a refusal. No events: accepted, nothing stored, and the caller keeps the reply. `reply` is kept with
        the events. An event occurred at its own `occurred_at` if it has one, else `now`, and never before the
        event ahead of it.
        """
        async with self._states.lock(stream_id):
            cached = self._states.get(stream_id)
            known = cached or await self._catch_up(stream_id, None)
            is_fresh = cached is None
            for _ in range(1 + RETRIES_MAX):
                outcome = decide(known.state)
                events: Sequence[E] = _events(outcome)
                if events:
                    result = await self._append(self._store, stream_id, known, events, request, now, reply)
                    if not isinstance(result, Conflict):
                        self._remember(result)
                        return result
                elif (earlier := await self.earlier(stream_id, request)) is not None:
                    return earlier
                newer = known if is_fresh and not events else await self._catch_up(stream_id, known)
                if not events and newer.version == known.version:
                    return _unchanged(stream_id, known, outcome)
                known, is_fresh = newer, True
            return StreamConflict(stream_id)

    async def execute_in(
        self,
        transaction: Transaction,
        stream_id: UUID,
        decide: Callable[[S], Sequence[E] | R],
        *,
        request: Request,
        now: datetime,
        reply: bytes | None = None,
    ) -> Accepted[S, E] | R | RequestReused | StreamConflict:
        """Do what `execute` does once, in a transaction that plain rows share; no retries (see `transact`).

        Take locks first. After StreamConflict the transaction is undone: leave it and begin another one. At
        most one call per stream in one transaction, since the state is read as others see it.
        """
        known = await self._catch_up(stream_id, self._states.get(stream_id))
        outcome = decide(known.state)
        events: Sequence[E] = _events(outcome)
        if not events:
            earlier = await self.earlier(stream_id, request)
            return _unchanged(stream_id, known, outcome) if earlier is None else earlier
        result = await self._append(transaction, stream_id, known, events, request, now, reply)
        if isinstance(result, Conflict):
            return StreamConflict(stream_id)
        # Nothing is remembered: the transaction may still be undone.
        return result

    async def transact(
        self, stream_id: UUID, once: Callable[[Transaction], Awaitable[T | StreamConflict]]
    ) -> T | StreamConflict:
        """Do `once`, which calls `execute_in`, in a transaction; anew in another one while others win.

        Commands of this process on the same stream wait meanwhile, so that a busy stream cannot starve a
        transaction, which is slower than they are.
        """
        async with self._states.lock(stream_id):
            for _ in range(1 + RETRIES_MAX):
                async with self._store.transaction() as transaction:
                    outcome = await once(transaction)
                if not isinstance(outcome, StreamConflict):
                    return outcome
        return StreamConflict(stream_id)

    async def earlier(self, stream_id: UUID, request: Request) -> Accepted[S, E] | RequestReused | None:
        """Return what an earlier command with this key did; `stream_id` is where it would act now."""
        found = await self._store.find_request(request.caller, request.request_id)
        if found is None:
            return None
        if found.sha256 != request.sha256:
            return RequestReused()
        return await self._repeat(stream_id, found)

    async def _append(
        self,
        appender: Appender,
        stream_id: UUID,
        known: Known[S],
        events: Sequence[E],
        request: Request,
        now: datetime,
        reply: bytes | None,
    ) -> Accepted[S, E] | RequestReused | Conflict:
        stamped = _stamps(known, events, now)
        result = await appender.append(
            [StreamAppend(stream_id, known.version, tuple(self._encode(event) for event in stamped))],
            recorded_at=now,
            caller=request.caller,
            request=request,
            reply=reply,
        )
        match result:
            case Appended():
                state = known.state
                for event in events:
                    state = self._evolution.evolve(state, event)
                return Accepted(state, stamped, False, stream_id, stamped[-1].version)
            case Repeated():
                return await self._repeat(stream_id, result)
            case RequestReused() | Conflict():
                return result

    async def _repeat(self, stream_id: UUID, found: Repeated) -> Accepted[S, E]:
        """Return what was accepted then; refolded, since the stream may have gone on."""
        if found.stream_id is None:
            known = await self._catch_up(stream_id, self._states.get(stream_id))
            return Accepted(known.state, (), True, stream_id, known.version, found.reply)
        last = found.first_version + found.event_count - 1
        recorded = (await self._store.load(found.stream_id))[:last]
        assert len(recorded) == last, f"{found.stream_id} is shorter than {last}"
        state = self._evolution.initial()
        stamped = []
        async for each in self._in_turns(recorded):
            state = self._evolution.evolve(state, each.event)
            stamped.append(each)
        events = tuple(stamped[found.first_version - 1 :])
        return Accepted(state, events, True, found.stream_id, last, found.reply)

    async def _catch_up(self, stream_id: UUID, known: Known[S] | None) -> Known[S]:
        """Return the present state, from a remembered one or from the beginning."""
        state, version, occurred_at = self._evolution.initial(), 0, None
        if known is not None:
            state, version, occurred_at = known.state, known.version, known.occurred_at
        async for each in self._in_turns(await self._store.load(stream_id, after_version=version)):
            assert each.version == version + 1, f"{stream_id}/{each.version} follows on version {version}"
            state = self._evolution.evolve(state, each.event)
            version, occurred_at = each.version, each.occurred_at
        present = Known(state, version, occurred_at)
        self._states.remember(stream_id, present)
        return present

    async def _in_turns(self, recorded: Sequence[RecordedEvent]) -> AsyncIterator[Stamped[E]]:
        """Decode one by one; others get their turn on the loop while a long history is folded."""
        for number, event in enumerate(recorded, 1):
            if number % EVENTS_PER_TURN == 0:
                await asyncio.sleep(0)
            yield self._stamp(event)

    def _remember(self, result: Accepted[S, E] | RequestReused) -> None:
        if isinstance(result, Accepted) and result.events:
            known = Known(result.state, result.version, result.events[-1].occurred_at)
            self._states.remember(result.stream_id, known)

    def _encode(self, stamped: Stamped[E]) -> NewEvent:
        part, type_, schema_version, data = self._codec.encode(stamped.event)
        return NewEvent(part, type_, schema_version, stamped.occurred_at, data)

    def _stamp(self, recorded: RecordedEvent) -> Stamped[E]:
        return Stamped(self._codec.decode(recorded), recorded.version, recorded.occurred_at)


def _events(outcome: object) -> Sequence[Any]:
    """Return the decided events. A refusal may be a text, a sequence too: only lists and tuples count."""
    return outcome if isinstance(outcome, list | tuple) else ()


def _unchanged(stream_id: UUID, known: Known[S], outcome: Sequence[E] | R) -> Accepted[S, E] | R:
    """Return the refusal, or the acceptance of a command that decided nothing."""
    if isinstance(outcome, list | tuple):
        return Accepted(known.state, (), False, stream_id, known.version)
    return cast("R", outcome)


def _stamps(known: Known[S], events: Sequence[E], now: datetime) -> tuple[Stamped[E], ...]:
    """Return the events with versions and instants: their own deadline's or `now`, never going back."""
    stamped: list[Stamped[E]] = []
    last = known.occurred_at
    for version, event in enumerate(events, known.version + 1):
        own: datetime | None = getattr(event, "occurred_at", None)
        at = own or now
        last = at if last is None else max(at, last)
        stamped.append(Stamped(event, version, last))
    return tuple(stamped)
