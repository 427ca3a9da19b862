"""Durable timers: rows that wake a stream when it is due, however often processes die in between.

A timer decides nothing. It calls `fire`, which is a decide without a command: the stream settles what is due
and says when it wants to be looked at again. So timers are lazy: moves never touch them, and one that comes
too early for the present state is simply set anew.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid5

import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.faults import fault
from libs.eventstore.port import Request
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told
from libs.eventstore.postgres.rows import as_uuid

POLL_MS: Final = 100
"""A timer that another process set less than this before it is due fires at most this late."""
CLAIM_MS: Final = 2_000
"""A timer whose worker died is fired by another one after this."""
AT_ONCE_MAX: Final = 16

Now = Callable[[], datetime]
Fire = Callable[[UUID, str, datetime], Awaitable[datetime | None]]
"""stream, kind, due -> when to look again, later than `due`; None: done. After a crash it is called again."""
Held = Callable[[], Awaitable[bool]]
"""Whether clocks stand now, so that nothing may fire."""

log = structlog.get_logger(__name__)

SET = (
    "INSERT INTO timer (stream_id, kind, due) VALUES (:stream_id, :kind, :due)"
    " ON CONFLICT (stream_id, kind) DO UPDATE SET due = excluded.due, claimed_until = '-infinity'"
)
SET_ALL = (
    "INSERT INTO timer (stream_id, kind, due) SELECT stream_id, :kind, :due"
    " FROM unnest(CAST(:stream_ids AS uuid[])) AS s (stream_id)"
    " ON CONFLICT (stream_id, kind) DO UPDATE SET due = excluded.due, claimed_until = '-infinity'"
)
CLEAR = "DELETE FROM timer WHERE stream_id = :stream_id"
CLAIM = """
WITH due AS (
    SELECT stream_id, kind FROM timer WHERE due <= $1 AND claimed_until < clock_timestamp()
    AND ($4::text IS NULL OR kind = $4) ORDER BY due LIMIT $2 FOR UPDATE SKIP LOCKED
)
UPDATE timer t SET claimed_until = clock_timestamp() + make_interval(secs => $3)
FROM due WHERE t.stream_id = due.stream_id AND t.kind = due.kind
RETURNING t.stream_id, t.kind, t.due
"""
NEXT = "SELECT min(due) FROM timer WHERE due > $1 AND ($2::text IS NULL OR kind = $2)"
# A timer that was set anew or cleared while it fired stays as it was set: the instant names the firing.
DONE = "DELETE FROM timer WHERE stream_id = $1 AND kind = $2 AND due = $3"
AGAIN = (
    "UPDATE timer SET due = $4, claimed_until = '-infinity' WHERE stream_id = $1 AND kind = $2 AND due = $3"
)


async def set_timer(connection: AsyncConnection, stream_id: UUID, kind: str, due: datetime) -> None:
    """Wake the stream at `due`, in the caller's transaction. A stream has one timer of a kind."""
    await connection.execute(text(SET), {"stream_id": stream_id, "kind": kind, "due": due})


async def set_timers(
    connection: AsyncConnection, stream_ids: Sequence[UUID], kind: str, due: datetime
) -> None:
    """Wake all these streams, each named once, at `due`; as `set_timer`, in one statement."""
    await connection.execute(text(SET_ALL), {"stream_ids": list(stream_ids), "kind": kind, "due": due})


async def clear_timers(connection: AsyncConnection, stream_id: UUID) -> None:
    """Never wake the stream again, unless a timer is set anew."""
    await connection.execute(text(CLEAR), {"stream_id": stream_id})


def timer_request(caller: UUID, stream_id: UUID, kind: str, due: datetime) -> Request:
    """Return the key of one firing: the same however often it is tried."""
    what = f"{kind}/{due.isoformat()}"
    return Request(caller, str(uuid5(stream_id, what)), hashlib.sha256(b"timer/" + what.encode()).digest())


@dataclass(frozen=True, slots=True)
class DueTimer:
    """A claimed timer."""

    stream_id: UUID
    kind: str
    due: datetime


class Timers:
    """One worker's hand on the timers of a service. Any number of processes may work at once."""

    def __init__(
        self,
        database: Database,
        fire: Fire,
        now: Now,
        *,
        held: Held | None = None,
        kind: str | None = None,
        at_once: int = AT_ONCE_MAX,
        claim_ms: int = CLAIM_MS,
    ) -> None:
        """Fire by the clock `now`. While `held` says so nothing is fired; it is asked before each look.

        With `kind` only those: what waits for long work does not keep the others waiting. At most `at_once`
        are being fired.
        """
        self._database = database
        self._fire = fire
        self._now = now
        self._held = held
        self._kind = kind
        self._at_once = at_once
        self._claim_ms = claim_ms
        self._set_anew = asyncio.Event()
        self._running: set[asyncio.Task[None]] = set()

    async def run(self, stop: asyncio.Event) -> None:
        """Fire what is due until `stop` is set; firings that have begun are brought to their end."""
        try:
            while not stop.is_set():
                self._set_anew.clear()
                await self._wait(stop, await self.step())
        finally:
            await asyncio.gather(*self._running)

    async def _wait(self, stop: asyncio.Event, milliseconds: float) -> None:
        """Wait so long, or until `stop`, or until one that was fired here is to be fired again."""
        waiting = [asyncio.create_task(each.wait()) for each in (stop, self._set_anew)]
        try:
            await asyncio.wait(waiting, timeout=milliseconds / 1000, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waiting:
                each.cancel()

    async def step(self) -> float:
        """Begin to fire what is due; return after how many milliseconds to look again."""
        if self._held is not None and await self._held():
            return POLL_MS
        now = self._now()
        free = self._at_once - len(self._running)
        for timer in await self._claim(now, free) if free else []:
            task = asyncio.create_task(self._run(timer))
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        with unavailable_is_told():
            following: datetime | None = await self._database.pool.fetchval(NEXT, now, self._kind)
        if following is None:
            return POLL_MS
        return min(POLL_MS, max(0.0, (following - self._now()) / timedelta(milliseconds=1)))

    async def settle(self) -> None:
        """Wait for the firings that have begun."""
        await asyncio.gather(*self._running)

    async def _claim(self, now: datetime, limit: int) -> list[DueTimer]:
        with unavailable_is_told():
            rows = await self._database.pool.fetch(CLAIM, now, limit, self._claim_ms / 1000, self._kind)
        claimed = [DueTimer(as_uuid(stream_id), kind, due) for stream_id, kind, due in rows]
        if claimed:
            fault("timer.claimed")
        return sorted(claimed, key=lambda timer: timer.due)

    async def _run(self, timer: DueTimer) -> None:
        """Fire one timer. Whatever goes wrong, it is fired again once its claim has run out."""
        assert timer.due <= self._now(), "a timer never fires early"
        try:
            again = await self._fire(timer.stream_id, timer.kind, timer.due)
            fault("timer.committed")
            await self._leave(timer, again)
        except Exception:
            log.exception("timer.failed", stream_id=str(timer.stream_id), kind=timer.kind)

    async def _leave(self, timer: DueTimer, again: datetime | None) -> None:
        key = (timer.stream_id, timer.kind, timer.due)
        with unavailable_is_told():
            if again is None:
                await self._database.pool.execute(DONE, *key)
            else:
                assert again > timer.due, "a timer that was fired for an instant is over"
                await self._database.pool.execute(AGAIN, *key, again)
                self._set_anew.set()
