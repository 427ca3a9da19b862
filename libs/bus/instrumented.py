"""A bus that is watched: messages of traced events carry the span that published them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from libs.bus.envelope import TRACEPARENT
from libs.bus.port import Bus, Handler, Message, Published, Pull, StreamSettings, StreamState, Subscription
from libs.telemetry.telemetry import Telemetry
from libs.telemetry.traceparent import TRACEPARENT as RUNNING

if TYPE_CHECKING:
    from libs.telemetry.traces import Tracer


def watched(bus: Bus, telemetry: Telemetry) -> Bus:
    """Return the bus, watched where somebody looks, else the very same."""
    telemetry.meter.read(
        "sparrow_bus_connected",
        "1 while there is a connection to NATS.",
        lambda: [({}, float(bus.connected))],
    )
    return bus if telemetry.tracer is None else TracedBus(bus, telemetry.tracer)


class TracedBus:
    """Spans what is published of traced events; hands everything else on."""

    def __init__(self, inner: Bus, tracer: Tracer) -> None:
        """Watch `inner`."""
        self._inner = inner
        self._tracer = tracer

    @property
    def connected(self) -> bool:
        """As the port says."""
        return self._inner.connected

    @property
    def connection(self) -> int:
        """As the port says."""
        return self._inner.connection

    async def ensure_stream(self, settings: StreamSettings) -> StreamState:
        """As the port says."""
        return await self._inner.ensure_stream(settings)

    async def remove_stream(self, stream: str) -> None:
        """As the port says."""
        await self._inner.remove_stream(stream)

    async def last_message(self, stream: str) -> Message | None:
        """As the port says."""
        return await self._inner.last_message(stream)

    async def publish(
        self, subject: str, data: bytes, headers: Mapping[str, str], message_id: str
    ) -> Published:
        """As the port says; the message names the span of its publishing, which is below the event's own."""
        from opentelemetry.trace import SpanKind

        parent = headers.get(TRACEPARENT)
        if parent is None:
            return await self._inner.publish(subject, data, headers, message_id)
        # The subject without the ids: `sparrow.evt.<service>.<part>`.
        destination = ".".join(subject.split(".")[:4])
        attributes: dict[str, str | int] = {
            "messaging.system": "nats",
            "messaging.operation.type": "send",
            "messaging.destination.name": destination,
        }
        with self._tracer.span(f"publish {destination}", SpanKind.PRODUCER, attributes, parent=parent):
            carried = {**headers, TRACEPARENT: RUNNING.get() or parent}
            return await self._inner.publish(subject, data, carried, message_id)

    async def pull(self, stream: str, durable: str, *, ack_wait_s: float = 30.0, fresh: bool = False) -> Pull:
        """As the port says."""
        return await self._inner.pull(stream, durable, ack_wait_s=ack_wait_s, fresh=fresh)

    async def send(self, subject: str, data: bytes) -> None:
        """As the port says."""
        await self._inner.send(subject, data)

    async def subscribe(self, subject: str, handler: Handler) -> Subscription:
        """As the port says."""
        return await self._inner.subscribe(subject, handler)

    async def close(self) -> None:
        """As the port says."""
        await self._inner.close()
