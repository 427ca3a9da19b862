"""Boards of a year with millions of entries on a real database, as a fold would leave them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from services.ledger.domain.windows import AMR_DAYS
from services.ledger.projections.projector import BoardProjector
from tests.bench.bulk_loading import Connection, settle, without_indexes

# Each day others play, once each, for 5 to 60 points: the steps are coprime to the number of players.
ENTRIES: Final = """
    INSERT INTO @entry (account, family, day, seq, points, occurred_at)
    SELECT md5('player ' || (day_at::bigint * 7919 + at * 7) % $3)::uuid, 1, $1::date + day_at,
           day_at::bigint * $4 + at, 5 * (1 + (day_at * 31 + at * 17) % 12),
           ($1::date + day_at)::timestamp AT TIME ZONE 'UTC' + interval '12 hours'
    FROM generate_series(0, $2::integer - 1) AS day_at, generate_series(1, $4::integer) AS at
"""
ROWS: Final = """
    INSERT INTO @row (board, day, account, points)
    SELECT 3, day, account, points FROM @entry
    UNION ALL
    SELECT 2, date_trunc('week', day)::date, account, sum(points) FROM @entry GROUP BY 2, 3
    UNION ALL
    SELECT 1, DATE '-infinity', account, sum(points) FROM @entry GROUP BY account
"""
COUNTS: Final = """
    INSERT INTO @count (board, day, coarse, bucket, players)
    SELECT board, day, false, points, count(*) FROM @row GROUP BY board, day, points
    UNION ALL
    SELECT board, day, true, points >> 8, count(*) FROM @row GROUP BY board, day, points >> 8
"""
# What the year's sheet must be: the sums of the 365 days up to the one shown.
WRONG_SUMS: Final = """
    SELECT count(*) FROM (SELECT account, points FROM @row WHERE board = 1) AS kept
    FULL JOIN (
        SELECT account, sum(points) AS points FROM @entry WHERE day BETWEEN $1::date - 364 AND $1 GROUP BY 1
    ) AS summed USING (account)
    WHERE kept.points IS DISTINCT FROM summed.points
"""


@dataclass(frozen=True, slots=True)
class Year:
    """How much is played, up to the day that the boards show."""

    last_day: date
    players: int = 200_000
    players_a_day: int = 27_400
    generation: int = 2

    @property
    def first_day(self) -> date:
        """The first day of the window."""
        return self.last_day - timedelta(days=AMR_DAYS - 1)

    @property
    def entries(self) -> int:
        """How many transfers were counted."""
        return self.players_a_day * AMR_DAYS

    def sql(self, template: str) -> str:
        """Return a statement on the generation's tables."""
        for table in ("row", "count", "entry"):
            template = template.replace(f"@{table}", f"board_{table}_g{self.generation}")
        return template


async def load(connection: Connection, year: Year, projector: BoardProjector) -> None:
    """Fill the tables of a ledger in which nothing happened yet; its feed goes on after the entries.

    The digest begins at 0: what a fold does to it takes the same time from any start.
    """
    days = (year.first_day, AMR_DAYS)
    async with without_indexes(connection, year.sql("@row"), year.sql("@entry")):
        await connection.execute(year.sql(ENTRIES), *days, year.players, year.players_a_day)
        await connection.execute(year.sql(ROWS))
        await connection.execute(year.sql(COUNTS))
    await connection.execute("UPDATE feed_head SET last_seq = $1 WHERE part = 1", year.entries)
    await connection.execute(
        "INSERT INTO checkpoint (name, seq, epoch) VALUES ($1, $2, 1)", projector.name, year.entries
    )
    await connection.execute(
        "UPDATE board_state SET as_of_day = $1 WHERE generation = $2", year.last_day, year.generation
    )
    await settle(connection)


async def wrong_sums(connection: Connection, year: Year, shown: date) -> int:
    """Return how many players' rows of the year are not the sums of their entries."""
    wrong: int = await connection.fetchval(year.sql(WRONG_SUMS), shown)
    return wrong
