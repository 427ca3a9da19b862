"""Tables for spectators: who may watch which, and from one deal of it to the next."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from libs.eventsourcing.ids import birth_of
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused
from libs.runtime.names import table_name
from libs.spectating.codes import check_code
from libs.spectating.places import Places
from libs.spectating.stages import LeftAt, Stages, follow_stages
from services.mcr.domain.session.state import NotOpened, Opened, Playing
from services.mcr.spectating.deals import DEAL, TableHub, TableSeen
from services.mcr.tables import live
from services.mcr.tables.ending import TableRepository
from services.mcr.tables.live import LiveTable


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown next, of which deal, and the table around it as it stands now."""

    deal_id: UUID
    seen: TableSeen
    opened: Opened


class SpectatedTables:
    """The tables of the service, for those who have no seat there. Every method raises Refused."""

    def __init__(
        self,
        database: Database,
        sessions: TableRepository,
        hub: TableHub,
        places: Places,
        clock: Clock,
        delay: timedelta,
    ) -> None:
        """Show what `hub` shows."""
        self._database = database
        self._sessions = sessions
        self._hub = hub
        self._places = places
        self._clock = clock
        self._delay = delay

    async def listed(self, account_id: UUID, before: UUID | None, limit: int) -> Sequence[LiveTable]:
        """The tables that were open when the delay began, newest first, without the account's own."""
        with unavailable_is_told():
            async with self._database.engine.connect() as connection:
                return await live.listed(connection, self._shown_at(), account_id, before, limit)

    async def open(self, table_id: UUID, account_id: UUID, code: str, left_at: LeftAt | None) -> LiveTable:
        """A table that the account may watch; who was let in before, needs no code."""
        with unavailable_is_told():
            async with self._database.engine.connect() as connection:
                found = await live.find(connection, table_id)
        if found is None:
            raise Refused("NOT_FOUND", "no table that can be watched has this name")
        if account_id in found.accounts:
            about = {"match": table_name(table_id)}
            raise Refused("SPECTATOR_SEATED", "you have a seat at this table", about)
        if found.private and left_at is None:
            await check_code(self._database.store, account_id, code, found.code, self._clock.now())
        return found

    async def follow(
        self, found: LiveTable, account_id: UUID, left_at: LeftAt | None
    ) -> AsyncGenerator[Shown, None]:
        """What is shown of a table: each deal after the other."""
        table_id = found.table_id
        stages = Stages(table_id, DEAL, partial(self._begun, table_id), partial(self._after, table_id))
        async with aclosing(follow_stages(self._hub, self._places, stages, account_id, left_at)) as stream:
            async for deal_id, seen in stream:
                yield Shown(deal_id, seen, await self._opened(table_id))

    async def _begun(self, table_id: UUID) -> UUID:
        """The deal to begin with: the last one whose beginning is shown already, else the first."""
        deals = _deals(await self._opened(table_id))
        shown = [deal_id for deal_id in deals if birth_of(deal_id) <= self._shown_at()]
        return (shown[-1:] or deals[:1])[0]

    async def _after(self, table_id: UUID, deal_id: UUID) -> UUID | None:
        """The deal after one of a table; None where that was the last one."""
        deals = _deals(await self._opened(table_id))
        following = deals[deals.index(deal_id) + 1 :]
        return following[0] if following else None

    async def _opened(self, table_id: UUID) -> Opened:
        state, _version = await self._sessions.state(table_id)
        assert not isinstance(state, NotOpened), "its row was written with its first fact"
        return state

    def _shown_at(self) -> datetime:
        return self._clock.now() - self._delay


def _deals(opened: Opened) -> list[UUID]:
    """The deals of a table that were dealt."""
    dealt = [row.deal_id for row in opened.table.rows]
    return [*dealt, opened.deal_id] if isinstance(opened, Playing) else dealt
