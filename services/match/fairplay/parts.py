"""Everything the match service needs for fair play, composed."""

from __future__ import annotations

from datetime import timedelta

from libs.eventstore.loops import leased
from libs.eventstore.postgres.database import Database
from libs.runtime.config import Settings
from libs.runtime.service import Loop, Runtime
from services.match.domain.fair_play.judging import Thresholds
from services.match.fairplay.flags import Flags
from services.match.fairplay.projector import FAIR_PLAY, FairPlayProjector
from services.match.fairplay.reports import Reports
from services.match.fairplay.servicer import FairPlayServicer


class FairPlayParts:
    """The fair play of one process."""

    def __init__(self, runtime: Runtime, database: Database) -> None:
        """Judge by the settings."""
        settings, clock = runtime.settings, runtime.clock
        reports = Reports(database, runtime.randomness, settings.reports_per_day)
        self.servicer = FairPlayServicer(database, Flags(database), reports, clock, runtime.opaque)
        self.projector = FairPlayProjector(
            database, thresholds(settings), timedelta(days=settings.fair_play_window_days), clock.now
        )
        counting = leased(database, FAIR_PLAY, runtime.holder, self.projector.run)
        self.working = (Loop("match.fair_play", counting),)


def thresholds(settings: Settings) -> Thresholds:
    """Where play stops being a person's."""
    return Thresholds(
        pace_ms=settings.fair_play_pace_ms,
        pairs_min=settings.fair_play_pairs_min,
        careful_per_mille={
            False: settings.fair_play_careful_per_mille,
            True: settings.fair_play_careful_hard_per_mille,
        },
        choices_min=settings.fair_play_choices_min,
        one_in=settings.fair_play_one_in,
    )
