"""One generation of board tables: the rows a fold needs, loaded; what it changed, written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from typing import Any, Final
from uuid import UUID

from sqlalchemy import TextClause, text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.ledger.domain.boards import Boards, Cell, Change, Reach, net
from services.ledger.domain.ranks import counts_moved
from services.ledger.domain.windows import AMR_SHEET_DAY, Board, Sheet

BOARD_CODE: Final = {Board.AMR: 1, Board.WEEKLY: 2, Board.DAILY: 3}
BOARD_OF_CODE: Final = {code: board for board, code in BOARD_CODE.items()}

HEAD: Final = """
    SELECT s.generation, s.as_of_day, s.digest, coalesce(c.seq, 0) AS seq
    FROM board_state s LEFT JOIN checkpoint c ON c.name = 'boards_g' || s.generation
    WHERE s.generation = coalesce(CAST(:generation AS integer), (SELECT generation FROM active_generation))
"""
# LATERAL with OFFSET 0 keeps these one index probe per row, whatever the planner thinks of tables that grew
# since it last looked.
LOAD_CELLS: Final = """
    SELECT r.*
    FROM unnest(CAST(:boards AS smallint[]), CAST(:days AS date[]), CAST(:accounts AS uuid[]))
         AS c (board, day, account)
    CROSS JOIN LATERAL (
        SELECT board, day, account, points FROM @row
        WHERE board = c.board AND day = c.day AND account = c.account OFFSET 0
    ) AS r
"""
LOAD_SHEETS: Final = """
    WITH daily AS MATERIALIZED (
        SELECT r.* FROM unnest(CAST(:days AS date[])) AS d (day)
        CROSS JOIN LATERAL (
            SELECT board, day, account, points FROM @row WHERE board = :daily AND day = d.day OFFSET 0
        ) AS r
    )
    SELECT * FROM daily
    UNION ALL
    SELECT r.* FROM (SELECT DISTINCT account FROM daily) AS a
    CROSS JOIN LATERAL (
        SELECT board, day, account, points FROM @row
        WHERE board = :amr AND day = :amr_day AND account = a.account OFFSET 0
    ) AS r
"""
PUT_ROWS: Final = """
    INSERT INTO @row (board, day, account, points)
    SELECT * FROM unnest(CAST(:boards AS smallint[]), CAST(:days AS date[]), CAST(:accounts AS uuid[]),
                         CAST(:points AS bigint[]))
    ON CONFLICT (board, day, account) DO UPDATE SET points = excluded.points
"""
DROP_ROWS: Final = """
    DELETE FROM @row r
    USING unnest(CAST(:boards AS smallint[]), CAST(:days AS date[]), CAST(:accounts AS uuid[]))
          AS c (board, day, account)
    WHERE r.board = c.board AND r.day = c.day AND r.account = c.account
"""
MOVE_COUNTS: Final = """
    INSERT INTO @count AS kept (board, day, coarse, bucket, players)
    SELECT * FROM unnest(CAST(:boards AS smallint[]), CAST(:days AS date[]), CAST(:coarse AS boolean[]),
                         CAST(:buckets AS bigint[]), CAST(:moves AS bigint[]))
    ON CONFLICT (board, day, coarse, bucket) DO UPDATE SET players = kept.players + excluded.players
"""
DROP_EMPTY_COUNTS: Final = """
    DELETE FROM @count k
    USING unnest(CAST(:boards AS smallint[]), CAST(:days AS date[]), CAST(:coarse AS boolean[]),
                 CAST(:buckets AS bigint[])) AS c (board, day, coarse, bucket)
    WHERE k.board = c.board AND k.day = c.day AND k.coarse = c.coarse AND k.bucket = c.bucket
      AND k.players = 0
"""
KEEP_CHANGES: Final = """
    INSERT INTO @change (board, day, seq, account, old_points, at)
    SELECT c.*, :at
    FROM unnest(CAST(:boards AS smallint[]), CAST(:days AS date[]), CAST(:seqs AS bigint[]),
                CAST(:accounts AS uuid[]), CAST(:olds AS bigint[])) AS c
"""
FORGET_CHANGES: Final = "DELETE FROM @change WHERE at < :before"
SET_STATE: Final = """
    UPDATE board_state SET as_of_day = :as_of_day, digest = :digest WHERE generation = :generation
