"""Everything the service needs for its tables, composed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from libs.eventstore.outage import Outages
from libs.eventstore.postgres.database import Database
from libs.eventstore.repository import Repository
from libs.eventstore.timers import Timers
from libs.eventstore.wake import Wake
from libs.following.hub import WatchHub
from libs.runtime.service import Loop, Runtime
from libs.runtime.spawned import SpawnedPool
from services.mcr.domain.deal import evolve as deal_evolution
from services.mcr.domain.session import evolve as session_evolution
from services.mcr.tables.begin import ALONE_TIMER, DEAL_TIMER, TableBeginnings
from services.mcr.tables.driver import Driver
from services.mcr.tables.ending import DealEndings, OnClosed, TableRepository
from services.mcr.tables.figures import DealFigures
from services.mcr.tables.pace import pace_of
from services.mcr.tables.play import DEAL_KIND, DealHub, DealRepository, Deals
from services.mcr.tables.presence import Absences, Presence
from services.mcr.tables.servicer import TableServicer
from services.mcr.tables.tables import Tables
from services.mcr.wire.deal_codec import DealCodec
from services.mcr.wire.table_codec import TableCodec

THINKERS: Final = {DEAL_TIMER: 2, ALONE_TIMER: 1}
"""Processes in which AI players think, of each process that works: those who have company, those alone."""
AT_ONCE: Final = {DEAL_TIMER: 16, ALONE_TIMER: 3}
"""Deals that such a process looks at together. Those of AI players alone only have to keep theirs busy."""


class TableParts:
    """Tables, whoever plays there."""

    def __init__(
        self, runtime: Runtime, database: Database, wake: Wake, on_closed: Sequence[OnClosed] = ()
    ) -> None:
        """Do `on_closed` in the transaction in which a table closes."""
        store, clock, codec = database.store, runtime.clock, DealCodec()
        pace, figures = pace_of(runtime.settings), DealFigures(database.telemetry.meter)
        sessions: TableRepository = Repository(session_evolution, TableCodec(), store)
        repository: DealRepository = Repository(deal_evolution, codec, store)
        self.outages = Outages(database, beats=True)
        seen_by_workers = Outages(database, beats=False)
        self.hub: DealHub = WatchHub(DEAL_KIND, codec, store, runtime.bus, clock)
        self.beginnings = TableBeginnings(runtime.randomness, pace)
        endings = DealEndings(sessions, self.beginnings, clock, on_closed)
        self._thinkers = {kind: SpawnedPool(processes) for kind, processes in THINKERS.items()}

        def deals(outages: Outages) -> Deals:
            return Deals(repository, endings, outages, pace, clock, wake, self.hub, figures)

        def tables(deals: Deals) -> Tables:
            randomness = runtime.randomness
            return Tables(store, sessions, deals, self.beginnings, pace, randomness, clock, self.hub)

        self.tables, at_work = tables(deals(self.outages)), deals(seen_by_workers)
        self._presence = Presence(database, self.tables, pace, clock)
        absences = Absences(database, tables(at_work), seen_by_workers, pace, clock)
        self.servicer = TableServicer(self.tables, self._presence, clock, runtime.opaque)

        def timers(kind: str) -> Loop:
            fire = Driver(at_work, self._thinkers[kind].run, pace, clock, figures).fire
            held = seen_by_workers.is_ongoing
            timers = Timers(database, fire, clock.now, held=held, kind=kind, at_once=AT_ONCE[kind])
            return Loop(f"mcr.timers.{kind}", timers.run)

        self.serving = (
            Loop("mcr.watch_deals", self.hub.run),
            Loop("mcr.heartbeat", self.outages.run),
            Loop("mcr.presence", self._presence.run),
        )
        self.working = (
            timers(DEAL_TIMER),
            timers(ALONE_TIMER),
            Loop("mcr.absences", absences.run),
        )

    async def close(self) -> None:
        """Let streams end, and the processes in which AI players think."""
        await self._presence.close()
        for thinkers in self._thinkers.values():
            await thinkers.close()
