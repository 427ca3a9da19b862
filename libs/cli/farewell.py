"""What is done for somebody who is gone all of a sudden, as by Ctrl-C."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

from libs.client.errors import SparrowError

FAREWELL_S: Final = 2.0
"""How long a last call may take; nobody who ends a program waits for a server that is out of reach."""


@asynccontextmanager
async def taken_back(cancel: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """Take back a ticket where its waiting is cancelled: else its player could wait for nothing else.

    Where that is too late, or the server out of reach, nothing is said: a seat that nobody comes to is left
    by itself, a ticket expires.
    """
    try:
        yield
    except asyncio.CancelledError:
        with suppress(SparrowError, TimeoutError):
            await asyncio.wait_for(_awaited(cancel), FAREWELL_S)
        raise


async def _awaited(call: Callable[[], Awaitable[object]]) -> None:
    await call()
