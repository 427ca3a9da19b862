"""Everything that the ledger keeps, held against its log: one snapshot, nothing changed.

The boards are built a second time into tables of this session alone, and compared with the live ones by the
statements that a rebuild compares with. Memory grows with the rows of the boards, not with the log.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Final

from services.ledger.domain.boards import DIGEST_MODULUS, sheet_digest
from services.ledger.projections.generations import TABLES, Connection, generations, table_names
from services.ledger.projections.rebuilding.builder import BoardBuilder
from services.ledger.projections.rebuilding.bulk import BulkFold
from services.ledger.projections.rebuilding.differences import Fault, Faults, compare
from services.ledger.projections.rebuilding.log_check import LogCheck
from services.ledger.projections.rebuilding.log_reader import connect, connect_plain, read_log
from services.ledger.projections.rebuilding.progress import Progress
from services.ledger.projections.rebuilding.quick_check import QuickCheck
from services.ledger.projections.rebuilding.stored import digest_of_table

BALANCES: Final = "balances and sums"
RECOMPUTING: Final = "recomputing the boards"
COMPARING: Final = "comparing the boards"


@dataclass(slots=True)
class Verified:
    """What a verification read and found."""

    generation: int
    seq: int  # where the boards stand
    events: int = 0
    transfers: int = 0
    entries: int = 0
    rows: int = 0
    stored_digest: int = 0
    digest: int = 0
    digest_at: int | None = None
    faults: Faults = field(default_factory=Faults)


class Verification:
    """One verification."""

    def __init__(self, url: str, progress: Progress, *, digest_at: int = 0) -> None:
        """Name the database, and a place whose digest is wanted, too; nothing is done yet."""
        self._url = url
        self._progress = progress
        self._digest_at = digest_at

    async def run(self) -> Verified:
        """Read everything and name what differs."""
        async with AsyncExitStack() as opened:
            plain = await connect_plain(self._url)
            opened.push_async_callback(plain.close)
            await opened.enter_async_context(plain.transaction(isolation="repeatable_read", readonly=True))
            snapshot: str = await plain.fetchval("SELECT pg_export_snapshot()")
            reading, writing = [await _joined(opened, self._url, snapshot) for _ in range(2)]
            live = next(each for each in (await generations(plain)).values() if each.active)
            found = Verified(live.generation, live.seq, stored_digest=int.from_bytes(live.digest))
            log = LogCheck(plain, QuickCheck(reading, writing), found.faults, self._progress.report)
            read = await log.run()
            found.events, found.transfers = read.events, read.transfers
            self._progress.report(BALANCES)
            await log.check_balances()
            if read.whole_to < found.seq:
                found.faults.add(
                    Fault("chain", seq=read.whole_to + 1, name="no boards come of a log with a gap")
                )
            else:
                await self._check_boards(reading, writing, found)
            if 0 < self._digest_at <= read.whole_to:
                found.digest_at = await self._digest(reading, self._digest_at)
        self._progress.end_part()
        return found

    async def _check_boards(self, reading: Connection, writing: Connection, found: Verified) -> None:
        stored = table_names(found.generation)
        expected = {table: f"expected_{table}" for table in TABLES}
        for table in TABLES:
            await writing.execute(f"CREATE TEMP TABLE {expected[table]} (LIKE {stored[table]})")
        self._progress.report(RECOMPUTING)
        builder = BoardBuilder(
            reading, writing, expected, lambda _, done, total: self._progress.report(RECOMPUTING, done, total)
        )
        await builder.take_log(found.seq)
        await builder.write_rows()
        built = builder.built(found.seq)
        self._progress.report(COMPARING)
        counts = await compare(reading, writing, stored, expected, found.faults)
        found.rows, found.entries, found.digest = counts["row"], counts["entry"], built.digest
        of_rows = await digest_of_table(reading, stored["row"])
        for name, digest in (("kept", found.stored_digest), ("of the rows", of_rows)):
            if digest != built.digest:
                told = (f"{digest:064x}", f"{built.digest:064x}")
                found.faults.add(Fault("digest", name=name, stored=told[0], expected=told[1]))
        shown = next(each for each in (await generations(reading)).values() if each.active).as_of_day
        if shown != built.as_of_day:
            found.faults.add(Fault("day", stored=str(shown), expected=str(built.as_of_day)))

    async def _digest(self, reading: Connection, seq: int) -> int:
        """Return the digest of the boards as the log has them up to a place."""
        fold = BulkFold()
        async for facts in read_log(reading, 1, seq):
            fold.take(facts)
            fold.entries.clear()
        return sum(sheet_digest(sheet, rows.items()) for sheet, rows in fold.sheets()) % DIGEST_MODULUS


async def _joined(opened: AsyncExitStack, url: str, snapshot: str) -> Connection:
    """Return a connection that sees the snapshot."""
    connection = await connect(url)
    opened.push_async_callback(connection.close)
    await opened.enter_async_context(connection.transaction(isolation="repeatable_read"))
    await connection.execute(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
    return connection
