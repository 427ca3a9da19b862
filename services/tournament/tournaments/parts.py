"""Everything the service needs for tournaments and series, composed."""

from __future__ import annotations

from libs.eventsourcing.envelope import Part
from libs.eventstore.consumer import Consumer
from libs.eventstore.loops import consumer_loop
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.stored_checkpoint import StoredCheckpoint
from libs.eventstore.repository import Repository
from libs.eventstore.timers import Timers
from libs.eventstore.wake import Wake
from libs.runtime.service import Loop, Runtime
from services.tournament.domain.series import evolve as series_evolution
from services.tournament.domain.tournament import evolve as tournament_evolution
from services.tournament.tournaments.intake import DECLARED, INTAKE, MatchFacts
from services.tournament.tournaments.pages import Pages
from services.tournament.tournaments.series import AllSeries, SeriesRepository
from services.tournament.tournaments.tables import TournamentTables
from services.tournament.tournaments.tournaments import (
    TABLES_TIMER,
    TOURNAMENT_TIMER,
    PrizePointsOf,
    TournamentRepository,
    Tournaments,
)
from services.tournament.tournaments.watch import TournamentWatch
from services.tournament.wire.match_tables import MatchTables
from services.tournament.wire.series_codec import SeriesCodec
from services.tournament.wire.tournament_codec import TournamentCodec


class TournamentParts:
    """Tournaments and series over one database."""

    def __init__(
        self, runtime: Runtime, database: Database, wake: Wake, prize_points_of: PrizePointsOf
    ) -> None:
        """Ask the ledger by `prize_points_of`."""
        clock, store, bus = runtime.clock, database.store, runtime.bus
        tournaments: TournamentRepository = Repository(tournament_evolution, TournamentCodec(), store)
        series: SeriesRepository = Repository(series_evolution, SeriesCodec(), store)
        self.tournaments = Tournaments(tournaments, prize_points_of, runtime.randomness, clock, wake, bus)
        self.series = AllSeries(series, store, self.tournaments, clock)
        self.pages = Pages(self.tournaments, store, prize_points_of, clock)
        self.watch = TournamentWatch(self.pages, store, bus)
        matches = runtime.clients.channel("match")
        self.tables = TournamentTables(self.tournaments, MatchTables(matches), store, bus, clock)
        self.facts = MatchFacts(self.tournaments, store, clock)
        consumer = Consumer(
            bus,
            runtime.clients.feed_reader("match"),
            StoredCheckpoint(database, INTAKE),
            name=INTAKE,
            source=f"{runtime.settings.site}/match",
            part=Part.FACTS,
            declared=DECLARED,
            handle=self.facts.handle,
        )
        timers = Timers(database, self.tournaments.fire, clock.now, kind=TOURNAMENT_TIMER)
        asking = Timers(database, self.tables.fire, clock.now, kind=TABLES_TIMER)
        self.serving = (Loop("tournament.watch", self.watch.run),)
        self.working = (
            Loop("tournament.timers", timers.run),
            Loop("tournament.tables", asking.run),
            Loop("tournament.series", self.series.run),
            Loop(*consumer_loop(database, runtime.holder, consumer)),
        )
