"""All spectators of one process: one topic per watched stream, however many watch it.

Topics look at the log a few times a second, all by one query, and show each command once its delay has
passed. Nothing here is asked by, told to or waited for by those who play.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Generic, TypeAlias, TypeVar
from uuid import UUID

import structlog

from libs.eventsourcing.following import End, Heartbeat
from libs.eventstore.port import EventStore, StoreUnavailable
from libs.following.inbox import RETRY_AFTER_MS
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused
from libs.spectating.game import Game
from libs.spectating.topic import Shown, Spectator, Topic, commands_in

M = TypeVar("M")
U = TypeVar("U")

HEARTBEAT_S: Final = 15.0
LOOK_EVERY_S: Final = 0.25
COMMANDS_PER_TURN: Final = 20

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Snapshot(Generic[M]):
    """A stream as it is shown at a version."""

    version: int
    match: M


Seen: TypeAlias = Snapshot[M] | Shown[U] | Heartbeat | End


class SpectateHub(Generic[M, U]):
    """The watched streams of one process, each folded once."""

    def __init__(
        self, store: EventStore, clock: Clock, delay: timedelta, *, heartbeat_s: float = HEARTBEAT_S
    ) -> None:
        """Show facts so long after they were known."""
        self._store = store
        self._clock = clock
        self._delay = delay
        self._heartbeat_s = heartbeat_s
        self._topics: dict[UUID, Topic[Any, Any, M, U]] = {}
        self._draining = False

    @property
    def topic_count(self) -> int:
        """How many streams are watched."""
        return len(self._topics)

    def elapsed_ms(self, stream_id: UUID, at: datetime) -> int:
        """What the clock of a watched stream shows at an instant, by what is shown of it."""
        topic = self._topics.get(stream_id)
        return 0 if topic is None else topic.game.elapsed_ms(topic.state, at)

    async def run(self, stop: asyncio.Event) -> None:
        """Look and show until `stop` is set."""
        while not stop.is_set():
            try:
                await self.look()
            except StoreUnavailable as error:
                log.warning("spectate.look_failed", error=str(error))
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), LOOK_EVERY_S)

    async def look(self) -> None:
        """Read what the watched streams have come to, and show what is due."""
        if not self._topics:
            return
        heads = await self._store.heads(list(self._topics))
        for stream_id, version in heads.items():
            topic = self._topics.get(stream_id)
            if topic is not None and version > topic.read_version:
                await self._read(topic)
        for topic in list(self._topics.values()):
            await self._show(topic)

    async def drain(self) -> None:
        """End every stream with the reason DRAINING, and open none."""
        self._draining = True
        for topic in self._topics.values():
            topic.end("DRAINING")

    async def follow(
        self,
        match_id: UUID,
        stream_id: UUID,
        game: Game[Any, Any, M, U],
        account_id: UUID,
        after_version: int | None,
    ) -> AsyncGenerator[Seen[M, U], None]:
        """A snapshot, or what was shown after a version; then every command once; then the End.

        Where nothing may be shown yet, a Heartbeat comes first. Raises Refused DRAINING, SLOW_READER,
        SPECTATOR_SEATED to an account with a seat, RESUME_TOKEN_INVALID for a version ahead of the stream.
        """
        self._check_open()
        topic: Topic[Any, Any, M, U] = self._topics.setdefault(
            stream_id, Topic(match_id, stream_id, game, self._delay)
        )
        spectator: Spectator[U] = Spectator(account_id)
        topic.followers += 1
        try:
            await self._read(topic)
            await self._show(topic)
            self._check_open()  # a drain meanwhile has told only those who watched
            if account_id in topic.seated:
                raise Refused("SPECTATOR_SEATED", "you have a seat in this match")
            if after_version is not None and after_version > topic.read_version:
                raise Refused("RESUME_TOKEN_INVALID", "the match has not come that far")
            topic.spectators.add(spectator)
            begin_at, is_over = topic.version, topic.is_over  # no wait since: what is shown later is queued
            if after_version and after_version < begin_at:
                async for shown in self._earlier(topic, after_version, begin_at):
                    yield shown
            elif not after_version and begin_at:
                yield Snapshot(begin_at, topic.snapshot())
            elif not after_version:
                yield Heartbeat(0)
            if is_over:
                yield End(begin_at, "MATCH_ENDED")
                return
            async for seen in self._live(topic, spectator, max(begin_at, after_version or 0)):
                yield seen
        finally:
            topic.spectators.discard(spectator)
            topic.followers -= 1
            if not topic.followers:
                self._topics.pop(stream_id, None)

    async def _live(
        self, topic: Topic[Any, Any, M, U], spectator: Spectator[U], version: int
    ) -> AsyncGenerator[Seen[M, U], None]:
        """What is shown from now on, after a version; the first that is shown at all is a Snapshot."""
        while True:
            item = await spectator.get(self._heartbeat_s)
            match item:
                case None:
                    yield Heartbeat(version)
                case End():
                    yield item
                    return
                case Shown(version=shown) if shown <= version:
                    pass  # seen before, where the delay was shorter
                case Shown() if not version:
                    version = topic.version
                    yield Snapshot(version, topic.snapshot())
                case Shown():
                    version = item.version
                    yield item

    async def _earlier(
        self, topic: Topic[Any, Any, M, U], after_version: int, version: int
    ) -> AsyncGenerator[Shown[U], None]:
        """What was shown between two versions; others get their turn while a long history is folded."""
        recorded = await self._store.load(topic.stream_id)
        for number, shown in enumerate(topic.earlier(recorded[:version], after_version), 1):
            if number % COMMANDS_PER_TURN == 0:
                await asyncio.sleep(0)
            yield shown

    async def _read(self, topic: Topic[Any, Any, M, U]) -> None:
        """Read what the topic has not read yet; others get their turn while it is decoded."""
        async with topic.reading:
            recorded = await self._store.load(topic.stream_id, after_version=topic.read_version)
            for number, command in enumerate(commands_in(recorded), 1):
                topic.take(command)
                if number % COMMANDS_PER_TURN == 0:
                    await asyncio.sleep(0)

    async def _show(self, topic: Topic[Any, Any, M, U]) -> None:
        """Show what is due; others get their turn meanwhile."""
        is_more_due = True
        while is_more_due:
            is_more_due = topic.show(self._clock.now(), COMMANDS_PER_TURN)
            await asyncio.sleep(0)

    def _check_open(self) -> None:
        """Raise Refused DRAINING when no stream may begin; nothing was sent that an End could follow."""
        if self._draining:
            raise Refused("DRAINING", "this server is stopping", retry_after_ms=RETRY_AFTER_MS)
