"""Everything the service needs for its lobby, composed."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from functools import partial

from libs.eventstore.outage import Outages
from libs.eventstore.postgres.database import Database
from libs.eventstore.timers import Timers
from libs.eventstore.wake import Wake
from libs.queueing.figures import show_waits
from libs.queueing.forgetting import forget_rematches
from libs.queueing.rematch_watch import RematchWatch
from libs.queueing.rematches import REMATCH_TIMER
from libs.queueing.watch import TicketWatch
from libs.runtime.service import Loop, Runtime
from services.mcr.lobby.beginning import Beginnings
from services.mcr.lobby.matchmaker import Matchmaker
from services.mcr.lobby.rematches import Rematches
from services.mcr.lobby.rooms import Rooms
from services.mcr.lobby.servicer import LobbyServicer
from services.mcr.lobby.store import OFFERS
from services.mcr.lobby.tickets import Tickets
from services.mcr.tables.begin import TableBeginnings


class LobbyParts:
    """How tables form."""

    def __init__(self, runtime: Runtime, database: Database, tables: TableBeginnings, wake: Wake) -> None:
        """Begin tables by `tables`."""
        store, clock, bus, randomness = database.store, runtime.clock, runtime.bus, runtime.randomness
        valid_for = timedelta(seconds=runtime.settings.ticket_valid_s)
        fill_after = timedelta(milliseconds=runtime.settings.mcr_fill_after_ms)
        beginnings = Beginnings(tables, randomness)
        tickets = Tickets(store, bus, randomness, valid_for=valid_for, fill_after=fill_after)
        rooms = Rooms(store, tickets, beginnings, randomness, wake)
        rematches = Rematches(store, beginnings, bus, randomness, clock, wake)
        self._watch = TicketWatch(store, bus, clock.now)
        self._offers = RematchWatch(OFFERS, store, bus, clock.now)
        self.servicer = LobbyServicer(tickets, rooms, rematches, self._watch, self._offers, clock)
        matchmaker = Matchmaker(store, beginnings, bus, clock.now, randomness, fill_after=fill_after)
        held = Outages(database, beats=False).is_ongoing
        timers = Timers(database, rematches.fire, clock.now, held=held, kind=REMATCH_TIMER)
        self.serving = (
            Loop("mcr.tickets", self._watch.run),
            Loop("mcr.rematches", self._offers.run),
        )
        figures = Loop("mcr.queue_figures", partial(show_waits, database, clock.now))
        self.working = (
            Loop("mcr.matchmaker", matchmaker.run),
            Loop("mcr.timers.rematch", timers.run),
            Loop("mcr.rematches_forgotten", partial(forget_rematches, database, clock.now)),
            *([figures] if database.telemetry.measures else []),
        )

    async def drain(self) -> None:
        """End every stream, and open none."""
        await asyncio.gather(self._watch.drain(), self._offers.drain())
