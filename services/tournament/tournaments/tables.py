"""What tournaments ask of the match service: tables that were seated are begun, those that end are cut.

A durable timer stands with the facts that make it necessary, and asks until the match service has answered.
What is asked follows from the tournament as it is then, and each question may be asked again.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final, Protocol
from uuid import UUID

import grpc
import structlog

from libs.bus.port import Bus
from libs.bus.topology import tournament_subject
from libs.eventstore.faults import fault
from libs.eventstore.port import EventStore
from libs.queueing.hints import hint
from libs.runtime.clock import Clock
from services.tournament.domain.tournament.state import Cancelled, Counting, Existing, RoundRow
from services.tournament.tournaments.store import mark_begun
from services.tournament.tournaments.tournaments import TABLES_TIMER, Tournaments

ASK_AGAIN: Final = timedelta(milliseconds=250)
"""Pause before the match service is asked again where it did not answer, for as long as it takes."""
REFUSED_AGAIN: Final = timedelta(seconds=5)
"""The same where it refused: an operator, or another version of it, has to help."""
SILENT: Final = frozenset(
    {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.ABORTED}
)

log = structlog.get_logger(__name__)


class Matches(Protocol):
    """The match service, as far as it is asked; see wire.match_tables."""

    async def begin(
        self,
        tournament_id: UUID,
        round_number: int,
        round_limit: timedelta,
        ends_at: datetime,
        tables: dict[UUID, list[UUID]],
    ) -> None:
        """Begin tables."""
        ...

    async def cut(self, match_ids: list[UUID], at: datetime) -> list[UUID]:
        """End matches; return those that have not begun."""
        ...


class TournamentTables:
    """The tables of all tournaments at the match service."""

    def __init__(
        self, tournaments: Tournaments, matches: Matches, store: EventStore, bus: Bus, clock: Clock
    ) -> None:
        """Ask `matches`; the bus only makes it faster for who watches."""
        self._store = store
        self._bus = bus
        self._tournaments = tournaments
        self._matches = matches
        self._clock = clock

    async def fire(self, stream_id: UUID, kind: str, _due: datetime) -> datetime | None:
        """Ask what is to be asked; return when to ask again where there was no answer."""
        assert kind == TABLES_TIMER, f"tables have no timer {kind}"
        state, _version = await self._tournaments.read(stream_id)
        fault("tournament.tables_due")
        try:
            await self._ask(state)
        except grpc.aio.AioRpcError as error:
            is_silent = error.code() in SILENT
            told = {"tournament": str(stream_id), "status": error.code().name, "error": error.details()}
            if is_silent:
                log.warning("tournament.match_silent", **told)
            else:
                log.exception("tournament.match_refused", **told)
            return self._clock.now() + (ASK_AGAIN if is_silent else REFUSED_AGAIN)
        fault("tournament.tables_asked")
        return None

    async def _ask(self, state: Existing) -> None:
        """Begin what is played; where the end has come, cut it. What was voided while played is cut, too.

        The last round goes first, and what was voided goes last: the match service may never know it, and
        refuse it for ever, which is what an operator voids a table for.
        """
        is_over = isinstance(state, Counting | Cancelled)
        for played in reversed(state.field.rounds):
            open_ = [row.table.match_id for row in played.tables if row.ended_at is None]
            voided = [
                row.table.match_id for row in played.tables if row.ended_at is not None and row.ends is None
            ]
            if is_over:
                await self._cut(state, played, open_)
            elif open_:
                await self._begin(state, played, open_)
                await self._tell_begun(state, played)
            await self._cut(state, played, voided)

    async def _tell_begun(self, state: Existing, played: RoundRow) -> None:
        """Let players know that there is a match to go to."""
        tournament_id = state.field.plan.tournament_id
        async with self._store.transaction() as transaction:
            await mark_begun(transaction.connection, tournament_id, played.number)
        await hint(self._bus, tournament_subject(tournament_id))

    async def _cut(self, state: Existing, played: RoundRow, match_ids: list[UUID]) -> None:
        """End these; one that another process is only just beginning begins first, and ends."""
        if not match_ids:
            return
        unknown = await self._matches.cut(match_ids, self._clock.now())
        if unknown:
            await self._begin(state, played, unknown)
            await self._matches.cut(unknown, self._clock.now())

    async def _begin(self, state: Existing, played: RoundRow, match_ids: Collection[UUID]) -> None:
        field = state.field
        seats = {
            row.table.match_id: [field.entrants[player].account_id for player in row.table.players]
            for row in played.tables
            if row.table.match_id in match_ids
        }
        plan = field.plan
        limit = plan.terms.times.round_limit
        await self._matches.begin(plan.tournament_id, played.number, limit, plan.ends_at, seats)
