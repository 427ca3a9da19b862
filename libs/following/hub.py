"""Following games: one topic per watched stream and process, however many watch it.

A topic moves on by what this process commits itself, by `sparrow.live.<stream>` on the bus, and by one query
a second over all topics; where a version is not the next one, the events between are read. So every watcher
gets every command once, in order, whatever the bus loses.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Final, Generic, TypeVar
from uuid import UUID

import structlog

from libs.bus.port import Bus, Message
from libs.bus.topology import seat_subject
from libs.eventsourcing.envelope import RecordedEvent
from libs.eventsourcing.following import Change, End, Heartbeat, Kind, Seen, Snapshot
from libs.eventstore.port import EventStore, StoreUnavailable
from libs.eventstore.repository import Codec
from libs.eventstore.wake import read_live
from libs.following.inbox import RETRY_AFTER_MS
from libs.following.seats import read_seat, seat_message
from libs.following.topic import Topic, Watcher
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused

HEARTBEAT_S: Final = 15.0
LOOK_EVERY_S: Final = 1.0
CHANGES_PER_TURN: Final = 20

S = TypeVar("S")
E = TypeVar("E")

log = structlog.get_logger(__name__)


class WatchHub(Generic[S, E]):
    """All watchers of one kind of game in one process."""

    def __init__(
        self,
        kind: Kind[S, E],
        codec: Codec[E],
        store: EventStore,
        bus: Bus,
        clock: Clock,
        *,
        heartbeat_s: float = HEARTBEAT_S,
    ) -> None:
        """Read from the store; the bus only makes it faster."""
        self._store = store
        self._bus = bus
        self._clock = clock
        self._heartbeat_s = heartbeat_s
        self._kind = kind
        self._codec = codec
        self._topics: dict[UUID, Topic[S, E]] = {}
        self._draining = False

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop` is set: listen to other processes, and look once a second at all watched games."""
        subscriptions = [
            await self._bus.subscribe("sparrow.live.*", self._on_live),
            await self._bus.subscribe("sparrow.seat.*", self._on_seat),
        ]
        try:
            while not stop.is_set():
                try:
                    await self.look()
                except StoreUnavailable as error:
                    log.warning("watch.look_failed", error=str(error))
                with suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), LOOK_EVERY_S)
        finally:
            for subscription in subscriptions:
                await subscription.unsubscribe()

    async def look(self) -> None:
        """Ask which watched games have moved: hints may get lost. One query, however many are watched."""
        if self._topics:
            for stream_id, version in (await self._store.heads(list(self._topics))).items():
                self._news(stream_id, version)

    async def drain(self) -> None:
        """End every stream with the reason DRAINING, and open none."""
        self._draining = True
        for topic in self._topics.values():
            topic.end("DRAINING")

    @property
    def topic_count(self) -> int:
        """How many games are watched."""
        return len(self._topics)

    async def follow(
        self,
        stream_id: UUID,
        account_id: UUID,
        session_id: UUID,
        after_version: int | None,
        opened_at: datetime | None = None,
    ) -> AsyncGenerator[Seen[S, E], None]:
        """A snapshot, or what came after a version; then every change once, in order; then the End.

        Other sessions' streams of the account on this game end with SEAT_TAKEN_OVER; a reader who followed
        another stream of the same match before names the instant since when, and does not end later ones.
        Raises Refused DRAINING, SLOW_READER, RESUME_TOKEN_INVALID for a version that lies ahead of the game.
        """
        self._check_open()
        topic = self._topics.setdefault(stream_id, Topic(stream_id, self._kind))
        watcher: Watcher[S, E] | None = None
        topic.followers += 1
        try:
            await self._catch_up(topic)
            self._check_open()  # a drain meanwhile has told only those who watched
            watcher = Watcher(account_id, session_id, opened_at or self._clock.now())
            if topic.is_taken_from(watcher):
                yield End(topic.version, "SEAT_TAKEN_OVER")
                return
            topic.take_over(account_id, session_id, watcher.opened_at)
            topic.watchers.add(watcher)
            begin_at, state = topic.version, topic.state  # no wait since: whatever comes later is queued
            await self._bus.send(
                seat_subject(stream_id), seat_message(account_id, session_id, watcher.opened_at)
            )
            async for before in self._before(stream_id, after_version, begin_at, state):
                yield before
            if self._kind.is_over(state):
                yield End(begin_at, "MATCH_ENDED")
                return
            async for seen in self._live(watcher, begin_at):
                yield seen
        finally:
            if watcher is not None:
                topic.watchers.discard(watcher)
            topic.followers -= 1
            if not topic.followers:
                self._topics.pop(stream_id, None)

    def _check_open(self) -> None:
        """Raise Refused DRAINING when no stream may begin; nothing was sent that an End could follow."""
        if self._draining:
            raise Refused("DRAINING", "this server is stopping", retry_after_ms=RETRY_AFTER_MS)

    async def _before(
        self, stream_id: UUID, after_version: int | None, version: int, state: S
    ) -> AsyncIterator[Snapshot[S] | Change[S, E]]:
        """What brings the reader to `version`: the snapshot there, or the changes since its own version."""
        assert version, "only games that exist are followed"
        if after_version is None:
            yield Snapshot(version, state)
        elif after_version > version:
            raise Refused("RESUME_TOKEN_INVALID", "the match has not come that far")
        elif after_version < version:
            changes = self._changes(self._kind.initial(), await self._store.load(stream_id))
            async for change in _in_turns(changes):
                if after_version < change.version <= version:
                    yield change

    async def _live(
        self, watcher: Watcher[S, E], version: int
    ) -> AsyncIterator[Change[S, E] | Heartbeat | End]:
        while True:
            item = await watcher.get(self._heartbeat_s)
            if item is None:
                yield Heartbeat(version)
                continue
            version = item.version
            yield item
            if isinstance(item, End):
                return

    def offer(self, stream_id: UUID, change: Change[S, E]) -> None:
        """Hand over what this process has just committed; costs next to nothing when nobody watches."""
        topic = self._topics.get(stream_id)
        if topic is None or change.version <= topic.version:
            return
        if topic.version == change.version - len(change.events) and not topic.reading.locked():
            topic.move(change)
        else:
            self._read_on(topic)

    async def _on_live(self, message: Message) -> None:
        stream_id, version = _last_token(message.subject), read_live(message.data)
        if stream_id is not None and version is not None:
            self._news(stream_id, version)

    async def _on_seat(self, message: Message) -> None:
        stream_id, taken = _last_token(message.subject), read_seat(message.data)
        topic = self._topics.get(stream_id) if stream_id is not None else None
        if topic is not None and taken is not None:
            topic.take_over(*taken)

    def _news(self, stream_id: UUID, version: int) -> None:
        topic = self._topics.get(stream_id)
        if topic is not None and version > topic.version:
            self._read_on(topic)

    def _read_on(self, topic: Topic[S, E]) -> None:
        """Catch up soon."""
        if len(topic.waiting) < 2:  # one that reads, and one that reads what came meanwhile
            task = asyncio.create_task(self._catch_up_soon(topic))
            topic.waiting.add(task)
            task.add_done_callback(topic.waiting.discard)

    async def _catch_up_soon(self, topic: Topic[S, E]) -> None:
        try:
            await self._catch_up(topic)
        except Exception as error:  # noqa: BLE001 whatever it is, the next look reads again
            log.warning("watch.read_failed", error=f"{type(error).__name__}: {error}")

    async def _catch_up(self, topic: Topic[S, E]) -> None:
        """Read what the topic has not seen yet and hand it on."""
        async with topic.reading:
            recorded = await self._store.load(topic.stream_id, after_version=topic.version)
            async for change in _in_turns(self._changes(topic.state, recorded)):
                topic.move(change)

    def _changes(self, state: S, recorded: Sequence[RecordedEvent]) -> Iterator[Change[S, E]]:
        """The commands that the events came from, each with the state after it."""
        start = 0
        while start < len(recorded):
            command = recorded[start : start + max(1, recorded[start].request_events)]
            start += len(command)
            decoded = tuple(self._codec.decode(event) for event in command)
            for event in decoded:
                state = self._kind.evolve(state, event)
            yield Change(command[-1].version, decoded, state)


async def _in_turns(changes: Iterator[Change[S, E]]) -> AsyncIterator[Change[S, E]]:
    """The same changes; others get their turn on the loop while a long history is folded."""
    for number, change in enumerate(changes, 1):
        if number % CHANGES_PER_TURN == 0:
            await asyncio.sleep(0)
        yield change


def _last_token(subject: str) -> UUID | None:
    try:
        return UUID(subject.rpartition(".")[2])
    except ValueError:
        return None
