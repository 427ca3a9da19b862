"""One generation of board tables: the rows a fold needs, loaded; what it changed, written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from sqlalchemy import TextClause, text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.ledger.domain.boards import Boards, Closing, Reach, signed_sheets
from services.ledger.domain.families import year_of
from services.ledger.domain.windows import STANDING_SHEET_DAY, Board, Sheet, sheet_on
from services.ledger.events import LedgerDayClosed
from services.ledger.projections.effects import BOARD_CODE, BOARD_OF_CODE, Effects, cell_columns

HEAD: Final = """
    SELECT s.generation, s.as_of_day, s.digest, coalesce(c.seq, 0) AS seq
    FROM board_state s LEFT JOIN checkpoint c ON c.name = 'boards_g' || s.generation
    WHERE s.generation = coalesce(CAST(:generation AS integer), (SELECT generation FROM active_generation))
"""
# The rows of wanted cells `c`, by one probe of the primary key each. A plain equality lets the planner, while
# it knows little of a young table, take the index of the order of points, and read a whole sheet each time.
PROBE: Final = """
    CROSS JOIN LATERAL (
        SELECT board, day, account, points, ctid FROM @row
        WHERE (board, day, account) >= (c.board, c.day, c.account) ORDER BY board, day, account LIMIT 1
    ) AS r
    WHERE (r.board, r.day, r.account) = (c.board, c.day, c.account)
"""
CELLS: Final = """
    FROM unnest(CAST(:boards AS smallint[]), CAST(:days AS date[]), CAST(:accounts AS uuid[]))
         AS c (board, day, account)
"""
LOAD_CELLS: Final = f"SELECT r.board, r.day, CAST(r.account AS text), r.points {CELLS} {PROBE}"
# A sheet as two columns: tens of thousands of rows, one by one, would be most of a midnight.
GATHER: Final = """
    SELECT board, day, array_agg(account) AS accounts, array_agg(points) AS points
    FROM ({rows}) AS r GROUP BY board, day
"""
# Daily sheets are added to their years or subtracted; what rows of years were is kept for page tokens. Tells
# the daily sheets, and the rows of the years as they were before.
ROLL: Final = """
    WITH daily AS MATERIALIZED (
        SELECT s.year, s.sign, r.*
        FROM unnest(CAST(:boards AS smallint[]), CAST(:days AS date[]), CAST(:years AS smallint[]),
                    CAST(:signs AS bigint[])) AS s (board, day, year, sign)
        CROSS JOIN LATERAL (
            SELECT board, day, account, points FROM @row WHERE board = s.board AND day = s.day OFFSET 0
        ) AS r
    ),
    moved AS MATERIALIZED (
        SELECT year, account, CAST(sum(sign * points) AS bigint) AS points FROM daily GROUP BY year, account
    ),
    rolled AS (
        MERGE INTO @row AS kept USING moved AS m
        ON kept.board = m.year AND kept.day = CAST(:year_day AS date) AND kept.account = m.account
        WHEN MATCHED AND m.points = 0 THEN DO NOTHING
        WHEN MATCHED AND kept.points + m.points <> 0 THEN UPDATE SET points = kept.points + m.points
        WHEN MATCHED THEN DELETE
        WHEN NOT MATCHED AND m.points <> 0 THEN
            INSERT (board, day, account, points) VALUES (m.year, CAST(:year_day AS date), m.account, m.points)
        RETURNING m.year, m.account, old.points
    ),
    changed AS (
        INSERT INTO @change (board, day, seq, account, old_points, at)
        SELECT year, CAST(:year_day AS date), :seq, account, coalesce(points, 0), :at FROM rolled
    )
    SELECT board, day, array_agg(CAST(account AS text)), array_agg(points) FROM daily GROUP BY board, day
    UNION ALL
    SELECT year, CAST(:year_day AS date), array_agg(CAST(account AS text)), array_agg(points)
    FROM rolled WHERE points IS NOT NULL GROUP BY year
"""
PUT_ROWS: Final = """
    INSERT INTO @row (board, day, account, points)
    SELECT * FROM unnest(CAST(:boards AS smallint[]), CAST(:days AS date[]), CAST(:accounts AS uuid[]),
                         CAST(:points AS bigint[]))
    ON CONFLICT (board, day, account) DO UPDATE SET points = excluded.points
"""
DROP_ROWS: Final = f"DELETE FROM @row WHERE ctid = ANY(ARRAY(SELECT r.ctid {CELLS} {PROBE}))"  # noqa: S608 ours
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
KEEP_ENTRIES: Final = """
    INSERT INTO @entry (account, family, day, seq, points, occurred_at)
    SELECT * FROM unnest(CAST(:accounts AS uuid[]), CAST(:families AS smallint[]), CAST(:days AS date[]),
                         CAST(:seqs AS bigint[]), CAST(:points AS bigint[]), CAST(:instants AS timestamptz[]))
