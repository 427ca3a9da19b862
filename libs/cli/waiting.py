"""How bots wait in a queue: until a match is found, or until they are told to stop."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from libs.client.client import SparrowClient
from libs.client.errors import RefusedError
from libs.client.tickets import QueueKind


async def find_match(client: SparrowClient, kind: QueueKind, stop: asyncio.Event) -> str | None:
    """Return the name of the match that was found, or of the one that is still played.

    Told to stop meanwhile: none, or the match that was found at that very moment. Raises RefusedError where
    the ticket waits no more.
    """
    try:
        waiting = await client.queue(kind)
    except RefusedError as refused:
        if refused.reason != "ALREADY_SEATED":
            raise
        return refused.metadata["match"]
    finding = asyncio.create_task(waiting.match())
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({finding, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if finding.done():
            return await finding
    finally:
        stopping.cancel()
        if not finding.done():
            finding.cancel()
            with suppress(asyncio.CancelledError):
                await finding
    try:
        await waiting.cancel()
    except RefusedError as refused:
        return refused.metadata.get("match")
    return None
