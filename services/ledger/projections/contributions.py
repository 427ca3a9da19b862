"""Down from a standing to the transfers that make it up, and to the events that caused them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

import asyncpg

from libs.eventsourcing.envelope import Part
from libs.eventstore.postgres.database import Database
from libs.eventstore.postgres.errors import unavailable_is_told
from libs.eventstore.postgres.rows import EVENT_COLUMNS, FEED_COLUMNS, PART_NUMBERS, to_feed_entry
from services.ledger.domain.windows import FAMILY, Board, Window
from services.ledger.events import TransferPosted
from services.ledger.projections.effects import FAMILY_CODE
from services.ledger.projections.reads import BoardReader
from services.ledger.projections.statements import HEAD
from services.ledger.wire.events import decode

ENTRIES: Final = f"""
    SELECT h.generation, h.as_of_day, h.seq, e.day, e.seq AS entry, e.points
    FROM ({HEAD}) AS h LEFT JOIN LATERAL (
        SELECT day, seq, points FROM @entry
        WHERE account = $1 AND family = $2 AND day BETWEEN $3 AND $4 AND seq <= $5 AND (day, seq) < ($6, $7)
        ORDER BY day DESC, seq DESC LIMIT $8
    ) AS e ON true
    ORDER BY e.day DESC, e.seq DESC
"""  # noqa: S608 ours
FACTS: Final = f"""
    SELECT {FEED_COLUMNS}, {EVENT_COLUMNS}
    FROM unnest($2::bigint[]) AS w (seq)
    CROSS JOIN LATERAL (SELECT * FROM feed WHERE part = $1 AND seq = w.seq OFFSET 0) AS f
    CROSS JOIN LATERAL (SELECT * FROM event
        WHERE part = f.part AND stream_id = f.stream_id AND version = f.version OFFSET 0) AS e
"""  # noqa: S608 fixed columns


@dataclass(frozen=True, slots=True)
class Scope:
    """Which entries of a player count in a standing: those of these days that were in at `seq`."""

    board: Board
    account: str
    first_day: date
    last_day: date
    seq: int

    @classmethod
    def of(cls, board: Board, account: str, window: Window | None, seq: int) -> Scope:
        """Return the scope of a window as the boards stood at `seq`; without a window everything counts."""
        first, last = (window.first_day, window.last_day) if window is not None else (date.min, date.max)
        return cls(board, account, first, last, seq)


@dataclass(frozen=True, slots=True)
class Contribution:
    """A transfer that counts in a standing, and what it adds there."""

    transfer: TransferPosted
    posted_at: datetime
    points: int
    seq: int


class Contributions:
    """Answers from the entries under the active generation of boards, and from the log."""

    def __init__(self, database: Database, boards: BoardReader) -> None:
        """Read what `boards` shows."""
        self._pool = database.pool
        self._boards = boards

    async def page(self, scope: Scope, below: tuple[date, int], limit: int) -> list[Contribution]:
        """Return contributions before a (day, place in the feed), the newest day and place first."""
        account, family = scope.account, FAMILY_CODE[FAMILY[scope.board]]
        days = scope.first_day, scope.last_day
        _, rows = await self._boards.fetch(
            ENTRIES, lambda _shown: (account, family, *days, scope.seq, *below, limit)
        )
        points = {row["entry"]: row["points"] for row in rows if row["entry"] is not None}
        facts = {row[0]: row for row in await self._facts(list(points))}
        return [_contribution(facts[seq], each) for seq, each in points.items()]

    async def _facts(self, seqs: Sequence[int]) -> list[asyncpg.Record]:
        if not seqs:
            return []
        with unavailable_is_told():
            return await self._pool.fetch(FACTS, PART_NUMBERS[Part.FACTS], seqs)


def _contribution(row: asyncpg.Record, points: int) -> Contribution:
    entry = to_feed_entry(row)
    transfer = decode(entry.event)
    assert isinstance(transfer, TransferPosted), f"{entry.event.id} moved points"
    return Contribution(transfer, entry.event.recorded_at, points, entry.seq)
