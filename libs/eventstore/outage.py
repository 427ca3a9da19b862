"""Outages: times in which no replica of a service could serve, so that nobody's clock may run.

Every serving replica beats in one row. Whoever beats after a silence of more than three seconds writes the
outage, in the same statement that beats, so it is written once. What a replica believes is good for as long
as its own last beat excludes a silence; after that it beats before it answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog

from libs.eventstore.lease import wait_for
from libs.eventstore.port import StoreUnavailable
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told

BEAT_EVERY_MS: Final = 500
SILENCE_MS: Final = 3_000
"""A silence longer than this is an outage."""

BEAT = "SELECT from_at, to_at FROM beat($1, make_interval(secs => $2), $3)"
LOOK = """
SELECT coalesce($1, clock_timestamp()) - h.at > make_interval(secs => $2) AS is_silent, o.from_at, o.to_at
FROM heartbeat h LEFT JOIN outage o ON o.to_at > $3 ORDER BY o.to_at
"""

BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)

Now = Callable[[], datetime]
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Outage:
    """Nobody could be served between the last heartbeat before it and the first one after it."""

    from_at: datetime
    to_at: datetime


class Outages:
    """What one process knows about the outages of its service."""

    def __init__(self, database: Database, *, beats: bool, now: Now | None = None) -> None:
        """`beats`: this process serves, and says so. A worker only looks: it cannot keep clocks running.

        `now` stands in for the database's own clock, which all replicas share.
        """
        self._database = database
        self._now = now
        self._beats = beats
        self._known: list[Outage] = []  # by their ends
        self._is_silent = False
        self._good_until_s = float("-inf")  # by the loop's clock
        self._asking = asyncio.Lock()

    async def since(self, instant: datetime) -> tuple[Outage, ...]:
        """Return the outages that ended after an instant, in order; costs nothing while replicas are well.

        Raises StoreUnavailable when it would have to ask and cannot.
        """
        await self._be_sure()
        later = next((n for n, outage in enumerate(reversed(self._known)) if outage.to_at <= instant), None)
        return tuple(self._known if later is None else self._known[len(self._known) - later :])

    async def is_ongoing(self) -> bool:
        """Whether no replica has served for longer than a silence may last: clocks stand now."""
        await self._be_sure()
        return self._is_silent

    @property
    def is_known(self) -> bool:
        """Whether this process has beaten, or looked, at all."""
        return self._good_until_s > float("-inf")

    async def is_ready(self) -> bool:
        """Whether this process may serve: the outage that its start may have ended is written."""
        if not self.is_known:
            await self._be_sure()
        return True

    async def beat(self) -> None:
        """Beat, or look, now. Raises StoreUnavailable."""
        sent_s = asyncio.get_running_loop().time()
        at = self._now() if self._now is not None else None
        known = self._known[-1].to_at if self._known else BEGINNING
        with unavailable_is_told():
            rows = await self._database.pool.fetch(
                BEAT if self._beats else LOOK, at, SILENCE_MS / 1000, known, timeout=SILENCE_MS / 1000
            )
        self._is_silent = not self._beats and bool(rows) and rows[0]["is_silent"]
        for row in rows:
            if row["to_at"] is not None:
                self._learn(Outage(row["from_at"], row["to_at"]))
        # Counted from the sending: an answer that was long under way says nothing about the time since.
        self._good_until_s = sent_s + (SILENCE_MS if self._beats else BEAT_EVERY_MS) / 1000

    async def run(self, stop: asyncio.Event) -> None:
        """Beat twice a second until `stop` is set; while the database is away the silence speaks."""
        while not stop.is_set():
            try:
                async with self._asking:
                    await self.beat()
            except StoreUnavailable as error:
                log.warning("heartbeat.missed", error=str(error))
            await wait_for(stop, BEAT_EVERY_MS)

    async def _be_sure(self) -> None:
        """Ask, unless the last answer still holds. Those who come meanwhile wait for the one who asks."""
        while asyncio.get_running_loop().time() >= self._good_until_s:
            async with self._asking:
                if asyncio.get_running_loop().time() >= self._good_until_s:
                    await self.beat()

    def _learn(self, outage: Outage) -> None:
        if not self._known or outage.to_at > self._known[-1].to_at:
            self._known.append(outage)
            lasted_ms = (outage.to_at - outage.from_at) // timedelta(milliseconds=1)
            log.warning("outage.known", from_at=outage.from_at.isoformat(), lasted_ms=lasted_ms)
