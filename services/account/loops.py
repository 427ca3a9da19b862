"""What the account service does unasked: it learns and repeats which sessions ended, and forgets old ones."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

from libs.bus.port import Bus
from libs.runtime.clock import Clock
from libs.runtime.interceptors.authentication import Revocations
from libs.runtime.pause import pause
from libs.runtime.revocation_beacon import tell_revoked
from libs.runtime.service import Loop
from libs.runtime.tokens import ACCESS_VALID
from services.account.registry import Registry

TELL_EVERY_S = 1.0
SPARE = timedelta(seconds=30)
OVERLAP = timedelta(seconds=10)
"""A sign-out is stamped before it is committed, and by another process's clock."""
KEEP_EXPIRED = timedelta(days=1)
DELETE_EVERY = timedelta(minutes=10)


def readiness(registry: Registry, clock: Clock, revocations: Revocations) -> Callable[[], Awaitable[bool]]:
    """Return the check of readiness: the database answers, and here whatever it calls revoked is refused.

    So nobody is told to call a process that does not know who was signed out before it started.
    """
    since = clock.now() - ACCESS_VALID - SPARE

    async def is_ready() -> bool:
        nonlocal since
        now = clock.now()
        revocations.revoke(await registry.revoked_since(since), now)
        since = now - OVERLAP
        return True

    return is_ready


def revoked_sessions_loop(registry: Registry, bus: Bus, clock: Clock) -> Loop:
    """Return the loop that tells each second whose access tokens may still be valid though revoked."""

    async def run(stop: asyncio.Event) -> None:
        delete_at = clock.now()
        while not stop.is_set():
            now = clock.now()
            await tell_revoked(bus, await registry.revoked_since(now - ACCESS_VALID - SPARE))
            if now >= delete_at:
                await registry.delete_expired(now - KEEP_EXPIRED)
                delete_at = now + DELETE_EVERY
            await pause(stop, TELL_EVERY_S)

    return Loop("account.revoked", run)
