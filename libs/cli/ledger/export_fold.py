"""The boards of an export, by the fold in SQL that shares no code with the projector."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from libs.cli.events.database import open_database
from libs.cli.events.manifest import Manifest, NoExport
from libs.client.ledger_operations import StoredRow
from libs.client.results import BoardKind
from libs.client.wire import BOARD_TO_WIRE
from services.ledger.projections.rebuilding.independent import fold

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FETCH: Final = 10_000
FACTS: Final = """
CREATE TEMP TABLE facts AS
SELECT seq, substr(asset, 7) AS asset, debit, credit, amount, reason, CAST(day AS DATE) AS day
FROM ledger.transfer_posted
UNION ALL
SELECT seq, NULL, NULL, NULL, NULL, NULL, CAST(day AS DATE) FROM ledger.ledger_day_closed
"""
ROWS: Final = """
SELECT n.number, b.day, b.player, CAST(b.points AS BIGINT) FROM boards b JOIN numbers n ON n.board = b.board
ORDER BY n.number, b.day, b.player
"""


@dataclass(frozen=True, slots=True)
class ExportedBoards:
    """The boards at the end of an export; `rows` is read once."""

    sequence: int
    as_of_day: date | None
    digest: int
    rows: Iterator[StoredRow]


@contextmanager
def boards_of_export(folder: Path) -> Iterator[ExportedBoards]:
    """Fold an export of the ledger's facts from the first on. Raises NoExport for any other."""
    sequence = _whole_to(folder)
    with open_database(folder) as database:
        database.execute(FACTS)
        folded = fold(database)
        database.execute("CREATE TEMP TABLE numbers (board VARCHAR, number INTEGER)")
        numbers = [(board.value, BOARD_TO_WIRE[board]) for board in BoardKind]
        database.executemany("INSERT INTO numbers VALUES (?, ?)", numbers)
        yield ExportedBoards(sequence, folded.as_of_day, folded.digest, _rows(database))


def _whole_to(folder: Path) -> int:
    """Return the last sequence of the ledger's facts in an export that has all up to it."""
    of_ledger = [
        file for file in Manifest.read(folder).files if (file.service, file.part) == ("ledger", "facts")
    ]
    if not of_ledger or any(file.withheld for file in of_ledger):
        raise NoExport(f"{folder} does not hold the facts of the ledger")
    first, last = of_ledger[0].first_seq, of_ledger[-1].last_seq
    if first is None or last is None:
        return 0
    if first != 1:
        raise NoExport(f"{folder} begins at {first}: boards are made of the whole log")
    return last


def _rows(database: DuckDBPyConnection) -> Iterator[StoredRow]:
    database.execute(ROWS)
    while found := database.fetchmany(FETCH):
        for number, day, player, points in found:
            yield StoredRow(number, day, f"players/{player}", points)
