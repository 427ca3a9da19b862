"""The memory twin of the bus: one process, one loop, nothing is kept. For tests.

`down`, `wipe` and `forget_ids` do to it what faults do to a server.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

import structlog

from libs.bus.port import (
    BusUnavailable,
    Delivery,
    Handler,
    Message,
    Published,
    PullLost,
    StreamMissing,
    StreamSettings,
    StreamState,
)

log = structlog.get_logger(__name__)


def subject_matches(pattern: str, subject: str) -> bool:
    """Whether a subject falls under a pattern: `*` stands for one token, a final `>` for one or more."""
    wanted, given = pattern.split("."), subject.split(".")
    for place, want in enumerate(wanted):
        if want == ">":
            return len(given) > place
        if place >= len(given) or want not in ("*", given[place]):
            return False
    return len(wanted) == len(given)


@dataclass
class _Durable:
    """A durable consumer: where it stands, and what is out with when it comes again."""

    ack_wait_s: float
    delivered: int
    out: dict[int, tuple[float, int]] = field(default_factory=dict)  # sequence -> (due, attempt)
    gone: bool = False


@dataclass
class _Stream:
    settings: StreamSettings
    messages: list[Message] = field(default_factory=list)
    ids: dict[str, int] = field(default_factory=dict)
    durables: dict[str, _Durable] = field(default_factory=dict)


class MemorySubscription:
    """A queue and the task that empties it into a handler."""

    def __init__(self, pattern: str, handler: Handler) -> None:
        """Start listening."""
        self.pattern = pattern
        self.queue: asyncio.Queue[Message] = asyncio.Queue()
        self.ended = False
        self._task = asyncio.get_running_loop().create_task(self._run(handler))

    async def _run(self, handler: Handler) -> None:
        while True:
            message = await self.queue.get()
            try:
                await handler(message)
            except Exception:
                log.exception("bus.handler_failed", subject=message.subject)

    async def unsubscribe(self) -> None:
        """End it."""
        self.ended = True
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


class MemoryPull:
    """The hand of a durable consumer of the twin."""

    def __init__(self, bus: MemoryBus, stream: _Stream, durable: _Durable) -> None:
        """Bind to a durable consumer."""
        self._bus, self._stream, self._durable = bus, stream, durable

    async def fetch(self, batch: int, wait_s: float) -> list[Delivery]:
        """As the port says."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + wait_s
        while True:
            self._bus.check_up()
            if self._durable.gone:
                raise PullLost("the durable consumer is gone")
            if found := self._take(batch, loop.time()):
                return found
            due = min([deadline, *(due for due, _ in self._durable.out.values())])
            if loop.time() >= deadline:
                return []
            await self._bus.wait_for_change(due - loop.time())

    def _take(self, batch: int, now: float) -> list[Delivery]:
        durable = self._durable
        again = sorted(sequence for sequence, (due, _) in durable.out.items() if due <= now)
        new = range(durable.delivered + 1, len(self._stream.messages) + 1)
        taken = [*again, *new][:batch]
        deliveries = []
        for sequence in taken:
            attempt = durable.out.get(sequence, (0.0, 0))[1] + 1
            durable.out[sequence] = (now + durable.ack_wait_s, attempt)
            durable.delivered = max(durable.delivered, sequence)
            message = self._stream.messages[sequence - 1]
            deliveries.append(Delivery(message, sequence, attempt, reply=""))
        return deliveries

    async def ack(self, delivery: Delivery) -> None:
        """As the port says."""
        if self._bus.connected:
            for sequence in [known for known in self._durable.out if known <= delivery.sequence]:
                del self._durable.out[sequence]

    async def close(self) -> None:
        """Nothing is held."""


class MemoryBus:
    """The twin."""

    def __init__(self) -> None:
        """Begin empty and connected."""
        self._streams: dict[str, _Stream] = {}
        self._subscriptions: list[MemorySubscription] = []
        self._changed = asyncio.Event()
        self._down = False
        self.connection = 1

    @property
    def connected(self) -> bool:
        """As the port says."""
        return not self._down

    @property
    def down(self) -> bool:
        """Whether the connection is cut."""
        return self._down

    @down.setter
    def down(self, value: bool) -> None:
        self.connection += self._down and not value
        self._down = value
        self._wake()

    def wipe(self) -> None:
        """Lose every stream and durable consumer, as when the server's folder is deleted."""
        for stream in self._streams.values():
            for durable in stream.durables.values():
                durable.gone = True
        self._streams.clear()
        self._wake()

    def forget_ids(self) -> None:
        """Let the duplicate windows pass."""
        for stream in self._streams.values():
            stream.ids.clear()

    def check_up(self) -> None:
        """Raise BusUnavailable while the connection is cut."""
        if self._down:
            raise BusUnavailable("the connection is cut")

    async def wait_for_change(self, timeout_s: float) -> None:
        """Wait until something was published or cut, at most `timeout_s`."""
        try:
            await asyncio.wait_for(self._changed.wait(), max(timeout_s, 0.0))
        except TimeoutError:
            return

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def ensure_stream(self, settings: StreamSettings) -> StreamState:
        """As the port says."""
        self.check_up()
        created = settings.name not in self._streams
        stream = self._streams.setdefault(settings.name, _Stream(settings))
        return StreamState(len(stream.messages), created)

    async def remove_stream(self, stream: str) -> None:
        """As the port says."""
        self.check_up()
        removed = self._streams.pop(stream, None)
        for durable in removed.durables.values() if removed else ():
            durable.gone = True
        self._wake()

    async def last_message(self, stream: str) -> Message | None:
        """As the port says."""
        self.check_up()
        if stream not in self._streams:
            raise StreamMissing(stream)
        messages = self._streams[stream].messages
        return messages[-1] if messages else None

    async def publish(
        self, subject: str, data: bytes, headers: Mapping[str, str], message_id: str
    ) -> Published:
        """As the port says."""
        self.check_up()
        stream = self._stream_of(subject)
        known = stream.ids.get(message_id)
        if known is not None:
            return Published(known, duplicate=True)
        stream.messages.append(Message(subject, data, dict(headers)))
        stream.ids[message_id] = len(stream.messages)
        self._wake()
        return Published(len(stream.messages), duplicate=False)

    def _stream_of(self, subject: str) -> _Stream:
        for stream in self._streams.values():
            if any(subject_matches(pattern, subject) for pattern in stream.settings.subjects):
                return stream
        raise StreamMissing(subject)

    async def pull(
        self, stream: str, durable: str, *, ack_wait_s: float = 30.0, fresh: bool = False
    ) -> MemoryPull:
        """As the port says."""
        self.check_up()
        if stream not in self._streams:
            raise StreamMissing(stream)
        home = self._streams[stream]
        if fresh and durable in home.durables:
            home.durables.pop(durable).gone = True
        known = home.durables.setdefault(durable, _Durable(ack_wait_s, delivered=len(home.messages)))
        return MemoryPull(self, home, known)

    async def send(self, subject: str, data: bytes) -> None:
        """As the port says."""
        if self._down:
            return
        for subscription in self._subscriptions:
            if not subscription.ended and subject_matches(subscription.pattern, subject):
                subscription.queue.put_nowait(Message(subject, data, {}))

    async def subscribe(self, subject: str, handler: Handler) -> MemorySubscription:
        """As the port says."""
        self._subscriptions = [known for known in self._subscriptions if not known.ended]
        subscription = MemorySubscription(subject, handler)
        self._subscriptions.append(subscription)
        return subscription

    async def close(self) -> None:
        """As the port says."""
        self.down = True
        for subscription in self._subscriptions:
            await subscription.unsubscribe()
