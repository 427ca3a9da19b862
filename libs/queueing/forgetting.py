"""What nobody can answer any more is deleted after a while."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from libs.eventstore.postgres.database import Database
from libs.queueing.rematch_store import forget
from libs.runtime.pause import pause

KEPT_FOR: Final = timedelta(days=1)
FORGET_EVERY_S: Final = 60.0


async def forget_rematches(database: Database, now: Callable[[], datetime], stop: asyncio.Event) -> None:
    """Once a minute, until `stop`, delete offers that ended more than a day ago."""
    while not stop.is_set():
        async with database.store.transaction() as transaction:
            await forget(transaction.connection, now() - KEPT_FOR)
        await pause(stop, FORGET_EVERY_S)
