"""What boards must show, recomputed from the whole log for every question: the slow and plain definition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import text

from services.ledger.assets import Asset
from services.ledger.domain.ranks import Entry, listed
from services.ledger.domain.windows import FAMILY, Board, Family, window_on
from services.ledger.events import LedgerDayClosed, TransferPosted
from tests.support.ledger_bench import EPOCH, LedgerBench

COUNTED = {
    "LEVEL_FIRST",
    "LEVEL_TIME",
    "QUICK_MATCH",
    "ARENA",
    "TOURNAMENT_PRIZE",
    "DAILY_BONUS",
    "DAILY_BONUS_DOUBLED",
}

TABLE_FAMILIES = {"MCR": Family.MCR, "MCR_AI": Family.MCR_AI}


@dataclass(frozen=True)
class BoardModel:
    """A log: (place in the feed, fact) pairs in order."""

    facts: Sequence[tuple[int, Any]]

    def day_at(self, seq: int) -> date:
        """Return the day shown at a place of the feed."""
        closed = [fact.day for at, fact in self.facts if at <= seq and isinstance(fact, LedgerDayClosed)]
        return max(closed) + timedelta(days=1)

    def closing_of(self, day: date) -> int | None:
        """Return the place of a day's closing, where the boards showed that day; else none."""
        closings = [(at, fact.day) for at, fact in self.facts if isinstance(fact, LedgerDayClosed)]
        return next((at for at, closed in closings[1:] if closed == day), None)

    def made_of(self, board: Board, seq: int, day: date) -> Iterator[tuple[int, str, int]]:
        """Yield (place, account, points) of all that counts on a board's day at a place of the feed."""
        for at, fact in self.facts:
            if at <= seq and isinstance(fact, TransferPosted) and _counts(fact, board, day):
                for side, points in ((fact.debit, -fact.amount), (fact.credit, fact.amount)):
                    if side.startswith("players/"):
                        yield at, side.removeprefix("players/"), points

    def board(self, board: Board, seq: int, day: date) -> list[Entry]:
        """Return a whole board."""
        sums: dict[str, int] = {}
        for _, account, points in self.made_of(board, seq, day):
            sums[account] = sums.get(account, 0) + points
        return listed({account: points for account, points in sums.items() if points})

    def entry(self, board: Board, seq: int, day: date, account: str) -> Entry | None:
        """Return one account's row; none where it is not listed."""
        return next((entry for entry in self.board(board, seq, day) if entry.account == account), None)


async def model_of(bench: LedgerBench) -> BoardModel:
    """Return the model of everything in a ledger's feed."""
    return BoardModel(await bench.log())


async def settle_at_the_clock(bench: LedgerBench) -> None:
    """Settle a ledger whose feed is stamped by the test's clock instead of the database's."""
    while True:
        closed = await bench.closer.step()
        last = await bench.count("SELECT last_seq FROM feed_head WHERE part = 1")
        moved = await bench.sequencer.step(EPOCH)
        await stamp(bench, last, [bench.clock.now()] * moved)
        await bench.projector.claim(EPOCH)
        if closed == moved == await bench.projector.step(EPOCH) == 0:
            return


async def stamp(bench: LedgerBench, after: int, instants: Sequence[datetime]) -> None:
    """Say when the entries after a place came to the feed."""
    async with bench.database.engine.begin() as connection:
        await connection.execute(text("ALTER TABLE feed DISABLE TRIGGER facts_stay"))
        statement = text("""
            UPDATE feed SET at = i.at
            FROM unnest(CAST(:instants AS timestamptz[])) WITH ORDINALITY AS i (at, place)
            WHERE part = 1 AND seq = :after + i.place
        """)
        await connection.execute(statement, {"after": after, "instants": list(instants)})
        await connection.execute(text("ALTER TABLE feed ENABLE TRIGGER facts_stay"))


def _counts(fact: TransferPosted, board: Board, day: date) -> bool:
    family = {
        Asset.POINTS: TABLE_FAMILIES.get(fact.reason, Family.POINTS),
        Asset.RATING: Family.RATING,
    }.get(fact.asset)
    if family is not FAMILY[board] or (family is Family.POINTS and fact.reason not in COUNTED):
        return False
    if board is Board.RACE_RATING:
        return True
    window = window_on(board, day)
    return window.first_day <= fact.day <= window.last_day
