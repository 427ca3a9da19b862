"""The boards once more, by a fold that shares no code with the projector: plain SQL over the log, in DuckDB.

`fold` reads a relation `facts(seq, asset, debit, credit, amount, reason, day)`: a row for each transfer, and
one without asset for each closing of a day. Windows, families and the digest are spelt out here a second time
on purpose: an error in the domain's own would not be seen by what is built on it.
"""

from __future__ import annotations

import asyncio
import csv
import tempfile
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from services.ledger.projections.generations import Connection
from services.ledger.projections.rebuilding.log_reader import read_log
from services.ledger.wire.events import (
    ASSET_FROM_WIRE,
    LEDGER_DAY_CLOSED,
    TRANSFER_POSTED,
    closed_day,
    posted_message,
)

if TYPE_CHECKING:
    import duckdb

MODULUS: Final = 1 << 256
BOUND: Final = 1 << 53
MEMORY: Final = "256MB"
"""What does not fit goes to a file."""

MOVED: Final = """
CREATE OR REPLACE TEMP TABLE moved AS
WITH counted AS (
    SELECT seq, day, debit, credit, amount, CASE
        WHEN asset = 'RATING' THEN 'rating'
        WHEN asset = 'POINTS' AND reason = 'MCR' THEN 'mcr'
        WHEN asset = 'POINTS' AND reason = 'MCR_AI' THEN 'mcr_ai'
        WHEN asset = 'POINTS' AND reason IN ('LEVEL_FIRST', 'LEVEL_TIME', 'QUICK_MATCH', 'ARENA',
            'TOURNAMENT_PRIZE', 'DAILY_BONUS', 'DAILY_BONUS_DOUBLED') THEN 'points'
    END AS family
    FROM facts WHERE asset IS NOT NULL
), sides AS (
    SELECT seq, family, day, debit AS account, -amount::HUGEINT AS points FROM counted
    UNION ALL
    SELECT seq, family, day, credit, amount::HUGEINT FROM counted
)
SELECT seq, family, CASE family WHEN 'rating' THEN DATE '0001-01-01' ELSE day END AS day,
       substr(account, 9) AS player, points
FROM sides WHERE family IS NOT NULL AND account LIKE 'players/%'
"""
# The first fact that takes a player's points of a day, or a rating, beyond the bound: it counts for nobody.
REFUSED: Final = f"""
SELECT min(seq) FROM (
    SELECT seq, sum(points) OVER (PARTITION BY family, day, player ORDER BY seq) AS running
    FROM moved SEMI JOIN (
        SELECT family, day, player FROM moved GROUP BY ALL HAVING sum(abs(points)) > {BOUND}
    ) USING (family, day, player)
) WHERE abs(running) > {BOUND}
"""  # noqa: S608 a number
# A day is left when the closing of the very day shown comes; the first closing opens the day after it.
SHOWN: Final = """
SELECT list_reduce(list(day ORDER BY seq), lambda shown, closed:
    CASE WHEN closed = shown + 1 THEN closed ELSE shown END) + 1
FROM facts WHERE asset IS NULL
"""
BOARDS: Final = """
CREATE OR REPLACE TEMP TABLE boards AS
WITH shown AS (SELECT $shown::DATE AS day), sheets AS (
    SELECT CASE family WHEN 'points' THEN 'daily' WHEN 'rating' THEN 'race_rating' ELSE family || '_daily' END
           AS board, day, player, points FROM moved
    UNION ALL
    SELECT CASE family WHEN 'points' THEN 'weekly' ELSE family || '_weekly' END,
           (day - (isodow(day) - 1)::INTEGER)::DATE, player, points FROM moved WHERE family <> 'rating'
    UNION ALL
    SELECT CASE family WHEN 'points' THEN 'amr' ELSE family || '_year' END,
           DATE '0001-01-01', player, points
    FROM moved JOIN shown ON moved.day BETWEEN shown.day - 364 AND shown.day WHERE family <> 'rating'
)
SELECT board, day, player, sum(points) AS points FROM sheets GROUP BY ALL HAVING sum(points) <> 0
"""
# SHA-256 of each row, summed: in eight pieces of 32 bits, so that the sums fit.
PIECES: Final = ", ".join(
    f"coalesce(sum(('0x' || substr(hash, {1 + 8 * piece}, 8))::BIGINT), 0)" for piece in range(8)
)
DIGEST: Final = f"""
WITH hashed AS (
    SELECT sha256(concat_ws('|', board, strftime(day, '%Y-%m-%d'), player, points)) AS hash FROM boards
)
SELECT count(*), {PIECES} FROM hashed
"""  # noqa: S608 ours
COLUMNS: Final = {
    "seq": "BIGINT",
    "asset": "VARCHAR",
    "debit": "VARCHAR",
    "credit": "VARCHAR",
    "amount": "BIGINT",
    "reason": "VARCHAR",
    "day": "DATE",
}


@dataclass(frozen=True, slots=True)
class Folded:
    """What the fold made; its rows stand in `boards(board, day, player, points)`."""

    as_of_day: date | None
    rows: int
    digest: int
    refused: tuple[int, ...]


def fold(database: duckdb.DuckDBPyConnection) -> Folded:
    """Fold the relation `facts` into `boards`."""
    database.execute(MOVED)
    refused: list[int] = []
    while (seq := _one(database, REFUSED)) is not None:
        refused.append(seq)
        database.execute("DELETE FROM moved WHERE seq = ?", [seq])
    shown = _one(database, SHOWN)
    database.execute(BOARDS, {"shown": shown})
    found = database.execute(DIGEST).fetchone()
    assert found is not None
    rows, *pieces = found
    digest = 0
    for piece in pieces:
        digest = (digest << 32) + int(piece)
    return Folded(shown, rows, digest % MODULUS, tuple(refused))


async def fold_log(connection: Connection, last: int) -> Folded:
    """Fold the log up to `last`, by way of a file that is gone afterwards."""
    import duckdb  # a fifth of a second, and most rebuilds go without

    with tempfile.TemporaryDirectory(prefix="sparrow-fold-") as folder:
        path = Path(folder) / "facts.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            write = csv.writer(file).writerow
            async for facts in read_log(connection, 1, last):
                for seq, type_, _, _, data in facts:
                    if type_ == TRANSFER_POSTED:
                        said = posted_message(data)
                        asset = ASSET_FROM_WIRE[said.asset].value
                        write((seq, asset, said.debit, said.credit, said.amount, said.reason, said.day))
                    elif type_ == LEDGER_DAY_CLOSED:
                        write((seq, "", "", "", 0, "", closed_day(data)))

        def folded() -> Folded:
            with duckdb.connect(config={"memory_limit": MEMORY, "temp_directory": folder}) as database:
                database.execute(
                    "CREATE TEMP TABLE facts AS SELECT * REPLACE (nullif(asset, '') AS asset)"
                    " FROM read_csv(?, columns = ?, header = false)",
                    [str(path), COLUMNS],
                )
                return fold(database)

        return await asyncio.to_thread(folded)


def _one(database: duckdb.DuckDBPyConnection, query: str) -> Any:
    row = database.execute(query).fetchone()
    return row[0] if row is not None else None
