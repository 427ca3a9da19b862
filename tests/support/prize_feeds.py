"""Facts of tournaments that award and revoke prizes, as the tournament service stores them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID, uuid4

from libs.eventsourcing.envelope import FeedEntry, NewEvent, Part, RecordedEvent
from libs.eventstore.port import Appended, StreamAppend
from libs.eventstore.postgres.database import Database
from libs.eventstore.sequencer import Sequencer
from services.tournament.domain.tournament.events import PrizesAwarded, PrizesRevoked
from services.tournament.domain.tournament.terms import Prize
from services.tournament.domain.tournament.words import Award
from services.tournament.wire.tournament_codec import TournamentCodec

SOURCE = "local/tournament"


def award(number: int, account: UUID, points: int = 0, jokers: int = 0, cup: str = "") -> Award:
    """A prize of the place with the number of the award."""
    return Award(number, number, number, account, Prize(points, jokers, cup))


def awarded(*awards: Award, finished_at: datetime) -> NewEvent:
    """Prizes to be paid."""
    return stored(PrizesAwarded(awards, finished_at, finished_at))


def revoked(*awards: Award, finished_at: datetime) -> NewEvent:
    """Prizes to be taken back."""
    return stored(PrizesRevoked(awards, finished_at, finished_at))


def stored(event: PrizesAwarded | PrizesRevoked) -> NewEvent:
    """A fact as the tournament service appends it."""
    part, type_, version, data = TournamentCodec().encode(event)
    return NewEvent(part, type_, version, event.occurred_at, data)


def recorded(event: NewEvent, tournament: UUID, at: datetime, version: int = 1) -> RecordedEvent:
    """A fact of a tournament as its feed tells it."""
    return RecordedEvent(
        tournament, version, event.part, event.type, 1, event.occurred_at, at, uuid4(), None, 0, event.data
    )


async def record(
    database: Database, tournament: UUID, events: Sequence[NewEvent], at: datetime, version: int = 0
) -> None:
    """Store facts of a tournament of which `version` are stored already."""
    append = StreamAppend(tournament, version, tuple(events))
    assert isinstance(await database.store.append([append], recorded_at=at, caller=uuid4()), Appended)


async def feed(database: Database) -> list[FeedEntry]:
    """Place what is stored, and return the whole feed."""
    await Sequencer(database, Part.FACTS).step(1)
    return await database.feed.read(Part.FACTS, 1)
