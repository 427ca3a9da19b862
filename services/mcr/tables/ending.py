"""What the end of a deal means for its table: its row, and the next deal, or the closing of the table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

from libs.eventstore.port import Appended, StreamAppend, Transaction
from libs.eventstore.repository import Repository
from libs.eventstore.timers import clear_timers
from libs.runtime.clock import Clock
from services.mcr.domain.deal.state import Ended
from services.mcr.domain.session.commands import FinishDeal
from services.mcr.domain.session.decide import Refusal, decide
from services.mcr.domain.session.events import Event
from services.mcr.domain.session.evolve import evolve
from services.mcr.domain.session.state import Between, Closed, State
from services.mcr.tables import store as rows
from services.mcr.tables.begin import TableBeginnings, new_table_event
from services.mcr.tables.store import SYSTEM

TableRepository: TypeAlias = Repository[State, Event, Refusal]
OnClosed: TypeAlias = Callable[[Transaction, Closed, datetime], Awaitable[None]]
"""What else a table's closing brings, in its transaction."""


class DealEndings:
    """The ends of all deals. Everything happens in the transaction of the end."""

    def __init__(
        self,
        tables: TableRepository,
        beginnings: TableBeginnings,
        clock: Clock,
        on_closed: Sequence[OnClosed] = (),
    ) -> None:
        """Deal what follows by `beginnings`."""
        self._tables = tables
        self._beginnings = beginnings
        self._clock = clock
        self._on_closed = on_closed

    async def end(self, transaction: Transaction, deal_id: UUID, deal: Ended) -> None:
        """Enter what a deal came to at its table, and let the table go on or close."""
        table_id, away = deal.table.terms.table_id, deal.table.away
        at = max(deal.table.last_at, self._clock.now())
        state, version = await self._tables.state(table_id)
        facts = decide(FinishDeal(deal_id, deal.outcome, away, at), state)
        assert isinstance(facts, list), "the table is open while a deal of it goes on"
        assert facts, "a deal ends once"
        for fact in facts:
            state = evolve(state, fact)
        await clear_timers(transaction.connection, deal_id)
        if isinstance(state, Between):
            await self._beginnings.deal_next(transaction, facts, state, version, away, at)
            return
        assert isinstance(state, Closed), "it goes on, or is closed"
        append = StreamAppend(table_id, version, tuple(map(new_table_event, facts)))
        appended = await transaction.append([append], recorded_at=at, caller=SYSTEM)
        assert isinstance(appended, Appended), "only its deal moves a table"
        await rows.close_table(transaction.connection, table_id, at)
        for on_closed in self._on_closed:
            await on_closed(transaction, state, at)
