"""A ledger with a past, and a model that recomputes it."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from libs.eventsourcing.envelope import Part
from services.ledger.assets import HOUSE_POINTS, Asset, player_account
from services.ledger.board_servicer import BoardReads
from services.ledger.domain.calendar import ledger_day
from services.ledger.domain.ranks import Entry
from services.ledger.domain.windows import Board
from services.ledger.events import TransferPosted
from services.ledger.projections.club_reads import ClubBoards
from services.ledger.projections.listings import BoardQuestion, BoardSlice
from tests.support.board_model import BoardModel
from tests.support.ledger_bench import LedgerBench

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
BY_DAY = (Board.WEEKLY, Board.DAILY, Board.MCR_WEEKLY, Board.MCR_DAILY, Board.MCR_AI_DAILY)


@dataclass
class Past:
    """A ledger with a year and a half behind it, and what reads it."""

    bench: LedgerBench
    reads: BoardReads = field(init=False)
    accounts: list[str] = field(default_factory=list)
    instants: list[datetime] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Read what the bench's own reader reads."""
        self.reads = BoardReads.of(self.bench.database, self.bench.reader, ClubBoards())

    async def pages(self, question: BoardQuestion) -> list[BoardSlice]:
        """Return all pages of a listing."""
        pages = [await self.reads.listings.first(question)]
        while (token := pages[-1].next_token) is not None:
            pages.append(await self.reads.listings.next(question, json.loads(json.dumps(token))))
        return pages


def rows_of(pages: Sequence[BoardSlice]) -> list[Entry]:
    """Return all rows of a listing."""
    return [entry for page in pages for entry in page.entries]


def random_fact(chance: random.Random, accounts: Sequence[str], now: datetime) -> TransferPosted:
    """Return points, table points or rating of a recent day, between the house and a player, or two."""
    asset, reason = chance.choice(
        [
            *[(Asset.POINTS, "ARENA"), (Asset.POINTS, "QUICK_MATCH")] * 2,
            *[(Asset.POINTS, "MCR"), (Asset.POINTS, "MCR_AI"), (Asset.POINTS, "TP"), (Asset.RATING, "RACE")],
        ]
    )
    taker = player_account(chance.choice(accounts))
    giver = player_account(chance.choice(accounts)) if chance.random() < 0.15 else HOUSE_POINTS
    if giver == taker:
        giver = HOUSE_POINTS
    sides = (giver, taker) if chance.random() < 0.8 else (taker, giver)
    day = ledger_day(now - timedelta(hours=chance.choice((0, 0, 0, 3, 20, 24 * 40))))
    amount = chance.choice((5, 10, 15, 300))
    return TransferPosted(f"match/{uuid4()}/x", asset, *sides, amount, reason, now, day, "2026.6", "")


def reversal(fact: TransferPosted) -> TransferPosted:
    """Return what takes a transfer back, on its own day."""
    return TransferPosted(
        f"reversal/{fact.key}",
        fact.asset,
        fact.credit,
        fact.debit,
        fact.amount,
        fact.reason,
        fact.occurred_at,
        fact.day,
        fact.time_zone_data,
        "",
        reverses=fact.key,
    )


def seq_at(model: BoardModel, instants: Sequence[tuple[datetime, int]], at: datetime) -> int:
    """Return the last place that was in the feed at an instant."""
    return max(seq for stood, seq in instants if stood <= at)


async def feed_instants(bench: LedgerBench) -> list[tuple[datetime, int]]:
    """Return when each entry came to the feed."""
    entries = await bench.database.feed.read(Part.FACTS, 1, limit=100_000)
    return [(entry.at, entry.seq) for entry in entries]
