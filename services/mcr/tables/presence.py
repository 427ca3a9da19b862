"""Who is there: streams are vouched for while they last, and the AI plays for those who are lost too long."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final
from uuid import UUID, uuid4

import structlog
from sqlalchemy.exc import SQLAlchemyError

from libs.eventstore.outage import Outages
from libs.eventstore.port import Request, StoreUnavailable
from libs.eventstore.postgres.database import Database
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused
from libs.runtime.pause import pause
from services.mcr.domain.pauses import Outage, moved_on
from services.mcr.tables import store as rows
from services.mcr.tables.pace import Pace
from services.mcr.tables.store import SYSTEM, LiveSeat
from services.mcr.tables.tables import Tables

LOOK_OF: Final = 30
"""How often it is looked for lost seats while one becomes lost."""
AT_ONCE_MAX: Final = 200
SeatKey = tuple[UUID, UUID]
"""Account and table."""

log = structlog.get_logger(__name__)


class Presence:
    """The streams that this process holds."""

    def __init__(self, database: Database, tables: Tables, pace: Pace, clock: Clock) -> None:
        """Enter what is held."""
        self._database = database
        self._tables = tables
        self._pace = pace
        self._clock = clock
        self._held: Counter[SeatKey] = Counter()
        self._telling: set[asyncio.Task[None]] = set()
        self._is_closed = False

    @asynccontextmanager
    async def held(self, table_id: UUID, account_id: UUID) -> AsyncIterator[None]:
        """The seat has a stream within; one that was lost is played by its person again."""
        key = (account_id, table_id)
        self._held[key] += 1
        try:
            await self._vouch([key], wait=True)
            yield
        finally:
            self._held[key] -= 1
            if not self._held[key]:
                del self._held[key]
                self._tell(key)

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop` is set, vouch for all streams that are held: one statement each time."""
        while not stop.is_set():
            if self._held:
                try:
                    await self._vouch(list(self._held), wait=False)
                except (StoreUnavailable, SQLAlchemyError, OSError) as error:
                    log.warning("presence.not_told", error=type(error).__name__)
            await pause(stop, self._pace.seen_for.total_seconds() / 2)

    async def close(self) -> None:
        """Wait until it is entered which streams have ended; of later ones it runs out."""
        self._is_closed = True
        await asyncio.gather(*self._telling)

    async def _vouch(self, seats: Sequence[SeatKey], *, wait: bool) -> None:
        until = self._clock.now() + self._pace.seen_for
        async with self._database.engine.begin() as connection:
            lost = await rows.vouch(connection, seats, until, wait=wait)
        for seat in lost:
            await self._return(seat)

    async def _return(self, seat: LiveSeat) -> None:
        what = f"return/{uuid4()}"
        request = Request(SYSTEM, what[:36], what.encode().ljust(32)[:32])
        try:
            await self._tables.come_back(seat.table_id, seat.account_id, request, self._clock.now())
        except Refused as error:
            log.info("presence.not_returned", reason=error.reason)

    def _tell(self, key: SeatKey) -> None:
        """Enter soon that a stream has ended: the call that held it may be cancelled."""
        if not self._is_closed:
            telling = asyncio.create_task(self._let_go(key))
            self._telling.add(telling)
            telling.add_done_callback(self._telling.discard)

    async def _let_go(self, key: SeatKey) -> None:
        try:
            async with self._database.engine.begin() as connection:
                await rows.let_go(connection, *key, self._clock.now())
        except (StoreUnavailable, SQLAlchemyError, OSError) as error:
            log.warning("presence.not_told", error=type(error).__name__)  # what was vouched for runs out


class Absences:
    """Finds seats that are lost. Any number of processes may look at once."""

    def __init__(
        self, database: Database, tables: Tables, outages: Outages, pace: Pace, clock: Clock
    ) -> None:
        """Leave seats to the AI by `tables`; times in which nobody could be served do not count."""
        self._database = database
        self._tables = tables
        self._outages = outages
        self._pace = pace
        self._clock = clock

    async def run(self, stop: asyncio.Event) -> None:
        """Look until `stop` is set."""
        while not stop.is_set():
            await self.step()
            await pause(stop, self._pace.lost_after.total_seconds() / LOOK_OF)

    async def step(self) -> None:
        """Leave those to the AI that are lost now."""
        if await self._outages.is_ongoing():
            return
        now, after = self._clock.now(), self._pace.lost_after
        async with self._database.engine.connect() as connection:
            found = await rows.unseen(connection, now - after, AT_ONCE_MAX)
        for seat in found:
            if await self._unseen_for(seat) >= after:
                await self._lose(seat)

    async def _lose(self, seat: LiveSeat) -> None:
        """One whose table closes at that moment is lost of nothing; others are looked at all the same."""
        try:
            await self._tables.lose(seat, self._clock.now())
        except Refused as error:
            log.info("presence.not_lost", reason=error.reason)

    async def _unseen_for(self, seat: LiveSeat) -> timedelta:
        since = seat.seen_until
        for outage in await self._outages.since(since):
            since = moved_on(since, Outage(outage.from_at, outage.to_at))
        return self._clock.now() - since
