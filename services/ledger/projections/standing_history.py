"""A player's year: points of each day, and points and rank on AMR at its end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from services.ledger.domain.standing_days import DayEntry, StandingDay, standing_days
from services.ledger.domain.windows import AMR_DAYS, Board, Family
from services.ledger.projections.admission import Admission
from services.ledger.projections.effects import BOARD_CODE, FAMILY_CODE
from services.ledger.projections.reads import BoardReader
from services.ledger.projections.statements import HEAD

ENTRIES: Final = f"""
    SELECT h.*, e.entry, e.day, e.points
    FROM ({HEAD}) AS h LEFT JOIN LATERAL (
        SELECT seq AS entry, day, points FROM @entry
        WHERE account = $1 AND family = $2 AND day BETWEEN $3 AND $4 AND seq <= $5
    ) AS e ON true
"""  # noqa: S608 ours
CLOSED: Final = f"""
    SELECT h.*, c.closed_day, c.closing
    FROM ({HEAD}) AS h LEFT JOIN LATERAL (
        SELECT closed_day, seq AS closing FROM @history
        WHERE closed_day BETWEEN $1 AND $2 AND board = $3 AND seq <= $4
    ) AS c ON true
"""  # noqa: S608 ours
# A binary search in points that rise: those at the place after it are more, and so many players have them.
RANKS: Final = f"""
    SELECT h.*, r.day, r.rank
    FROM ({HEAD}) AS h LEFT JOIN LATERAL (
        SELECT q.day, 1 + coalesce(k.players[width_bucket(q.points, k.points) + 1], 0) AS rank
        FROM unnest($1::date[], $2::bigint[]) AS q (day, points)
        JOIN @history k ON k.closed_day = q.day AND k.board = $3
    ) AS r ON true
"""  # noqa: S608 ours


@dataclass(frozen=True, slots=True)
class RankedDay:
    """A day of a player; the rank is 0 when not listed at its end, or when that is not known."""

    day: StandingDay
    rank: int


class StandingHistory:
    """Answers from entries and from the boards that were kept when days were closed."""

    def __init__(self, boards: BoardReader) -> None:
        """Read what `boards` shows."""
        self._boards = boards
        self._admission = Admission()
        self._one_at_a_time = asyncio.Lock()

    async def days(self, account: str, count: int) -> list[RankedDay]:
        """Return so many days of a player, the shown one last.

        Raises BoardsNotOpenError, Refused RATE_LIMIT.
        """
        now = await self._boards.standings(account, (Board.AMR,))
        (standing,) = now.rows
        days = [now.as_of_day - timedelta(days=back) for back in reversed(range(count))]
        entries = await self._entries(account, days, now.seq)
        closed = await self._closed(days, now.seq)
        found = await asyncio.to_thread(standing_days, entries, closed, days)
        ranked = [day for day in found if day.day in closed and day.year_points]
        with self._admission.admitted():
            async with self._one_at_a_time:  # reads whole boards: other readers keep their connections
                ranks = await self._ranks(ranked)
        if standing.entry is not None:
            ranks[now.as_of_day] = standing.entry.rank
        return [RankedDay(day, ranks.get(day.day, 0)) for day in found]

    async def _entries(self, account: str, days: Sequence[date], seq: int) -> list[DayEntry]:
        wanted = days[0] - timedelta(days=AMR_DAYS - 1), days[-1]
        family = FAMILY_CODE[Family.POINTS]
        _, rows = await self._boards.fetch(ENTRIES, lambda _shown: (account, family, *wanted, seq))
        return [DayEntry(row["entry"], row["day"], row["points"]) for row in rows if row["entry"] is not None]

    async def _closed(self, days: Sequence[date], seq: int) -> dict[date, int]:
        code = BOARD_CODE[Board.AMR]
        _, rows = await self._boards.fetch(CLOSED, lambda _shown: (days[0], days[-1], code, seq))
        return {row["closed_day"]: row["closing"] for row in rows if row["closed_day"] is not None}

    async def _ranks(self, days: Sequence[StandingDay]) -> dict[date, int]:
        asked = [day.day for day in days], [day.year_points for day in days]
        _, rows = await self._boards.fetch(RANKS, lambda _shown: (*asked, BOARD_CODE[Board.AMR]))
        return {row["day"]: row["rank"] for row in rows if row["day"] is not None}
