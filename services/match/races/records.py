"""What players have come to in races."""

from __future__ import annotations

from uuid import UUID

from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told
from services.match.domain.race.rating import Rating
from services.match.races import store as rows


class Records:
    """Ratings and personal best times."""

    def __init__(self, database: Database) -> None:
        """Read from the service's rows."""
        self._database = database

    async def of(self, account_id: UUID) -> tuple[Rating | None, list[rows.Best]]:
        """An account's rating, if it has one, and best times."""
        with unavailable_is_told():
            async with self._database.engine.connect() as connection:
                ratings = await rows.ratings_of(connection, [account_id])
                return ratings.get(account_id), await rows.bests_of(connection, account_id)
