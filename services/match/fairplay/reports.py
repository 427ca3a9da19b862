"""Reports of players about players: taken once each, a few a day, closed by an operator."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from libs.eventsourcing.envelope import RecordedEvent
from libs.eventsourcing.ids import RANDOM_BYTES, uuid7
from libs.eventstore.port import Request, Transaction
from libs.eventstore.postgres.database import Database
from libs.runtime.errors import Refused
from libs.runtime.names import match_name, player_name
from services.match.domain.fair_play.reporting import DAY, Closing, Report, ReportReason, ReportRefusal
from services.match.fairplay import report_store as rows
from services.match.fairplay.once import earlier, once
from services.match.wire.fair_play import seated


class Reports:
    """The reports of all players. Every method raises Refused."""

    def __init__(self, database: Database, randomness: Callable[[int], bytes], a_day: int) -> None:
        """Take at most `a_day` reports of a player in 24 hours."""
        self._database = database
        self._randomness = randomness
        self._a_day = a_day

    async def report(
        self,
        reporter: UUID,
        about: UUID,
        match_id: UUID | None,
        reason: ReportReason,
        text: str,
        request: Request,
        reply: Callable[[UUID], bytes],
        now: datetime,
    ) -> bytes:
        """Take a report; return the reply that this request got first."""

        async def work(transaction: Transaction) -> bytes:
            await transaction.lock(f"reports/{reporter}")
            connection = transaction.connection
            if match_id is None and not await rows.has_played(connection, about):
                raise _refused(ReportRefusal.NOT_FOUND, about)
            made = await rows.reported_since(connection, reporter, now - DAY)
            if len(made) >= self._a_day:
                again_ms = max(1, (made[-self._a_day] + DAY - now) // DAY.resolution // 1_000)
                raise _refused(ReportRefusal.RATE_LIMIT, about, again_ms)
            report_id = uuid7(now, self._randomness(RANDOM_BYTES))
            if not await rows.insert(
                connection, Report(report_id, reporter, about, match_id, reason, text, now)
            ):
                raise _refused(ReportRefusal.ALREADY_REPORTED, about)
            return reply(report_id)

        if (told := await earlier(self._database, request)) is not None:
            return told
        if match_id is not None and about not in seated(await self._first_of(match_id)):
            name = match_name(match_id)
            raise Refused("NOT_FOUND", f"this player has no seat in {name}", {"name": name})
        return await once(self._database, request, work, now)

    async def close(
        self,
        report_id: UUID,
        closing: Closing,
        request: Request,
        reply: Callable[[Report], bytes],
    ) -> bytes:
        """Close a report, or leave it as it was closed before; return the reply of this request."""

        async def work(transaction: Transaction) -> bytes:
            report = await rows.close(transaction.connection, report_id, closing)
            if report is None:
                name = f"reports/{report_id}"
                raise Refused("NOT_FOUND", f"there is no {name}", {"name": name})
            return reply(report)

        told = await earlier(self._database, request)
        return told if told is not None else await once(self._database, request, work, closing.at)

    async def page(
        self, limit: int, *, about: UUID | None, with_closed: bool, before: UUID | None
    ) -> list[Report]:
        """Reports, the newest first."""
        async with self._database.engine.connect() as connection:
            return await rows.page(connection, limit, about=about, with_closed=with_closed, before=before)

    async def _first_of(self, match_id: UUID) -> RecordedEvent | None:
        """The fact that a match, an attempt, a race or a game of the pool began with."""
        recorded = await self._database.store.load(match_id)
        return recorded[0] if recorded else None


def _refused(refusal: ReportRefusal, about: UUID, again_ms: int | None = None) -> Refused:
    name = player_name(about)
    message = {
        ReportRefusal.NOT_FOUND: f"nobody called {name} has played here",
        ReportRefusal.ALREADY_REPORTED: "your report about this player is open: an operator will look at it",
        ReportRefusal.RATE_LIMIT: "you have made all your reports of 24 hours",
    }[refusal]
    return Refused(refusal.value, message, {"player": name}, retry_after_ms=again_ms)
