"""Which kind of game a match id names: an attempt of one player, or a match of several seats."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final
from uuid import UUID

from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told
from services.match.rounds import store as rows

KEPT_MAX: Final = 20_000


class Directory:
    """Answers, least recently used ones forgotten.

    "None" is kept of attempts alone: a tournament tells the id of a match before that has begun. In a match
    of several rounds the answer may be that of a while ago: a round that is over leads on to the next one.
    """

    def __init__(self, database: Database) -> None:
        """Look into the service's rows."""
        self._database = database
        self._rounds: OrderedDict[UUID, UUID | None] = OrderedDict()

    async def round_of(self, match_id: UUID) -> UUID | None:
        """The round that a match of several seats is in, or was; None for everything else."""
        if match_id not in self._rounds:
            with unavailable_is_told():
                async with self._database.engine.connect() as connection:
                    found = await rows.round_of(connection, match_id)
                    if found is None and not await rows.is_attempt(connection, match_id):
                        return None
            self._keep(match_id, found)
        self._rounds.move_to_end(match_id)
        return self._rounds[match_id]

    async def round_after(self, match_id: UUID, round_id: UUID) -> UUID | None:
        """The round that follows one of a match; None where none does, or not yet."""
        with unavailable_is_told():
            async with self._database.engine.connect() as connection:
                found = await rows.round_after(connection, match_id, round_id)
        if found is not None and self._rounds.get(match_id) == round_id:
            self._keep(match_id, found)
        return found

    def attempt_began(self, attempt_id: UUID) -> None:
        """Keep that this id names an attempt: its next command need not ask."""
        self._keep(attempt_id, None)

    def _keep(self, match_id: UUID, round_id: UUID | None) -> None:
        if len(self._rounds) >= KEPT_MAX:
            self._rounds.popitem(last=False)
        self._rounds[match_id] = round_id
