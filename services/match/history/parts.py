"""Everything the match service needs to tell games that are over, composed."""

from __future__ import annotations

from libs.eventstore.loops import leased
from libs.eventstore.postgres.database import Database
from libs.runtime.service import Loop, Runtime
from services.match.attempts.play import Attempts
from services.match.history.projector import HISTORY, history_projector
from services.match.history.reading import Histories
from services.match.history.servicer import HistoryServicer
from services.match.rounds.play import Rounds
from services.match.rounds.referee import Runs


class HistoryParts:
    """The histories of one process."""

    def __init__(
        self, runtime: Runtime, database: Database, attempts: Attempts, rounds: Rounds, run: Runs
    ) -> None:
        """Let `run` ask the solver."""
        histories = Histories(attempts, rounds, database, run, runtime.clock)
        self.servicer = HistoryServicer(histories, runtime.clock, runtime.opaque)
        projector = history_projector(database, runtime.clock.now)
        entering = leased(database, HISTORY, runtime.holder, projector.run)
        self.working = (Loop("match.history", entering),)
