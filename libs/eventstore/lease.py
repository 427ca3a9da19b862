"""Leases: at most one holder of a name at a time, by the database's clock, each time with a higher epoch.

A lease alone proves nothing, since a process may be suspended and wake up late. The epoch does: every effect
of the work names it, and whoever took over has raised it (`feed_head`, `checkpoint`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from libs.eventstore.port import StoreUnavailable
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told

LEASE_MS = 1_000
RENEW_MS = 300
RETRY_MS = 250

Epoch = int
Body = Callable[[Epoch, asyncio.Event], Awaitable[None]]

ACQUIRE = """
INSERT INTO lease AS l (name, holder, epoch, until)
VALUES ($1, $2, 1, clock_timestamp() + make_interval(secs => $3))
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, epoch = l.epoch + 1, until = excluded.until
WHERE l.until < clock_timestamp()
   OR l.until > clock_timestamp() + 2 * make_interval(secs => $3) -- from before the clock was set back
RETURNING epoch
"""
RENEW = """
UPDATE lease SET until = clock_timestamp() + make_interval(secs => $3) WHERE name = $1 AND epoch = $2
"""
RELEASE = "UPDATE lease SET until = '-infinity' WHERE name = $1 AND epoch = $2"


async def acquire(database: Database, name: str, holder: str, *, lease_ms: int = LEASE_MS) -> Epoch | None:
    """Take the lease when nobody holds it; return its new epoch, or None."""
    with unavailable_is_told():
        epoch: int | None = await database.pool.fetchval(ACQUIRE, name, holder, lease_ms / 1000)
    return epoch


async def renew(database: Database, name: str, epoch: Epoch, *, lease_ms: int = LEASE_MS) -> bool:
    """Hold the lease for its full time from now; False when another epoch has begun."""
    with unavailable_is_told():
        return await database.pool.execute(RENEW, name, epoch, lease_ms / 1000) == "UPDATE 1"


async def release(database: Database, name: str, epoch: Epoch) -> None:
    """Let the next one begin at once."""
    with unavailable_is_told():
        await database.pool.execute(RELEASE, name, epoch)


async def run_leased(
    database: Database,
    name: str,
    holder: str,
    body: Body,
    stop: asyncio.Event,
    *,
    lease_ms: int = LEASE_MS,
) -> None:
    """Run `body(epoch, lost)` whenever this process holds the lease, until `stop` is set.

    `lost` is set when the work must end: on `stop`, or with the lease lost. A body that does not end within
    one lease time is cancelled. What it raises ends everything and is raised; so is StoreUnavailable when
    the lease cannot be renewed in time. A body that returns by itself begins again under a new epoch.
    """
    while not stop.is_set():
        epoch = await acquire(database, name, holder, lease_ms=lease_ms)
        if epoch is None:
            await wait_for(stop, RETRY_MS)
            continue
        try:
            await _hold(database, name, epoch, body, stop, lease_ms)
        finally:
            with suppress(StoreUnavailable):  # it runs out by itself
                await release(database, name, epoch)


async def wait_for(event: asyncio.Event, timeout_ms: float) -> bool:
    """Wait until the event is set or the time is over; return whether it is set."""
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), timeout_ms / 1000)
    return event.is_set()


async def _hold(
    database: Database, name: str, epoch: Epoch, body: Body, stop: asyncio.Event, lease_ms: int
) -> None:
    lost = asyncio.Event()
    work = asyncio.ensure_future(body(epoch, lost))
    renewing = asyncio.create_task(_keep_renewing(database, name, epoch, lease_ms))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({work, renewing, stopping}, return_when=asyncio.FIRST_COMPLETED)
        lost.set()
        await asyncio.wait({work}, timeout=lease_ms / 1000)
    finally:
        for task in (work, renewing, stopping):
            task.cancel()
        await asyncio.gather(work, renewing, stopping, return_exceptions=True)
    for task in (work, renewing):
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error


async def _keep_renewing(database: Database, name: str, epoch: Epoch, lease_ms: int) -> None:
    """Return when another epoch has begun; raise StoreUnavailable when the lease ran out unrenewed."""
    clock = asyncio.get_running_loop().time
    valid_until = clock() + lease_ms / 1000
    while True:
        await asyncio.sleep(RENEW_MS / LEASE_MS * lease_ms / 1000)
        asked_at = clock()
        try:
            async with asyncio.timeout_at(max(valid_until, asked_at)):
                if not await renew(database, name, epoch, lease_ms=lease_ms):
                    return
        except (StoreUnavailable, TimeoutError) as error:
            if clock() >= valid_until:
                raise StoreUnavailable(f"the lease {name} could not be renewed") from error
        else:
            valid_until = asked_at + lease_ms / 1000
