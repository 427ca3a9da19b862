"""The bus on NATS with JetStream. The connection is made and restored for ever in the background."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from weakref import WeakSet

import structlog
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import (
    AckPolicy,
    ConsumerConfig,
    DeliverPolicy,
    DiscardPolicy,
    Header,
    RetentionPolicy,
    StorageType,
    StreamConfig,
    StreamInfo,
)
from nats.js.errors import NotFoundError

from libs.bus.nats_acks import Acks
from libs.bus.nats_pull import NatsPull
from libs.bus.port import (
    BusUnavailable,
    Handler,
    Message,
    Published,
    StreamMissing,
    StreamSettings,
    StreamState,
)

log = structlog.get_logger(__name__)

_API_TIMEOUT_S = 2.0
_PUBLISH_TIMEOUT_S = 2.0
_RECONNECT_S = 0.25
_ACK_PENDING_MAX = 5_000  # far above a batch: one acknowledgement covers all before it, so nobody starves


class NatsSubscription:
    """A wish to hear a subject; granted again by every new connection."""

    def __init__(self, subject: str, handler: Handler) -> None:
        """Remember the wish."""
        self.subject = subject
        self._handler = handler
        self._inner: Subscription | None = None
        self.ended = False

    async def grant(self, client: Client) -> None:
        """Subscribe on a connection."""
        self._inner = await client.subscribe(self.subject, cb=self._call)

    async def _call(self, message: Msg) -> None:
        if self.ended:
            return
        try:
            await self._handler(Message(message.subject, message.data, message.headers or {}))
        except Exception:
            log.exception("bus.handler_failed", subject=message.subject)

    async def unsubscribe(self) -> None:
        """As the port says."""
        self.ended = True
        if self._inner is None:
            return
        try:
            await self._inner.unsubscribe()
        except NatsError as error:
            log.debug("bus.unsubscribe_failed", error=str(error))


class NatsBus:
    """The adapter. Make one with `connect`."""

    def __init__(self, url: str, name: str) -> None:
        """Remember where to connect; `connect` does it."""
        self._url, self._name = url, name
        self.connection = 0
        self._closing = False
        self._troubled = False  # an outage is told once
        self._subscriptions: list[NatsSubscription] = []
        self._pulls: WeakSet[NatsPull] = WeakSet()
        self._begin()

    @classmethod
    async def connect(cls, url: str, *, name: str = "sparrow", first_wait_s: float = 5.0) -> NatsBus:
        """Return a bus that connects to `url` (`nats://user:password@host:port`) for as long as it lives.

        Waits a moment for the first connection, and returns without it rather than failing.
        """
        bus = cls(url, name)
        await asyncio.wait([bus._connecting], timeout=first_wait_s)
        return bus

    def _begin(self) -> None:
        self._client = Client()
        self._js = JetStreamContext(self._client, timeout=_API_TIMEOUT_S)
        self._acks = Acks(self._client)
        self._ready = False
        self._connecting = asyncio.get_running_loop().create_task(self._connect(self._client, self._acks))

    async def _connect(self, client: Client, acks: Acks) -> None:
        await client.connect(
            self._url,
            name=self._name,
            max_reconnect_attempts=-1,
            reconnect_time_wait=_RECONNECT_S,  # type: ignore[arg-type] # seconds, and fractions work
            connect_timeout=2,
            ping_interval=5,
            max_outstanding_pings=2,
            error_cb=self._on_error,
            disconnected_cb=self._on_disconnected,
            reconnected_cb=self._on_reconnected,
            closed_cb=self._on_closed,
        )
        self.connection += 1
        await acks.start()
        self._ready = True
        for subscription in list(self._subscriptions):
            if not subscription.ended:
                await subscription.grant(client)
        self._tell_restored()

    async def _on_error(self, error: Exception) -> None:
        if not self._troubled and not self._closing:
            self._troubled = True
            log.warning("bus.trouble", error=str(error) or type(error).__name__)

    async def _on_disconnected(self) -> None:
        self._acks.fail_all()
        for pull in self._pulls:
            pull.connection_changed()
        if not self._closing and not self._troubled:
            self._troubled = True
            log.warning("bus.disconnected")

    async def _on_reconnected(self) -> None:
        self.connection += 1
        for pull in self._pulls:
            pull.connection_changed()
        self._tell_restored()

    def _tell_restored(self) -> None:
        if self._troubled:
            self._troubled = False
            log.info("bus.connected")

    async def _on_closed(self) -> None:
        """Begin anew when the library gave up by itself, for instance because a password was refused."""
        self._acks.fail_all()
        if self._closing or not self._ready:
            return
        log.warning("bus.closed_by_server")
        await asyncio.sleep(_RECONNECT_S)
        if not self._closing:
            self._begin()

    @property
    def connected(self) -> bool:
        """As the port says."""
        return self._ready and self._client.is_connected

    @asynccontextmanager
    async def _asking(self) -> AsyncIterator[None]:
        """Turn what the world got wrong into the port's one error."""
        if not self.connected:
            raise BusUnavailable("there is no connection")
        try:
            yield
        except BusUnavailable:
            raise
        except (NatsError, TimeoutError, OSError) as error:
            raise BusUnavailable(str(error) or type(error).__name__) from error

    async def ensure_stream(self, settings: StreamSettings) -> StreamState:
        """As the port says."""
        async with self._asking():
            try:
                info, created = await self._js.stream_info(settings.name), False
            except NotFoundError:
                info, created = await self._js.add_stream(_stream_config(settings)), True
                log.info("bus.stream_created", stream=settings.name)
            return StreamState(info.state.last_seq, created)

    async def remove_stream(self, stream: str) -> None:
        """As the port says."""
        async with self._asking():
            try:
                await self._js.delete_stream(stream)
            except NotFoundError:
                log.debug("bus.stream_already_gone", stream=stream)

    async def stream_info(self, stream: str) -> StreamInfo:
        """Return what the server says of a stream (for the doctor and for tests). Raises StreamMissing."""
        async with self._asking():
            try:
                return await self._js.stream_info(stream)
            except NotFoundError:
                raise StreamMissing(stream) from None

    async def last_message(self, stream: str) -> Message | None:
        """As the port says."""
        info = await self.stream_info(stream)
        if info.state.messages == 0:
            return None
        async with self._asking():
            raw = await self._js.get_msg(stream, info.state.last_seq)
        return Message(raw.subject or "", raw.data or b"", raw.headers or {})

    async def publish(
        self, subject: str, data: bytes, headers: Mapping[str, str], message_id: str
    ) -> Published:
        """As the port says."""
        if not self.connected:
            raise BusUnavailable("there is no connection")
        try:
            return await self._acks.publish(
                subject, data, {**headers, Header.MSG_ID.value: message_id}, _PUBLISH_TIMEOUT_S
            )
        except NatsError as error:
            raise BusUnavailable(str(error)) from error

    async def pull(
        self, stream: str, durable: str, *, ack_wait_s: float = 30.0, fresh: bool = False
    ) -> NatsPull:
        """As the port says."""
        async with self._asking():
            await self._ensure_durable(stream, durable, ack_wait_s, fresh)
            pull = NatsPull(self._client, stream, durable)
            await pull.start()
        self._pulls.add(pull)
        return pull

    async def _ensure_durable(self, stream: str, durable: str, ack_wait_s: float, fresh: bool) -> None:
        try:
            await self._js.stream_info(stream)
        except NotFoundError:
            raise StreamMissing(stream) from None
        try:
            await self._js.consumer_info(stream, durable)
            if not fresh:
                return
            await self._js.delete_consumer(stream, durable)
        except NotFoundError:
            log.info("bus.consumer_created", stream=stream, consumer=durable)
        await self._js.add_consumer(stream, _consumer_config(durable, ack_wait_s))

    async def send(self, subject: str, data: bytes) -> None:
        """As the port says."""
        if not self.connected:
            return  # what is told later is told too late
        try:
            await self._client.publish(subject, data)
        except NatsError as error:
            log.debug("bus.send_lost", subject=subject, error=str(error))

    async def subscribe(self, subject: str, handler: Handler) -> NatsSubscription:
        """As the port says."""
        subscription = NatsSubscription(subject, handler)
        self._subscriptions = [known for known in self._subscriptions if not known.ended]
        self._subscriptions.append(subscription)
        if self._ready and not self._client.is_closed:
            async with self._asking_while_away():
                await subscription.grant(self._client)
        return subscription

    @asynccontextmanager
    async def _asking_while_away(self) -> AsyncIterator[None]:
        """Let a wish stand that a dying connection could not take: the next one grants it."""
        try:
            yield
        except (NatsError, OSError) as error:
            log.debug("bus.subscribe_postponed", error=str(error))

    async def close(self) -> None:
        """As the port says."""
        self._closing = True
        self._connecting.cancel()
        await asyncio.gather(self._connecting, return_exceptions=True)
        await self._client.close()


def _stream_config(settings: StreamSettings) -> StreamConfig:
    return StreamConfig(
        name=settings.name,
        subjects=list(settings.subjects),
        retention=RetentionPolicy.LIMITS,
        discard=DiscardPolicy.OLD,
        storage=StorageType.FILE,
        max_age=settings.max_age_s,
        max_bytes=settings.max_bytes,
        duplicate_window=settings.duplicate_window_s,
        num_replicas=settings.replicas,
        deny_delete=True,
        deny_purge=True,
    )


def _consumer_config(durable: str, ack_wait_s: float) -> ConsumerConfig:
    return ConsumerConfig(
        durable_name=durable,
        # What is older than the consumer is read from the owner's feed; the stream may be long.
        deliver_policy=DeliverPolicy.NEW,
        ack_policy=AckPolicy.ALL,
        ack_wait=ack_wait_s,
        max_deliver=-1,
        max_ack_pending=_ACK_PENDING_MAX,
    )
