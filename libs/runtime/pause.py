"""Waiting that a stop cuts short."""

from __future__ import annotations

import asyncio
from contextlib import suppress


async def pause(stop: asyncio.Event, seconds: float) -> None:
    """Wait for so long, or until `stop` is set."""
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
