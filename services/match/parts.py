"""Everything the match service needs for its kinds of games of several seats, composed."""

from __future__ import annotations

from collections.abc import Callable

from libs.eventstore.outage import Outages
from libs.eventstore.postgres.database import Database
from libs.eventstore.repository import Repository
from libs.eventstore.timers import Timers
from libs.eventstore.wake import Wake
from libs.following.hub import WatchHub
from libs.runtime.service import Loop, Runtime
from libs.runtime.solving import solving_pool
from services.match.attempts.jokers import AttemptJokers
from services.match.attempts.play import Attempts
from services.match.beginnings import Beginnings
from services.match.domain.rivals import evolve as round_evolution
from services.match.history.parts import HistoryParts
from services.match.jokers import Jokers
from services.match.pools.servicer import PoolParts
from services.match.races.parts import RaceParts
from services.match.rematches.servicer import RematchParts
from services.match.rounds.directory import Directory
from services.match.rounds.jokers import RoundJokers
from services.match.rounds.matches import Matches
from services.match.rounds.play import ROUND_KIND, RoundHub, RoundRepository, Rounds
from services.match.rounds.referee import Referee
from services.match.rounds.routing import MatchRounds
from services.match.timers import GameTimers
from services.match.tournaments.servicer import TournamentMatchServicer
from services.match.tournaments.tables import TournamentTables
from services.match.wire.joker_ledger import JokerLedger
from services.match.wire.round_codec import RoundCodec


class RoundParts:
    """Everything the service needs for matches of several seats, and for jokers in all, composed."""

    def __init__(
        self,
        runtime: Runtime,
        database: Database,
        attempts: Callable[[Outages], Attempts],
        levels: tuple[int, ...],
        wake: Wake,
        ledger: JokerLedger,
    ) -> None:
        """Deal on the recipes of `levels`; `attempts` makes those of a process that serves, or only works."""
        store, clock, bus = database.store, runtime.clock, runtime.bus
        codec = RoundCodec()
        repository: RoundRepository = Repository(round_evolution, codec, store)
        self.solvers = solving_pool(2)
        self.outages = Outages(database, beats=True)
        seen_by_workers = Outages(database, beats=False)
        self.hub: RoundHub = WatchHub(ROUND_KIND, codec, store, bus, clock)
        self.directory = Directory(database)

        referee = Referee(self.solvers.run)

        self.matches = Matches(levels, runtime.randomness, clock)

        def rounds(outages: Outages) -> Rounds:
            return Rounds(store, repository, referee, outages, self.matches, clock, wake, self.hub)

        jokers = Jokers(ledger, clock)
        serving, at_work = rounds(self.outages), rounds(seen_by_workers)
        self.match_rounds = MatchRounds(
            serving, RoundJokers(serving, jokers, clock), self.directory, self.hub
        )
        self.attempts, attempts_at_work = attempts(self.outages), attempts(seen_by_workers)
        self.history = HistoryParts(runtime, database, self.attempts, serving, self.solvers.run)
        self.attempt_jokers = AttemptJokers(self.attempts, jokers, referee.partner, clock)
        jokers_at_work = AttemptJokers(attempts_at_work, jokers, referee.partner, clock)
        self.pools = PoolParts(runtime, database, self.solvers.run, self.outages, seen_by_workers, wake)
        tables = TournamentTables(database, self.matches, serving, bus, wake, clock)
        self.tournament_matches = TournamentMatchServicer(tables)
        round_jokers = RoundJokers(at_work, jokers, clock)
        fire = GameTimers(at_work, round_jokers, jokers_at_work, self.pools.at_work, self.pools.escrow).fire
        self.races = RaceParts(runtime, database, self.solvers.run, self.outages, seen_by_workers, wake)
        self.begin = Beginnings(self.matches, self.pools.beginnings, self.races.beginnings).begin
        self.rematches = RematchParts(runtime, database, self.begin, wake)
        fire_all = self.rematches.or_else(self.races.or_else(fire))
        timers = Timers(database, fire_all, clock.now, held=seen_by_workers.is_ongoing)
        self.serving = (
            Loop("match.watch_rounds", self.hub.run),
            Loop("match.heartbeat", self.outages.run),
            *self.pools.serving,
            *self.races.serving,
            *self.rematches.serving,
        )
        self.working = (
            Loop("match.timers", timers.run),
            *self.races.working,
            *self.rematches.working,
            *self.history.working,
        )
