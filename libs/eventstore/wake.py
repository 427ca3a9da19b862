"""What a service says after a commit: its loops have work, and watchers of the stream have news.

Both are hints on core NATS. Polling finds what a lost hint would have told: nothing here may fail a command.
"""

from __future__ import annotations

import asyncio
from uuid import UUID

import structlog

from libs.bus.port import Bus
from libs.bus.topology import live_subject, wake_subject

log = structlog.get_logger(__name__)

NUDGE_EVERY_MS = 10  # a nudged loop polls by itself far longer than this
LIVE_EVERY_MS = 10
"""Hints of a busy process leave together: each alone would wake the connection's writer for a few bytes."""


class Wake:
    """The voice of one service."""

    def __init__(self, bus: Bus, service: str) -> None:
        """Bind to the bus."""
        self._bus = bus
        self._subject = wake_subject(service)
        self._nudged_at = float("-inf")
        self._told_at = float("-inf")
        self._untold: dict[UUID, int] = {}
        self._telling: asyncio.Task[None] | None = None

    async def committed(self, stream_id: UUID, version: int) -> None:
        """Tell that `stream_id` now stands at `version`, at once or within LIVE_EVERY_MS.

        Never raises, never waits for an answer. Of one stream only the last version is told.
        """
        await self.nudge()
        self._untold[stream_id] = max(version, self._untold.get(stream_id, version))
        if self._telling is not None and not self._telling.done():
            return
        late_s = self._told_at + LIVE_EVERY_MS / 1000 - asyncio.get_running_loop().time()
        if late_s > 0:
            self._telling = asyncio.create_task(self._tell_after(late_s))
        else:
            await self._tell()

    async def _tell_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self._tell()

    async def _tell(self) -> None:
        self._told_at = asyncio.get_running_loop().time()
        untold, self._untold = self._untold, {}
        for stream_id, version in untold.items():
            await self._send(live_subject(stream_id), b"%d" % version)

    async def nudge(self) -> None:
        """Tell that there is something in the outbox. Never raises, never waits for an answer."""
        now = asyncio.get_running_loop().time()
        if (now - self._nudged_at) * 1000 >= NUDGE_EVERY_MS:
            self._nudged_at = now
            await self._send(self._subject, b"")

    async def _send(self, subject: str, data: bytes) -> None:
        try:
            await self._bus.send(subject, data)
        except Exception as error:  # noqa: BLE001 a committed command must be answered, whatever a hint meets
            log.warning("wake.lost", subject=subject, error=f"{type(error).__name__}: {error}")


def read_live(data: bytes) -> int | None:
    """Return the version in a `sparrow.live` message; None when there is none."""
    return int(data) if data.isdigit() and len(data) <= 19 else None
