"""Waiting for what another task or process brings about, with a bound."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


async def until(holds: Callable[[], bool], within_s: float = 30.0, every_s: float = 0.01) -> None:
    """Wait until `holds()`; fail when it does not within the bound."""
    async with asyncio.timeout(within_s):
        while not holds():  # noqa: ASYNC110 what is waited for sets no event
            await asyncio.sleep(every_s)
