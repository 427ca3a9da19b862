"""The port to the bus. Adapters: `memory` (a twin for tests) and `nats`; one contract suite holds both.

The bus is transport, never truth: whatever it loses, doubles or disorders can be read again from the feeds.
So every error of the world here is one error, `BusUnavailable`, and the answer to it is to wait and go on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol


class BusUnavailable(Exception):
    """The bus did not do it, or perhaps it did and could not say so. Try again later."""


class StreamMissing(BusUnavailable):
    """No stream keeps this subject: it was never made, or it was wiped."""


class PullLost(BusUnavailable):
    """The durable consumer behind a pull is gone; pull anew."""


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """What a stream is made with. Nobody may delete or purge single messages of it."""

    name: str
    subjects: tuple[str, ...]
    duplicate_window_s: float = 120.0  # a repeated message id within it is stored once
    max_age_s: float = 7 * 86_400.0  # older messages are discarded
    max_bytes: int = 1 << 30  # beyond it the oldest messages are discarded
    replicas: int = 1


@dataclass(frozen=True, slots=True)
class StreamState:
    """The end of a stream: the sequence of its last message, 0 when it never held one."""

    last_sequence: int
    created: bool  # by this very call


@dataclass(frozen=True, slots=True)
class Message:
    """What is carried."""

    subject: str
    data: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Published:
    """The acknowledgement of a stream. A duplicate was dropped, because its id was stored before."""

    sequence: int
    duplicate: bool


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message handed to a durable consumer, to be acknowledged."""

    message: Message
    sequence: int  # in the stream, not in a feed
    attempt: int  # 1 at first; more when it was not acknowledged in time
    reply: str  # where the acknowledgement goes


Handler = Callable[[Message], Awaitable[None]]


class Subscription(Protocol):
    """A subscription on the bus without memory."""

    async def unsubscribe(self) -> None:
        """End it. Never raises."""
        ...


class Pull(Protocol):
    """The hand of one durable consumer in one stream. One reader at a time."""

    async def fetch(self, batch: int, wait_s: float) -> list[Delivery]:
        """Return what is there, at most `batch`; wait up to `wait_s` for the first, then return nothing.

        Nothing is an ordinary answer. Raises PullLost when the consumer or its stream is gone,
        BusUnavailable while there is no connection.
        """
        ...

    async def ack(self, delivery: Delivery) -> None:
        """Acknowledge this delivery and all before it. If it gets lost they come again. Never raises."""
        ...

    async def close(self) -> None:
        """Stop receiving; the durable consumer stays. Never raises."""
        ...


class Bus(Protocol):
    """Streams that remember, and subjects that do not."""

    @property
    def connected(self) -> bool:
        """Whether there is a connection now. It is restored for ever, without being asked."""
        ...

    @property
    def connection(self) -> int:
        """The number of the present or last connection: behind the next one may be another server."""
        ...

    async def ensure_stream(self, settings: StreamSettings) -> StreamState:
        """Make the stream if it is missing, and tell where it ends. An existing one is left as it is."""
        ...

    async def remove_stream(self, stream: str) -> None:
        """Delete a stream with its messages and durable consumers; one that is missing is no error."""
        ...

    async def last_message(self, stream: str) -> Message | None:
        """Return the newest message of a stream; None when it holds none."""
        ...

    async def publish(
        self, subject: str, data: bytes, headers: Mapping[str, str], message_id: str
    ) -> Published:
        """Store a message and wait for the acknowledgement. Many calls may wait at once (pipelining).

        Messages are stored in the order of the calls as long as all succeed. BusUnavailable means "perhaps":
        publish again under the same id.
        """
        ...

    async def pull(self, stream: str, durable: str, *, ack_wait_s: float = 30.0, fresh: bool = False) -> Pull:
        """Return the hand of a durable consumer, made if it is missing; `fresh` makes it anew in any case.

        A new consumer gets what is published from now on; an old one also what it has not acknowledged, again
        after `ack_wait_s`, without a limit on attempts.
        """
        ...

    async def send(self, subject: str, data: bytes) -> None:
        """Tell whoever listens now. Nobody may hear it. Never raises for want of a connection."""
        ...

    async def subscribe(self, subject: str, handler: Handler) -> Subscription:
        """Call `handler` for each message sent to a subject (`*` and `>` as in NATS), one at a time.

        Works without a connection: it takes effect once there is one. An error of the handler is logged.
        """
        ...

    async def close(self) -> None:
        """Let go of the connection and end all subscriptions."""
        ...
