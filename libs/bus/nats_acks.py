"""Acknowledgements of pipelined publishes: one inbox for all; all fail at once with the connection.

The client library's own request waits out its whole timeout after a cut; a relay would stand still meanwhile.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from itertools import count

from nats.aio.client import Client
from nats.aio.msg import Msg

from libs.bus.port import BusUnavailable, Published, StreamMissing

_NO_RESPONDERS = "503"


class Acks:
    """Publishes that wait for their acknowledgements."""

    def __init__(self, client: Client) -> None:
        """Bind to a client; `start` listens."""
        self._client = client
        self._inbox = client.new_inbox()
        self._numbers = count(1)
        self._waiting: dict[str, asyncio.Future[Published]] = {}

    async def start(self) -> None:
        """Listen for acknowledgements."""
        await self._client.subscribe(f"{self._inbox}.*", cb=self._on_ack, pending_msgs_limit=-1)

    async def publish(
        self, subject: str, data: bytes, headers: Mapping[str, str], timeout_s: float
    ) -> Published:
        """Publish and wait. Raises StreamMissing, or BusUnavailable: it is stored, or it is not."""
        reply = f"{self._inbox}.{next(self._numbers)}"
        future: asyncio.Future[Published] = asyncio.get_running_loop().create_future()
        self._waiting[reply] = future
        try:
            await self._client.publish(subject, data, reply=reply, headers=dict(headers))
            async with asyncio.timeout(timeout_s):
                return await future
        except TimeoutError:
            raise BusUnavailable(f"no acknowledgement in {timeout_s:g} s") from None
        finally:
            del self._waiting[reply]

    def fail_all(self) -> None:
        """Tell all who wait that the connection is lost."""
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(BusUnavailable("the connection was lost before the acknowledgement"))

    async def _on_ack(self, message: Msg) -> None:
        future = self._waiting.get(message.subject)
        if future is None or future.done():
            return  # it came after the timeout
        if message.headers and message.headers.get("Status") == _NO_RESPONDERS:
            future.set_exception(StreamMissing("no stream keeps this subject"))
            return
        answer = json.loads(message.data)
        if "error" in answer:
            future.set_exception(BusUnavailable(str(answer["error"].get("description"))))
        else:
            future.set_result(Published(int(answer["seq"]), bool(answer.get("duplicate", False))))
