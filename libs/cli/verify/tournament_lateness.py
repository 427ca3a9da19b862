"""How late the steps of a tournament were taken that are due by the clock alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from libs.cli.verify.collect import Feeds
from libs.cli.verify.tournament_log import tournament_events
from libs.eventsourcing.envelope import RecordedEvent
from services.tournament.domain.tournament.events import (
    RegistrationOpened,
    RoundSeated,
    TournamentClosing,
    TournamentStarted,
)
from services.tournament.domain.tournament.words import Ending
from services.tournament.wire.tournament_codec import TournamentCodec

BY_THE_CLOCK: Final = (RegistrationOpened, TournamentStarted, RoundSeated, TournamentClosing)
"""Opening, start, seatings, and the end: of these the closing may have other reasons than its time."""


async def steps_late_s(feeds: Feeds, tournament_id: UUID) -> tuple[float, ...]:
    """Seconds from the due instant of each step to the instant at which it was taken, in their order."""
    return tuple(lateness_s(await tournament_events(feeds, tournament_id)))


def lateness_s(recorded: Iterable[RecordedEvent]) -> list[float]:
    """The same of a tournament's events: what is recorded occurred when it was due.

    Never below 0: replicas that are milliseconds apart may record a step before the due instant of another.
    """
    codec = TournamentCodec()
    return [
        max(0.0, (event.recorded_at - event.occurred_at).total_seconds())
        for event in recorded
        if _is_by_the_clock(codec.decode(event))
    ]


def _is_by_the_clock(fact: object) -> bool:
    if isinstance(fact, TournamentClosing):
        return fact.reason is Ending.TIME
    return isinstance(fact, BY_THE_CLOCK)
