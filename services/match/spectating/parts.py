"""Everything the match service needs for spectating, composed."""

from __future__ import annotations

from datetime import timedelta

from libs.eventstore.postgres.database import Database
from libs.runtime.service import Loop, Runtime
from libs.spectating.hub import SpectateHub
from libs.spectating.places import Places
from services.match.spectating.matches import MatchHub, SpectatedMatches
from services.match.spectating.servicer import SpectateServicer


class SpectateParts:
    """The spectators of one process."""

    def __init__(self, runtime: Runtime, database: Database) -> None:
        """Show with the delay of the settings."""
        settings, clock = runtime.settings, runtime.clock
        delay = timedelta(seconds=settings.spectate_delay_s)
        self.hub: MatchHub = SpectateHub(database.store, clock, delay)
        places = Places(settings.spectators_per_match, settings.spectators_max)
        matches = SpectatedMatches(database, self.hub, places, clock, delay)
        self.servicer = SpectateServicer(matches, clock, runtime.opaque, delay)
        self.serving = (Loop("match.spectate", self.hub.run),)
        about = "Streams of spectators that are open."
        database.telemetry.meter.read(
            "sparrow_spectators_open", about, lambda: [({"service": "match"}, places.taken)]
        )
