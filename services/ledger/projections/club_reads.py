"""Boards of clubs: what members earned from joining to leaving, by the instant of occurrence.

Nothing is kept for them. A window that lies inside a membership is the member's own row; weeks and days in it
are rows of weekly and daily sheets, some 60 for a year; the days on which a player came or went
are summed from entries. So a membership that becomes known late brings the transfers since its instant, and a
reversal finds the place of its original.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncConnection

from services.ledger.domain.boards import Cell
from services.ledger.domain.calendar import ONE_DAY
from services.ledger.domain.memberships import Days, Edge, Interval, share_of
from services.ledger.domain.windows import (
    FAMILY,
    WINDOWED,
    Board,
    Family,
    FamilyBoards,
    Sheet,
    monday,
    sheet_on,
    window_on,
)
from services.ledger.projections.effects import FAMILY_CODE, cell_columns
from services.ledger.projections.tables import LOAD_CELLS, BoardTables
from services.ledger.store.memberships import intervals

WEEK: Final = timedelta(days=7)
SUM_EDGES: Final = """
    SELECT CAST(e.account AS text), CAST(sum(e.points) AS bigint)
    FROM unnest(CAST(:accounts AS uuid[]), CAST(:days AS date[]), CAST(:starts AS timestamptz[]),
                CAST(:ends AS timestamptz[])) AS w (account, day, starts, ends)
    JOIN @entry e ON e.account = w.account AND e.family = :family AND e.day = w.day
        AND e.occurred_at >= w.starts AND e.occurred_at < w.ends AND e.seq <= :seq
    GROUP BY e.account
"""
# What rows of these sheets were before the first change behind a place in the feed.
UNDONE: Final = """
    SELECT DISTINCT ON (c.board, c.day, c.account) c.board, c.day, CAST(c.account AS text), c.old_points
    FROM (
        SELECT DISTINCT * FROM unnest(CAST(:boards AS smallint[]), CAST(:days AS date[])) AS s (board, day)
    ) AS s
    JOIN @change c ON c.board = s.board AND c.day = s.day AND c.seq > :seq
        AND c.account = ANY(CAST(:accounts AS uuid[]))
    ORDER BY c.board, c.day, c.account, c.seq
"""


class _Wanted(NamedTuple):
    """What a club's board is the sum of."""

    cells: list[Cell]
    edges: list[tuple[str, Edge]]


class ClubBoards:
    """Computes the boards of clubs. Members who left keep what they earned while they were in."""

    async def rows(
        self, connection: AsyncConnection, tables: BoardTables, club: UUID, board: Board, day: date, seq: int
    ) -> dict[str, int] | None:
        """Return the points of a club's members on what a board shows on `day`; None: unknown club.

        As they were when the boards stood at `seq` of the feed, for as long as changes are kept. Accounts
        whose points sum to 0 are left out, as on every board. Ratings have no window and no club.
        """
        members = await intervals(connection, club)
        if not members:
            return None
        head = await tables.head(connection)
        wanted = _wanted(members, board, day, year_is_kept=head.as_of_day == day)
        sums: Counter[str] = Counter()
        if wanted.cells:
            columns = cell_columns(wanted.cells)
            rows = await connection.execute(tables.sql(LOAD_CELLS), columns)
            held = {(code, of, account): points for code, of, account, points in rows}
            if head.seq > seq:
                undone = await connection.execute(tables.sql(UNDONE), {**columns, "seq": seq})
                held |= {(code, of, account): points for code, of, account, points in undone}
            for cell in zip(columns["boards"], columns["days"], columns["accounts"], strict=True):
                sums[cell[2]] += held.get(cell, 0)
        if wanted.edges:
            values = {**_edge_columns(FAMILY[board], wanted.edges), "seq": seq}
            for account, points in await connection.execute(tables.sql(SUM_EDGES), values):
                sums[account] += points
        return {account: points for account, points in sums.items() if points}


def _wanted(members: Sequence[Interval], board: Board, day: date, *, year_is_kept: bool) -> _Wanted:
    """Return the rows and parts of days that memberships share with a board's window.

    The sheet of a year shows one day alone; on others it is the sum of its days.
    """
    window, boards = window_on(board, day), WINDOWED[FAMILY[board]]
    has_sheet = year_is_kept or board is not boards.year
    wanted = _Wanted([], [])
    for member in members:
        share = share_of(member, window)
        if share is None:
            continue
        if share.is_all and has_sheet:
            wanted.cells.append(Cell(sheet_on(board, day), member.account))
            continue
        if share.days is not None:
            wanted.cells.extend(Cell(sheet, member.account) for sheet in _sheets(share.days, boards))
        wanted.edges.extend((member.account, edge) for edge in share.edges)
    return wanted


def _sheets(days: Days, boards: FamilyBoards) -> Iterator[Sheet]:
    """Yield the sheets whose sum is that of the days: whole weeks, and the days around them."""
    day = days.first
    while day <= days.last:
        is_week = day == monday(day) and day + WEEK - ONE_DAY <= days.last
        yield sheet_on(boards.weekly if is_week else boards.daily, day)
        day += WEEK if is_week else ONE_DAY


def _edge_columns(family: Family, edges: Sequence[tuple[str, Edge]]) -> dict[str, object]:
    return {
        "family": FAMILY_CODE[family],
        "accounts": [account for account, _ in edges],
        "days": [edge.day for _, edge in edges],
        "starts": [edge.start for _, edge in edges],
        "ends": [edge.end for _, edge in edges],
    }