"""
# One row for each board, of nothing where nobody is listed: points rising, and how many have those or more.
KEEP_HISTORY: Final = """
    INSERT INTO @history (closed_day, board, seq, points, players)
    SELECT :closed_day, s.board, :seq, h.points, h.players
    FROM unnest(CAST(:boards AS smallint[]), CAST(:days AS date[])) AS s (board, day)
    CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(bucket ORDER BY bucket), '{}') AS points,
               coalesce(array_agg(listed ORDER BY bucket), '{}') AS players
        FROM (
            SELECT bucket, (sum(players) OVER (ORDER BY bucket DESC))::bigint AS listed
            FROM @count WHERE board = s.board AND day = s.day AND NOT coarse
        ) AS c
    ) AS h
"""
FORGET_CHANGES: Final = "DELETE FROM @change WHERE at < :before"
# Folding whole sheets may take longer than a transaction may idle between two statements.
BE_PATIENT: Final = text("SET LOCAL idle_in_transaction_session_timeout = '60s'")
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
        """Return a statement on this generation: `@row`, `@count` and so on stand for its tables."""
        for table in ("row", "count", "change", "entry", "history"):
            template = template.replace(f"@{table}", f"board_{table}_g{self.generation}")
        return text(template)

    async def head(self, connection: AsyncConnection) -> BoardsHead:
        """Return where this generation stands."""
        return (await _head(connection, self.generation))[1]

    async def load(self, connection: AsyncConnection, head: BoardsHead, reach: Reach) -> Boards:
        """Return boards that hold the rows a fold of transfers can reach: enough for it, and no more."""
        boards = Boards(head.as_of_day, digest=head.digest)
        if reach.cells:
            await _read_into(
                boards, connection, self.sql(GATHER.format(rows=LOAD_CELLS)), cell_columns(reach.cells)
            )
        return boards

    async def roll(
        self, connection: AsyncConnection, head: BoardsHead, closing: LedgerDayClosed, seq: int, at: datetime
    ) -> Boards:
        """Move the years' rows over a midnight, or open them; return the boards as a fold finds them before.

        The fold says again what became of the rows, for the digest and the counters: see `save`.
        """
        boards = Boards(head.as_of_day, digest=head.digest)
        if signed := signed_sheets(closing.day, head.as_of_day):
            await connection.execute(BE_PATIENT)
            wanted = {
                "boards": [BOARD_CODE[sheet.board] for sheet, _ in signed],
                "days": [sheet.day for sheet, _ in signed],
                "years": [BOARD_CODE[year_of(sheet).board] for sheet, _ in signed],
                "signs": [sign for _, sign in signed],
                "year_day": STANDING_SHEET_DAY,
                "seq": seq,
                "at": at,
            }
            await _read_into(boards, connection, self.sql(ROLL), wanted)
        return boards

    async def save(self, connection: AsyncConnection, effects: Effects, *, at: datetime) -> None:
        """Write what a fold did: rows, counters, the changes that page tokens undo, entries, day, digest.

        The boards of an ended day are kept before any counter moves: a closing is folded alone. Its rows and
        changes were written by `roll`, and are none of its effects.
        """
        for closing in effects.closings:
            await connection.execute(self.sql(KEEP_HISTORY), _shown_at_the_end(closing))
        counters = {name: column for name, column in effects.counts.items() if name != "moves"}
        for template, columns in (
            (PUT_ROWS, effects.put),
            (DROP_ROWS, effects.drop),
            (MOVE_COUNTS, effects.counts),
            (DROP_EMPTY_COUNTS, counters),
        ):
            if columns["boards"]:
                await connection.execute(self.sql(template), columns)
        if effects.changes["boards"]:
            await connection.execute(self.sql(KEEP_CHANGES), {**effects.changes, "at": at})
        if effects.entries["accounts"]:
            await connection.execute(self.sql(KEEP_ENTRIES), effects.entries)
        state = {"generation": self.generation, "as_of_day": effects.as_of_day, "digest": effects.digest}
        await connection.execute(self.sql(SET_STATE), state)

    async def forget_changes(self, connection: AsyncConnection, *, before: datetime) -> None:
        """Drop changes that no valid page token can ask for."""
        await connection.execute(self.sql(FORGET_CHANGES), {"before": before})


def _shown_at_the_end(closing: Closing) -> dict[str, Any]:
    sheets = [sheet_on(board, closing.day) for board in Board]
    return {
        "closed_day": closing.day,
        "seq": closing.seq,
        "boards": [BOARD_CODE[sheet.board] for sheet in sheets],
        "days": [sheet.day for sheet in sheets],
    }


async def active(connection: AsyncConnection) -> tuple[BoardTables, BoardsHead]:
    """Return the generation that reads are answered from, and where it stands."""
    return await _head(connection, None)


async def _head(connection: AsyncConnection, generation: int | None) -> tuple[BoardTables, BoardsHead]:
    row = (await connection.execute(text(HEAD), {"generation": generation})).one()
    return BoardTables(row.generation), BoardsHead(row.seq, row.as_of_day, int.from_bytes(row.digest))


async def _read_into(
    boards: Boards, connection: AsyncConnection, statement: TextClause, parameters: Mapping[str, Any]
) -> None:
    for board, day, accounts, points in await connection.execute(statement, parameters):
        sheet = boards.sheets.setdefault(Sheet(BOARD_OF_CODE[board], day), {})
        sheet.update(zip(accounts, points, strict=True))
