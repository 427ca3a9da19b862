"""Everything the service needs for tournaments and series, composed."""

from __future__ import annotations

from libs.eventstore.postgres.database import Database
from libs.eventstore.repository import Repository
from libs.eventstore.timers import Timers
from libs.eventstore.wake import Wake
from libs.runtime.service import Loop, Runtime
from services.tournament.domain.series import evolve as series_evolution
from services.tournament.domain.tournament import evolve as tournament_evolution
from services.tournament.tournaments.series import AllSeries, SeriesRepository
from services.tournament.tournaments.tournaments import PrizePointsOf, TournamentRepository, Tournaments
from services.tournament.wire.series_codec import SeriesCodec
from services.tournament.wire.tournament_codec import TournamentCodec


class TournamentParts:
    """Tournaments and series over one database."""

    def __init__(
        self, runtime: Runtime, database: Database, wake: Wake, prize_points_of: PrizePointsOf
    ) -> None:
        """Ask the ledger by `prize_points_of`."""
        clock, store = runtime.clock, database.store
        tournaments: TournamentRepository = Repository(tournament_evolution, TournamentCodec(), store)
        series: SeriesRepository = Repository(series_evolution, SeriesCodec(), store)
        self.tournaments = Tournaments(tournaments, prize_points_of, runtime.randomness, clock, wake)
        self.series = AllSeries(series, store, self.tournaments, clock)
        self.working = (
            Loop("tournament.timers", Timers(database, self.tournaments.fire, clock.now).run),
            Loop("tournament.series", self.series.run),
        )
