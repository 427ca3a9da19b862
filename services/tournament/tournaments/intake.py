"""What matches tell, and what tournaments make of it: a table is over."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID, uuid5

from libs.eventsourcing.envelope import FeedEntry
from libs.eventstore.checkpoint import advance, park
from libs.eventstore.faults import fault
from libs.eventstore.port import EventStore, Request, Transaction
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused
from services.tournament.domain.tournament.commands import ReportTable
from services.tournament.tournaments.store import SYSTEM
from services.tournament.tournaments.tournaments import Tournaments
from services.tournament.wire.match_facts import TOURNAMENT_MATCH_ENDED, TableOver, table_over

INTAKE: Final = "tournament-match-intake"
"""Consumer, checkpoint and lease of the match service's facts."""
DECLARED: Final[Mapping[str, int]] = {TOURNAMENT_MATCH_ENDED: 1}
"""The types that the intake acts on, with the newest schema version it knows."""
TRANSIENT: Final = "STREAM_CONFLICT"
"""A refusal that another try may not meet."""


class MatchFacts:
    """Reports tables that are over, each with the checkpoint in one transaction."""

    def __init__(self, tournaments: Tournaments, store: EventStore, clock: Clock) -> None:
        """Report to `tournaments`, which keep their facts in `store`."""
        self._tournaments = tournaments
        self._store = store
        self._clock = clock

    async def handle(self, entries: Sequence[FeedEntry], epoch: int) -> None:
        """Take in entries of declared types, in order; what makes no sense is parked for an operator."""
        for entry in entries:
            await self._take(entry, epoch)
            fault("tournament.table_reported")

    async def _take(self, entry: FeedEntry, epoch: int) -> None:
        try:
            told = table_over(entry.event)
        except ValueError as error:
            await self._park(entry, epoch, f"MALFORMED: {error}")
            return

        async def beside(transaction: Transaction) -> None:
            await advance(transaction.connection, INTAKE, epoch, entry.seq, entry.chain)

        command = ReportTable(told.match_id, told.results, told.is_cut, told.ended_at, self._clock.now())
        try:
            await self._tournaments.carry_out(told.tournament_id, command, report_request(told), beside)
        except Refused as error:
            if error.reason == TRANSIENT:
                raise
            await self._park(entry, epoch, f"{error.reason}: {told.match_id}")

    async def _park(self, entry: FeedEntry, epoch: int, reason: str) -> None:
        async with self._store.transaction() as transaction:
            await park(transaction.connection, INTAKE, entry, reason, self._clock.now())
            await advance(transaction.connection, INTAKE, epoch, entry.seq, entry.chain)


def report_request(told: TableOver) -> Request:
    """The key of a table's report: one for each match."""
    what = b"report/" + told.match_id.bytes
    return Request(SYSTEM, _name(told.match_id), hashlib.sha256(what).digest())


def _name(match_id: UUID) -> str:
    return str(uuid5(match_id, "report"))
