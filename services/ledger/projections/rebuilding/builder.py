"""Writes one generation of boards from the log: reading, folding and COPY overlap, indexes come last."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Final

from libs.eventstore.faults import fault
from services.ledger.domain.boards import DIGEST_MODULUS, sheet_digest
from services.ledger.domain.ranks import coarse
from services.ledger.projections.effects import BOARD_CODE
from services.ledger.projections.generations import Connection
from services.ledger.projections.rebuilding import binary
from services.ledger.projections.rebuilding.bulk import BulkFold
from services.ledger.projections.rebuilding.log_reader import read_log

Report = Callable[[str, int, int], None]
"""Told of a phase, how many events of it are done, and of how many."""

FOLDING: Final = "folding"
WRITING: Final = "writing rows and indexes"
SLICE: Final = 500
"""So many facts are folded between two looks at what the connections brought."""
PIECE: Final = 5_000
"""So many rows go to COPY at once."""
WAITING_MAX: Final = 16


@dataclass(frozen=True, slots=True)
class Built:
    """What stands in the tables of a generation that was built from the log."""

    seq: int
    as_of_day: date | None
    digest: int
    rows: int
    entries: int
    refused: int


class BoardBuilder:
    """Fills fresh tables, without indexes, of the names that `tables` gives."""

    def __init__(
        self, reading: Connection, writing: Connection, tables: Mapping[str, str], report: Report
    ) -> None:
        """Take two connections; neither does anything else meanwhile."""
        self._reading = reading
        self._writing = writing
        self._tables = tables
        self._report = report
        self.fold = BulkFold()
        self._entries = 0

    async def take_log(self, last: int) -> None:
        """Fold the log from its start up to `last`, entries written as they come."""
        pieces: asyncio.Queue[bytes] = asyncio.Queue(WAITING_MAX)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(
                self._writing.copy_to_table(
                    self._tables["entry"],
                    source=_until_empty(pieces),
                    columns=binary.ENTRY_COLUMNS,
                    format="binary",
                )
            )
            tasks.create_task(self._fold_into(pieces, last))

    async def _fold_into(self, pieces: asyncio.Queue[bytes], last: int) -> None:
        fold, done = self.fold, 0
        await pieces.put(binary.HEAD)
        async for facts in read_log(self._reading, 1, last):
            for start in range(0, len(facts), SLICE):
                fold.take(facts[start : start + SLICE])
                await asyncio.sleep(0)  # what the connections brought is taken in
                if len(fold.entries) >= PIECE:
                    await self._hand_over(pieces)
            done += len(facts)
            self._report(FOLDING, done, last)
            fault("rebuild.midway")
        await self._hand_over(pieces)
        await pieces.put(binary.TAIL)
        await pieces.put(b"")

    async def _hand_over(self, pieces: asyncio.Queue[bytes]) -> None:
        self._entries += len(self.fold.entries)
        piece = b"".join(self.fold.entries)
        self.fold.entries.clear()
        await pieces.put(piece)

    async def write_rows(self) -> None:
        """Write rows, counters and histories, and make what the digest is of."""
        await self._copy("row", binary.ROW_COLUMNS, self._rows())
        await self._copy("count", binary.COUNT_COLUMNS, self._counts())
        await self._copy("history", binary.HISTORY_COLUMNS, self._histories())

    def built(self, seq: int) -> Built:
        """Return what was built, with a digest made of the rows of the fold."""
        digest = rows = 0
        for sheet, listed in self.fold.sheets():
            digest += sheet_digest(sheet, listed.items())
            rows += len(listed)
        return Built(
            seq,
            self.fold.as_of_day,
            digest % DIGEST_MODULUS,
            rows,
            self._entries,
            len(self.fold.refused),
        )

    async def _copy(self, table: str, columns: Sequence[str], rows: Iterable[bytes]) -> None:
        await self._writing.copy_to_table(
            self._tables[table], source=_pieces(rows), columns=columns, format="binary"
        )

    def _rows(self) -> Iterator[bytes]:
        raw = self.fold.raw_accounts
        for sheet, rows in self.fold.sheets():
            board, day = BOARD_CODE[sheet.board], binary.day_number(sheet.day)
            for account, points in rows.items():
                yield binary.row_bytes(board, day, raw[account], points)

    def _counts(self) -> Iterator[bytes]:
        for sheet, rows in self.fold.sheets():
            board, day = BOARD_CODE[sheet.board], binary.day_number(sheet.day)
            fine = Counter(rows.values())
            rough: Counter[int] = Counter()
            for points, players in fine.items():
                rough[coarse(points)] += players
                yield binary.count_bytes(board, day, False, points, players)
            for bucket, players in rough.items():
                yield binary.count_bytes(board, day, True, bucket, players)

    def _histories(self) -> Iterator[bytes]:
        for history in self.fold.histories:
            board = BOARD_CODE[history.board]
            yield binary.history_bytes(
                history.closed_day, board, history.seq, history.points, history.players
            )


def _batched(rows: Iterable[bytes]) -> Iterator[list[bytes]]:
    rest = iter(rows)
    while some := list(islice(rest, PIECE)):
        yield some


async def _until_empty(pieces: asyncio.Queue[bytes]) -> AsyncIterator[bytes]:
    while piece := await pieces.get():
        yield piece


async def _pieces(rows: Iterable[bytes]) -> AsyncIterator[bytes]:
    yield binary.HEAD
    for some in _batched(rows):
        yield b"".join(some)
        await asyncio.sleep(0)
    yield binary.TAIL
