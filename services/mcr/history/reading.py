"""Closed tables, listed and read from their events for those who sat there."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from libs.eventsourcing.envelope import RecordedEvent
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told
from libs.runtime.errors import Refused, invalid_field
from libs.runtime.names import table_name
from services.mcr.domain.deal import events as deal_events
from services.mcr.domain.deal.terms import Person
from services.mcr.domain.session import events as table_events
from services.mcr.domain.session.evolve import evolve, initial
from services.mcr.domain.session.state import Closed, NotOpened, State
from services.mcr.history import store
from services.mcr.wire.deal_codec import DealCodec
from services.mcr.wire.table_codec import TableCodec


@dataclass(frozen=True, slots=True)
class ToldDeal:
    """A deal of a closed table, for the seat of the one who asks."""

    table: Closed
    number: int
    seat: int
    events: tuple[deal_events.Event, ...]


class Histories:
    """What players ask about their tables. Every method raises Refused."""

    def __init__(self, database: Database) -> None:
        """Read the service's database."""
        self._database = database

    async def listed(self, account_id: UUID, before: UUID | None, limit: int) -> list[tuple[UUID, bytes]]:
        """An account's closed tables, newest first, older than `before`."""
        with unavailable_is_told():
            async with self._database.engine.connect() as connection:
                return await store.played(connection, account_id, before, limit)

    async def deal(self, table_id: UUID, account_id: UUID, number: int) -> ToldDeal:
        """A deal (0: the first one) of a table at which the account sat."""
        with unavailable_is_told():
            recorded = await self._database.store.load(table_id)
        table = _table(recorded)
        name = {"name": table_name(table_id)}
        if isinstance(table, NotOpened):
            raise Refused("NOT_FOUND", "there is no such table", name)
        occupants = table.table.terms.occupants
        if Person(account_id) not in occupants:
            raise Refused("NOT_YOURS", "only those who sat at a table look back at it", name)
        if not isinstance(table, Closed):
            raise Refused("MATCH_RUNNING", "the table is not closed: its deals are told afterwards", name)
        rows = table.table.rows
        if number > len(rows):
            raise invalid_field("deal_number", f"at most {len(rows)}")
        row = rows[max(0, number - 1)]
        with unavailable_is_told():
            stored = await self._database.store.load(row.deal_id)
        codec = DealCodec()
        seat = occupants.index(Person(account_id))
        return ToldDeal(table, row.number, seat, tuple(map(codec.decode, stored)))


def _table(recorded: list[RecordedEvent]) -> State:
    codec = TableCodec()
    state: State = initial()
    facts: list[table_events.Event] = [codec.decode(event) for event in recorded]
    for fact in facts:
        state = evolve(state, fact)
    return state
