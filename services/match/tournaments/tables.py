"""Beginning and cutting the tables of a tournament. Each call may be made again, however often."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Final
from uuid import UUID

from libs.bus.port import Bus
from libs.bus.topology import ticket_subject
from libs.eventstore.faults import fault
from libs.eventstore.port import EventStore, Transaction
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told
from libs.eventstore.wake import Wake
from libs.queueing.hints import hint
from libs.queueing.store import lock_accounts
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused
from libs.runtime.names import match_name
from services.match.domain.queueing import Seating
from services.match.domain.rivals.stage import TournamentStage
from services.match.rounds import store as round_rows
from services.match.rounds.matches import Matches
from services.match.rounds.play import Rounds
from services.match.tournaments import store as rows

CUTS_AT_ONCE: Final = 8


class TournamentTables:
    """The tables of all tournaments. Every method raises Refused."""

    def __init__(
        self, database: Database, matches: Matches, rounds: Rounds, bus: Bus, wake: Wake, clock: Clock
    ) -> None:
        """Begin `matches` and cut `rounds`; the bus only makes it faster."""
        self._database = database
        self._store: EventStore = database.store
        self._matches = matches
        self._rounds = rounds
        self._bus = bus
        self._wake = wake
        self._clock = clock

    async def begin(self, laid_down: TournamentStage, seating: Seating) -> None:
        """Begin those tables that have not begun, all in one transaction. Raises KEY_REUSED."""
        with unavailable_is_told():
            async with self._store.transaction() as transaction:
                cancelled = await self._begin(transaction, laid_down, seating)
                fault("match.tables_begun")
        fault("match.tables_committed")
        await self._wake.nudge()
        for ticket_id in cancelled:
            await hint(self._bus, ticket_subject(ticket_id))

    async def cut(self, match_ids: Collection[UUID], at: datetime) -> list[UUID]:
        """End matches as they stand; return those that have not begun."""
        with unavailable_is_told():
            async with self._database.engine.connect() as connection:
                known = await rows.known_tables(connection, match_ids)
                round_ids = [await round_rows.round_of(connection, match_id) for match_id in known]
        at_once = asyncio.Semaphore(CUTS_AT_ONCE)

        async def cut(round_id: UUID) -> None:
            async with at_once:
                await self._rounds.cut(round_id, min(at, self._clock.now()))
                fault("match.table_cut")

        async with asyncio.TaskGroup() as cutting:
            for round_id in round_ids:
                assert round_id is not None, "a table begins with its round"
                cutting.create_task(cut(round_id))
        return [match_id for match_id in match_ids if match_id not in known]

    async def _begin(
        self, transaction: Transaction, laid_down: TournamentStage, seating: Seating
    ) -> Collection[UUID]:
        """Begin what is new; return the tickets that were cancelled for it."""
        connection = transaction.connection
        new = await rows.enter_tables(connection, laid_down, seating)
        _check_same(laid_down, seating, await rows.known_tables(connection, seating.keys() - new))
        if not new:
            return ()
        begun = {match_id: accounts for match_id, accounts in seating.items() if match_id in new}
        accounts = [account_id for seats in begun.values() for account_id in seats]
        # Accounts, then tickets, then seats: the order in which others take them.
        await lock_accounts(connection, accounts)
        now = self._clock.now()
        cancelled = await rows.cancel_waiting(connection, accounts, now)
        fault("match.tickets_cancelled")
        await rows.take_free_seats(connection, begun, now)
        await self._matches.begin_tables(transaction, begun, laid_down, now)
        return cancelled


def _check_same(
    laid_down: TournamentStage,
    seating: Seating,
    known: Mapping[UUID, tuple[TournamentStage, tuple[UUID, ...]]],
) -> None:
    """Refuse what was begun before with other contents."""
    for match_id, before in known.items():
        if before != (laid_down, seating[match_id]):
            about = {"match": match_name(match_id)}
            raise Refused("KEY_REUSED", "this table was begun with other contents", about)
