"""Matches for spectators: who may watch which, and from one round of it to the next."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import datetime, timedelta
from functools import partial
from typing import TypeAlias
from uuid import UUID

from libs.eventsourcing.ids import birth_of
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused
from libs.runtime.names import match_name
from libs.spectating.codes import check_code
from libs.spectating.hub import Seen, SpectateHub
from libs.spectating.places import Places
from libs.spectating.stages import LeftAt, Stages, follow_stages
from services.match.domain.spectating.modes import WatchedMode
from services.match.rounds import store as round_rows
from services.match.spectating.games import game_of
from services.match.watching import live
from services.match.watching.live import LiveMatch
from services.match.wire.spectating import SpectatedMatch, SpectatedUpdate

MatchHub: TypeAlias = SpectateHub[SpectatedMatch, SpectatedUpdate]
MatchSeen: TypeAlias = Seen[SpectatedMatch, SpectatedUpdate]


class SpectatedMatches:
    """The matches of the service, for those who do not sit in them. Every method raises Refused."""

    def __init__(
        self, database: Database, hub: MatchHub, places: Places, clock: Clock, delay: timedelta
    ) -> None:
        """Show what `hub` shows."""
        self._database = database
        self._hub = hub
        self._places = places
        self._clock = clock
        self._delay = delay

    async def listed(
        self, mode: WatchedMode | None, account_id: UUID, before: UUID | None, limit: int
    ) -> Sequence[LiveMatch]:
        """The matches that were played when the delay began, newest first, without the account's own."""
        shown_at = self._clock.now() - self._delay
        with unavailable_is_told():
            async with self._database.engine.connect() as connection:
                return await live.listed(connection, mode, shown_at, account_id, before, limit)

    async def open(self, match_id: UUID, account_id: UUID, code: str, left_at: LeftAt | None) -> LiveMatch:
        """A match that the account may watch; who was let in before, needs no code."""
        with unavailable_is_told():
            async with self._database.engine.connect() as connection:
                found = await live.find(connection, match_id)
        if found is None:
            raise Refused("NOT_FOUND", "no match that can be watched has this name")
        if account_id in found.accounts:
            about = {"match": match_name(match_id)}
            raise Refused("SPECTATOR_SEATED", "you have a seat in this match", about)
        if found.private and left_at is None:
            await check_code(self._database.store, account_id, code, found.code, self._clock.now())
        return found

    async def follow(
        self, found: LiveMatch, account_id: UUID, left_at: LeftAt | None
    ) -> AsyncGenerator[tuple[UUID, MatchSeen], None]:
        """What is shown of a match, with the stream it is about: each round after the other."""
        match_id = found.match_id
        stages = Stages(
            match_id, game_of(found.mode), partial(self._begun, match_id), partial(self._after, match_id)
        )
        async with aclosing(follow_stages(self._hub, self._places, stages, account_id, left_at)) as stream:
            async for seen in stream:
                yield seen

    def elapsed_ms(self, stream_id: UUID, at: datetime) -> int:
        """What the clock of a stream that is followed shows at an instant."""
        return self._hub.elapsed_ms(stream_id, at)

    async def _begun(self, match_id: UUID) -> UUID:
        """The stream to begin with: of the rounds the last one that is shown already, else the first."""
        with unavailable_is_told():
            async with self._database.engine.connect() as connection:
                rounds = await round_rows.rounds_of(connection, match_id)
        shown_at = self._clock.now() - self._delay
        shown = [round_id for round_id in rounds if birth_of(round_id) <= shown_at]
        return (shown[-1:] or rounds[:1] or [match_id])[0]

    async def _after(self, match_id: UUID, stream_id: UUID) -> UUID | None:
        """The round after one of a match; None where that was the last one, or there are no rounds."""
        with unavailable_is_told():
            async with self._database.engine.connect() as connection:
                return await round_rows.round_after(connection, match_id, stream_id)
