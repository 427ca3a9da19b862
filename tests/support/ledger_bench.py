"""A ledger on a real database without its loops: the test makes each step itself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import text

from libs.eventsourcing.envelope import NewEvent, Part
from libs.eventsourcing.ids import derived_id
from libs.eventstore.port import StreamAppend, Transaction
from libs.eventstore.postgres.database import Database
from libs.eventstore.sequencer import Sequencer
from libs.runtime.systemclock import SteppingClock
from services.ledger.assets import HOUSE_POINTS, Asset, player_account
from services.ledger.commands import PostTransfer
from services.ledger.domain.boards import Boards, digest_of
from services.ledger.domain.journal import Outcome
from services.ledger.domain.ranks import Entry, coarse, histogram, listed
from services.ledger.domain.windows import FAMILY, Board, Family, Sheet, sheet_on
from services.ledger.events import LedgerDayClosed, TransferPosted
from services.ledger.policies import CALLER, DayCloser
from services.ledger.projections.effects import BOARD_OF_CODE, FAMILY_CODE
from services.ledger.projections.projector import BoardProjector
from services.ledger.projections.reads import BoardReader
from services.ledger.projections.tables import BoardTables
from services.ledger.store.journal import Journal
from services.ledger.wire.events import decode, encode

EPOCH = 1
NOT_COUNTED = {"JOKER_PURCHASE", "POOL", "TP"}


def points_order(
    account: UUID, points: int, occurred_at: datetime, *, key: str | None = None, reason: str = "QUICK_MATCH"
) -> PostTransfer:
    """Return an order of points: to the player, or back from them when negative."""
    sides = (HOUSE_POINTS, player_account(account))
    debit, credit = sides if points > 0 else sides[::-1]
    return PostTransfer(
        key=key or f"match/{uuid4()}/quick/{account}",
        asset=Asset.POINTS,
        debit=debit,
        credit=credit,
        amount=abs(points),
        reason=reason,
        occurred_at=occurred_at,
        recorded_at=occurred_at,
        cause="",
    )


async def nothing_beside(_transaction: Transaction, _outcomes: Sequence[Outcome]) -> None:
    """Share the transaction of an intake with nothing."""


@dataclass
class LedgerBench:
    """Journal, sequencer, closer, projector and reader, each driven by hand."""

    database: Database
    clock: SteppingClock
    journal: Journal = field(init=False)
    reader: BoardReader = field(init=False)
    projector: BoardProjector = field(init=False)
    closer: DayCloser = field(init=False)
    sequencer: Sequencer = field(init=False)

    def __post_init__(self) -> None:
        """Bind everything to the database and the clock."""
        self.journal = Journal(self.database.store)
        self.reader = BoardReader(self.database)
        self.projector = BoardProjector(self.database, BoardTables(2), self.clock.now)
        self.closer = DayCloser(self.database.store, self.reader.as_of_day, self.clock)
        self.sequencer = Sequencer(self.database, Part.FACTS)

    async def post(self, *orders: PostTransfer) -> tuple[Outcome, ...]:
        """Post a batch at the clock's instant."""
        return await self.journal.post(orders, now=self.clock.now(), caller=CALLER, beside=nothing_beside)

    async def log_facts(self, *facts: TransferPosted) -> None:
        """Put transfers into the log past the intake, as an older or a broken one may have."""
        await self.log_events(*(encode(fact, fact.occurred_at) for fact in facts))

    async def log_events(self, *events: NewEvent) -> None:
        """Put events into the log, each a stream of its own."""
        now = self.clock.now()
        for event in events:
            stream = StreamAppend(derived_id(now, str(uuid4())), 0, (event,))
            await self.database.store.append([stream], recorded_at=now, caller=CALLER)

    async def settle(self) -> int:
        """Close what is due, sequence and fold until nothing is left; return how many facts were folded."""
        folded = 0
        while True:
            closed = await self.closer.step()
            moved = await self.sequencer.step(EPOCH)
            await self.projector.claim(EPOCH)
            now = await self.projector.step(EPOCH)
            folded += now
            if closed == moved == now == 0:
                return folded

    async def shown(self, board: Board) -> list[Entry]:
        """Return a whole board, page by page."""
        page = await self.reader.first_page(board, 50, None)
        entries = list(page.entries)
        while not page.is_last and page.last is not None:
            page = await self.reader.next_page(board, page.listing, page.last, 50)
            entries.extend(page.entries)
        return entries

    async def log(self) -> list[tuple[int, Any]]:
        """Return the whole feed, decoded."""
        facts: list[tuple[int, Any]] = []
        while entries := await self.database.feed.read(Part.FACTS, len(facts) + 1, limit=500):
            facts.extend((entry.seq, decode(entry.event)) for entry in entries)
        return facts

    async def twin(self) -> Boards:
        """Return the memory twin: the whole feed folded in memory."""
        boards = Boards()
        for seq, fact in await self.log():
            boards.fold(seq, fact)
        boards.settle()
        return boards

    async def rows(self) -> dict[Sheet, dict[str, int]]:
        """Return all rows of the tables."""
        sheets: dict[Sheet, dict[str, int]] = {}
        async with self.database.engine.connect() as connection:
            for board, day, account, points in await connection.execute(
                text("SELECT board, day, account, points FROM board_row_g2")
            ):
                sheets.setdefault(Sheet(BOARD_OF_CODE[board], day), {})[str(account)] = points
        return sheets

    async def check_tables(self) -> None:
        """Assert that rows, digest, day, counters, entries and histories are what the whole log says."""
        await self.check_entries()
        await self.check_histories()
        twin, rows = await self.twin(), await self.rows()
        assert rows == {sheet: kept for sheet, kept in twin.sheets.items() if kept}
        async with self.database.engine.connect() as connection:
            head = await BoardTables(2).head(connection)
            counts = {
                (Sheet(BOARD_OF_CODE[row.board], row.day), row.coarse, row.bucket): row.players
                for row in await connection.execute(text("SELECT * FROM board_count_g2"))
            }
        assert (head.as_of_day, head.digest) == (twin.as_of_day, twin.digest)
        assert head.digest == digest_of(rows)
        expected: dict[tuple[Sheet, bool, int], int] = {}
        for sheet, kept in rows.items():
            for points in kept.values():
                for counter in ((sheet, True, coarse(points)), (sheet, False, points)):
                    expected[counter] = expected.get(counter, 0) + 1
        assert counts == expected

    async def check_entries(self) -> None:
        """Assert that each player's side of what was counted has its entry, and that these make the rows."""
        async with self.database.engine.connect() as connection:
            kept = await connection.execute(text("SELECT * FROM board_entry_g2 ORDER BY seq, points"))
            entries = [(row.seq, str(row.account), *row[1:3], *row[4:]) for row in kept]
        postings = (await self.twin()).postings
        assert entries == [(*posting[:2], FAMILY_CODE[posting.family], *posting[3:]) for posting in postings]

    async def check_histories(self) -> None:
        """Assert that each closing but the first kept the boards as the day before it showed them."""
        boards = Boards()
        expected: dict[tuple[date, Board], tuple[int, list[int], list[int]]] = {}
        for seq, fact in await self.log():
            if isinstance(fact, LedgerDayClosed) and boards.as_of_day == fact.day:
                for board in Board:
                    shown = boards.sheets.get(sheet_on(board, fact.day), {})
                    expected[fact.day, board] = (seq, *histogram(shown))
            boards.fold(seq, fact)
        async with self.database.engine.connect() as connection:
            kept = {
                (row.closed_day, BOARD_OF_CODE[row.board]): (row.seq, row.points, row.players)
                for row in await connection.execute(text("SELECT * FROM board_history_g2"))
            }
        assert kept == expected

    async def naive(self, board: Board) -> list[Entry]:
        """Return a board recomputed from the journal's rows alone, by what its window says."""
        day = await self.reader.as_of_day()
        assert day is not None
        sums: dict[str, int] = {}
        for _, fact in await self.log():
            if isinstance(fact, TransferPosted) and _counts(board, fact, day):
                taker = fact.credit.startswith("players/")
                account = (fact.credit if taker else fact.debit).removeprefix("players/")
                sums[account] = sums.get(account, 0) + (fact.amount if taker else -fact.amount)
        return listed({account: points for account, points in sums.items() if points})

    async def count(self, query: str) -> int:
        """Return a number that a query asks for."""
        async with self.database.engine.connect() as connection:
            number: int = (await connection.execute(text(query))).scalar_one()
            return number


@asynccontextmanager
async def ledger_bench(database_url: str, now: datetime) -> AsyncIterator[LedgerBench]:
    """Open a ledger whose clock stands at `now`."""
    database = await Database.open(database_url, "ledger")
    try:
        yield LedgerBench(database, SteppingClock(now))
    finally:
        await database.close()


def _counts(board: Board, fact: TransferPosted, day: date) -> bool:
    if fact.reason in NOT_COUNTED or FAMILY[board] is not _family(fact):
        return False
    if board in {Board.AMR, Board.MCR_YEAR, Board.MCR_AI_YEAR}:
        return 0 <= (day - fact.day).days <= 364
    return sheet_on(board, fact.day) == sheet_on(board, day)


def _family(fact: TransferPosted) -> Family | None:
    if fact.asset is Asset.RATING:
        return Family.RATING
    if fact.asset is not Asset.POINTS:
        return None
    return {"MCR": Family.MCR, "MCR_AI": Family.MCR_AI}.get(fact.reason, Family.POINTS)
