"""The projection of races and of the pool: each game that ended is entered for everybody who played it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from libs.eventsourcing.envelope import FeedEntry
from libs.eventstore.postgres.database import Database
from libs.eventstore.projecting import FactsProjector, Malformed
from libs.runtime.errors import Refused
from services.match.history.store import Row, enter
from services.match.wire.history_listing import POOL, POOL_ENDED, RACE, RACE_ENDED, listed_by

HISTORY: Final = "history"
"""Lease and checkpoint of the projection."""
LISTED: Final[Mapping[str, str]] = {RACE_ENDED: RACE, POOL_ENDED: POOL}
"""The facts that end such a game, and its mode."""


def history_projector(database: Database, now: Callable[[], datetime]) -> FactsProjector[Row]:
    """Return what enters games as their ends come by in the facts of the service's database."""

    async def read(entry: FeedEntry) -> list[Row]:
        mode, stream_id = LISTED.get(entry.event.type), entry.event.stream_id
        if mode is None:
            return []
        recorded = await database.store.load(stream_id)
        try:
            told = await asyncio.to_thread(listed_by, recorded)
        except (AssertionError, KeyError, ValueError, Refused) as error:
            raise Malformed(str(error)) from error
        return [Row(account, stream_id, mode, each) for account, each in told.items()]

    return FactsProjector(database, HISTORY, now, read=read, enter=enter)
