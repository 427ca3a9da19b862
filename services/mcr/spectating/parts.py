"""Everything the MCR service needs for spectating, composed."""

from __future__ import annotations

from datetime import timedelta

from libs.eventstore.postgres.database import Database
from libs.eventstore.repository import Repository
from libs.runtime.service import Loop, Runtime
from libs.spectating.hub import SpectateHub
from libs.spectating.places import Places
from services.mcr.domain.session import evolve as session_evolution
from services.mcr.spectating.deals import TableHub
from services.mcr.spectating.servicer import SpectateServicer
from services.mcr.spectating.tables import SpectatedTables
from services.mcr.tables.ending import TableRepository
from services.mcr.wire.table_codec import TableCodec


class SpectateParts:
    """The spectators of one process."""

    def __init__(self, runtime: Runtime, database: Database) -> None:
        """Show with the delay of the settings."""
        settings, clock = runtime.settings, runtime.clock
        delay = timedelta(seconds=settings.spectate_delay_s)
        sessions: TableRepository = Repository(session_evolution, TableCodec(), database.store)
        self.hub: TableHub = SpectateHub(database.store, clock, delay)
        places = Places(settings.spectators_per_match, settings.spectators_max)
        tables = SpectatedTables(database, sessions, self.hub, places, clock, delay)
        self.servicer = SpectateServicer(tables, clock, runtime.opaque, delay)
        self.serving = (Loop("mcr.spectate", self.hub.run),)
        about = "Streams of spectators that are open."
        database.telemetry.meter.read(
            "sparrow_spectators_open", about, lambda: [({"service": "mcr"}, places.taken)]
        )
