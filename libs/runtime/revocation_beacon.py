"""How serving processes learn within a second that a session was signed out.

The account service says each second which sessions were revoked lately (all whose access tokens may still be
valid), on the bus without memory: whoever missed it hears it again. A process that hears nothing and does not
serve accounts itself (those ask their database) lets a revoked access token live until it expires, 15 minutes
at most; refreshing is refused at once in any case.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from uuid import UUID

from libs.bus.port import Bus, Message
from libs.runtime.clock import Clock
from libs.runtime.interceptors.authentication import Revocations
from libs.runtime.pause import pause
from libs.runtime.service import Loop

SUBJECT = "sparrow.sessions.revoked"
SESSIONS_PER_MESSAGE = 1_000
"""A receiver reads so many within a millisecond."""
FORGET_EVERY_S = 60.0


async def tell_revoked(bus: Bus, session_ids: Sequence[UUID]) -> None:
    """Tell all serving processes that these sessions are revoked."""
    for start in range(0, len(session_ids), SESSIONS_PER_MESSAGE):
        chunk = session_ids[start : start + SESSIONS_PER_MESSAGE]
        await bus.send(SUBJECT, b"".join(session_id.bytes for session_id in chunk))


async def follow_revocations(bus: Bus, revocations: Revocations, clock: Clock) -> Loop:
    """Listen for revoked sessions; return the loop that forgets those whose tokens have expired."""

    async def hear(message: Message) -> None:
        data = message.data
        session_ids = [UUID(bytes=data[at : at + 16]) for at in range(0, len(data) - 15, 16)]
        revocations.revoke(session_ids, clock.now())

    async def forget(stop: asyncio.Event) -> None:
        while not stop.is_set():
            revocations.forget_expired(clock.now())
            await pause(stop, FORGET_EVERY_S)

    await bus.subscribe(SUBJECT, hear)
    return Loop("revocations", forget)
