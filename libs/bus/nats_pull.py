"""The hand of a durable pull consumer on NATS.

It keeps at most one request open at the server and collects what arrives in its own inbox, so a message is
handed on as soon as it is there, and a request that a restart swallowed is simply made again.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque

import structlog
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError

from libs.bus.port import BusUnavailable, Delivery, Message, PullLost

log = structlog.get_logger(__name__)

_REQUEST_S = 2.0  # how long the server keeps a request open
_GRACE_S = 0.5  # how much longer its end is waited for
_PAUSE_S = 0.1  # after a request that ended badly
_NO_RESPONDERS = "503"


class NatsPull:
    """One reader of one durable consumer."""

    def __init__(self, client: Client, stream: str, durable: str) -> None:
        """Bind to a durable consumer; `start` listens."""
        self._client = client
        self._next = f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{durable}"
        self._durable = durable
        self._inbox = client.new_inbox()
        self._subscription: Subscription | None = None
        self._arrived: deque[Delivery] = deque()
        self._changed = asyncio.Event()
        self._open = 0  # messages that the open request may still bring
        self._ask_after = 0.0  # no new request before, in loop time
        self._lost = False

    async def start(self) -> None:
        """Listen on the inbox."""
        self._subscription = await self._client.subscribe(
            self._inbox, cb=self._on_message, pending_msgs_limit=-1, pending_bytes_limit=-1
        )

    async def fetch(self, batch: int, wait_s: float) -> list[Delivery]:
        """As the port says."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + wait_s
        while not self._arrived:
            if self._lost or self._client.is_closed:
                raise PullLost(f"the durable consumer {self._durable} is gone")
            if not self._client.is_connected:
                raise BusUnavailable("there is no connection")
            now = loop.time()
            if now >= self._ask_after:
                await self._ask(batch, now)
            if now >= deadline:
                return []
            await self._wait(min(deadline, self._ask_after) - now)
        await asyncio.sleep(0)  # what was read from the socket together is handed on together
        return [self._arrived.popleft() for _ in range(min(batch, len(self._arrived)))]

    async def _ask(self, batch: int, now: float) -> None:
        self._open = batch
        self._ask_after = now + _REQUEST_S + _GRACE_S
        request = json.dumps({"batch": batch, "expires": int(_REQUEST_S * 1e9)}).encode()
        try:
            await self._client.publish(self._next, request, reply=self._inbox)
        except NatsError as error:
            raise BusUnavailable(str(error)) from error

    async def _wait(self, timeout_s: float) -> None:
        self._changed.clear()
        try:
            async with asyncio.timeout(max(timeout_s, 0.0)):
                await self._changed.wait()
        except TimeoutError:
            return

    def connection_changed(self) -> None:
        """Forget the open request: the server forgot it with the connection."""
        self._open, self._ask_after = 0, 0.0
        self._changed.set()

    async def _on_message(self, message: Msg) -> None:
        status = (message.headers or {}).get("Status")
        if status is None:
            self._open -= 1
            if self._open <= 0:
                self._ask_after = 0.0
            place = message.metadata
            carried = Message(message.subject, message.data, message.headers or {})
            self._arrived.append(Delivery(carried, place.sequence.stream, place.num_delivered, message.reply))
        else:
            self._on_status(status, (message.headers or {}).get("Description", ""))
        self._changed.set()

    def _on_status(self, status: str, description: str) -> None:
        if status == "100":
            return
        if status == _NO_RESPONDERS or "Consumer Deleted" in description:
            self._lost = True
        # 408, the request's time is over, is how an idle wait ends; anything else deserves a breath.
        pause_s = 0.0 if status == "408" else _PAUSE_S
        self._open, self._ask_after = 0, asyncio.get_running_loop().time() + pause_s

    async def ack(self, delivery: Delivery) -> None:
        """As the port says."""
        if not self._client.is_connected:
            return
        try:
            await self._client.publish(delivery.reply, b"+ACK")
        except NatsError as error:
            log.debug("bus.ack_lost", error=str(error))

    async def close(self) -> None:
        """As the port says."""
        if self._subscription is None or self._client.is_closed:
            return
        try:
            await self._subscription.unsubscribe()
        except NatsError as error:
            log.debug("bus.unsubscribe_failed", error=str(error))
