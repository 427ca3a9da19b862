"""The projection of closed tables: each is entered for every person who sat there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

from libs.eventsourcing.envelope import FeedEntry
from libs.eventstore.postgres.database import Database
from libs.eventstore.projecting import FactsProjector, Malformed
from libs.runtime.errors import Refused
from services.mcr.domain.session.events import TableClosed
from services.mcr.history.store import Row, enter
from services.mcr.wire.history import listed_by
from services.mcr.wire.table_codec import TYPES

HISTORY: Final = "history"
"""Lease and checkpoint of the projection."""
CLOSED: Final = TYPES[TableClosed][1]


def history_projector(database: Database, now: Callable[[], datetime]) -> FactsProjector[Row]:
    """Return what enters tables as their ends come by in the facts of the service's database."""

    async def read(entry: FeedEntry) -> list[Row]:
        if entry.event.type != CLOSED:
            return []
        table_id = entry.event.stream_id
        recorded = await database.store.load(table_id)
        try:
            told = listed_by(recorded)
        except (AssertionError, LookupError, ValueError, RuntimeError, Refused) as error:
            raise Malformed(str(error)) from error
        return [Row(account, table_id, each) for account, each in told.items()]

    return FactsProjector(database, HISTORY, now, read=read, enter=enter)
