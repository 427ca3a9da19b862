"""Everything the MCR service needs to tell tables that have closed, composed."""

from __future__ import annotations

from libs.eventstore.loops import leased
from libs.eventstore.postgres.database import Database
from libs.runtime.service import Loop, Runtime
from services.mcr.history.projector import HISTORY, history_projector
from services.mcr.history.reading import Histories
from services.mcr.history.servicer import HistoryServicer


class HistoryParts:
    """The histories of one process."""

    def __init__(self, runtime: Runtime, database: Database) -> None:
        """Read and write the service's database."""
        self.servicer = HistoryServicer(Histories(database), runtime.clock, runtime.opaque)
        projector = history_projector(database, runtime.clock.now)
        entering = leased(database, HISTORY, runtime.holder, projector.run)
        self.working = (Loop("mcr.history", entering),)