"""


@dataclass(frozen=True, slots=True)
class BoardsHead:
    """Where a generation stands."""

    seq: int  # last fact of the ledger's feed that is in
    as_of_day: date | None  # the day that the boards show
    digest: int


class BoardTables:
    """The tables of one generation. Every method runs in the transaction of the connection it is given."""

    def __init__(self, generation: int) -> None:
        """Name the tables; nothing is read."""
        self.generation = generation
        self.checkpoint = f"boards_g{generation}"

    def sql(self, template: str) -> TextClause:
        """Return a statement on this generation: `@row`, `@count` and `@change` stand for its tables."""
        for table in ("row", "count", "change"):
            template = template.replace(f"@{table}", f"board_{table}_g{self.generation}")
        return text(template)

    async def head(self, connection: AsyncConnection) -> BoardsHead:
        """Return where this generation stands."""
        return (await _head(connection, self.generation))[1]

    async def load(self, connection: AsyncConnection, head: BoardsHead, reach: Reach) -> Boards:
        """Return boards that hold the rows a fold can reach: enough for it, and no more."""
        boards = Boards(head.as_of_day, digest=head.digest)
        if reach.cells:
            await _read_into(boards, connection, self.sql(LOAD_CELLS), _columns(reach.cells))
        if reach.sheets:
            wanted = {
                "daily": BOARD_CODE[Board.DAILY],
                "amr": BOARD_CODE[Board.AMR],
                "amr_day": AMR_SHEET_DAY,
                "days": [sheet.day for sheet in reach.sheets],
            }
            await _read_into(boards, connection, self.sql(LOAD_SHEETS), wanted)
        return boards

    async def save(self, connection: AsyncConnection, boards: Boards, *, at: datetime) -> None:
        """Write what folding changed in boards that `load` returned: rows, counters, changes, day, digest."""
        changes = boards.settle()
        rows = net(changes)
        await self._write_rows(connection, {cell: new for cell, (_, new) in rows.items()})
        await self._write_counts(connection, rows)
        await self._write_changes(connection, changes, at)
        await connection.execute(
            self.sql(SET_STATE),
            {
                "generation": self.generation,
                "as_of_day": boards.as_of_day,
                "digest": boards.digest.to_bytes(32),
            },
        )

    async def forget_changes(self, connection: AsyncConnection, *, before: datetime) -> None:
        """Drop changes that no valid page token can ask for."""
        await connection.execute(self.sql(FORGET_CHANGES), {"before": before})

    async def _write_rows(self, connection: AsyncConnection, rows: Mapping[Cell, int]) -> None:
        listed = {cell: points for cell, points in rows.items() if points}
        gone = [cell for cell, points in rows.items() if not points]
        if listed:
            await connection.execute(
                self.sql(PUT_ROWS), {**_columns(listed), "points": list(listed.values())}
            )
        if gone:
            await connection.execute(self.sql(DROP_ROWS), _columns(gone))

    async def _write_counts(self, connection: AsyncConnection, rows: Mapping[Cell, tuple[int, int]]) -> None:
        moved = counts_moved(rows)
        if not moved:
            return
        columns = {
            "boards": [BOARD_CODE[count.sheet.board] for count in moved],
            "days": [count.sheet.day for count in moved],
            "coarse": [count.coarse for count in moved],
            "buckets": [count.bucket for count in moved],
        }
        await connection.execute(self.sql(MOVE_COUNTS), {**columns, "moves": list(moved.values())})
        await connection.execute(self.sql(DROP_EMPTY_COUNTS), columns)

    async def _write_changes(
        self, connection: AsyncConnection, changes: Sequence[Change], at: datetime
    ) -> None:
        kept = [
            (seq, cell, old)
            for seq, of_one_fact in groupby(changes, key=lambda change: change.seq)
            for cell, (old, _) in net(of_one_fact).items()
        ]
        if kept:
            columns = _columns([cell for _, cell, _ in kept])
            seqs, olds = [seq for seq, _, _ in kept], [old for _, _, old in kept]
            await connection.execute(
                self.sql(KEEP_CHANGES), {**columns, "seqs": seqs, "olds": olds, "at": at}
            )


async def active(connection: AsyncConnection) -> tuple[BoardTables, BoardsHead]:
    """Return the generation that reads are answered from, and where it stands."""
    return await _head(connection, None)


async def _head(connection: AsyncConnection, generation: int | None) -> tuple[BoardTables, BoardsHead]:
    row = (await connection.execute(text(HEAD), {"generation": generation})).one()
    return BoardTables(row.generation), BoardsHead(row.seq, row.as_of_day, int.from_bytes(row.digest))


def _columns(cells: Iterable[Cell]) -> dict[str, list[Any]]:
    cells = list(cells)
    return {
        "boards": [BOARD_CODE[cell.sheet.board] for cell in cells],
        "days": [cell.sheet.day for cell in cells],
        "accounts": [UUID(cell.account) for cell in cells],
    }


async def _read_into(
    boards: Boards, connection: AsyncConnection, statement: TextClause, parameters: Mapping[str, Any]
) -> None:
    for board, day, account, points in await connection.execute(statement, parameters):
        boards.sheets.setdefault(Sheet(BOARD_OF_CODE[board], day), {})[str(account)] = points
