"""The golden boards, asked of the tables as of each instant (format: tests/data/ledger/FORMAT.md)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from libs.eventsourcing.ids import uuid7
from libs.eventstore.port import StreamAppend
from services.ledger.assets import HOUSE_POINTS, Asset, player_account
from services.ledger.board_servicer import BoardReads
from services.ledger.domain.calendar import day_end, day_start, ledger_day
from services.ledger.domain.days import closing_stream
from services.ledger.domain.windows import FAMILY, Board, Family
from services.ledger.events import LedgerDayClosed, TransferPosted
from services.ledger.policies import CALLER
from services.ledger.projections.club_reads import ClubBoards
from services.ledger.projections.listings import BoardQuestion
from services.ledger.wire.events import encode
from tests.support.board_model import stamp
from tests.support.ledger_bench import EPOCH, LedgerBench
from tests.support.past_boards import (
    NOON,
)

FILE = Path(__file__).parents[2] / "data" / "ledger" / "boards.jsonl"
CASES = [json.loads(line) for line in FILE.read_text().splitlines()][:12]
"""One of each kind; the fold in memory is held to all 36."""


def account_of(name: str) -> str:
    """Return a golden account as an id, in the same order."""
    return str(UUID(int=int(name.removeprefix("acc-"), 16)))


def golden_log(case: dict[str, Any]) -> list[tuple[datetime, Any]]:
    """Return a case as facts and when they came to the feed: closings on the midnight, then transfers."""
    rows: dict[str, Any] = {}
    for row in case["transfers"]:
        rows.setdefault(row["id"], row)
    log: list[tuple[datetime, int, Any]] = []
    for row in rows.values():
        original = rows[row["reverses"]] if row["reason"] == "REVERSAL" else row
        sides = (HOUSE_POINTS, player_account(account_of(row["account"])))
        fact = TransferPosted(
            row["id"],
            Asset.POINTS,
            *(sides if row["points"] > 0 else sides[::-1]),
            abs(row["points"]),
            original["reason"],
            instant(row["occurred_at"]),
            ledger_day(instant(original["occurred_at"])),
            "",
            "",
        )
        log.append((instant(row["posted_at"]), 1, fact))
    asked = [instant(row["as_of"]) for row in case["boards"]]
    day = ledger_day(min(asked))  # the boards open on the first day asked about
    log.append((day_start(day), 0, LedgerDayClosed(day - timedelta(days=1))))
    while day_end(day) <= max(asked):
        log.append((day_end(day), 0, LedgerDayClosed(day)))
        day += timedelta(days=1)
    return [(at, fact) for at, _, fact in sorted(log, key=lambda step: step[:2])]


def stream_of(fact: Any) -> UUID:
    """Return the stream that a fact stands in."""
    return uuid7(NOON, uuid4().bytes[:10]) if isinstance(fact, TransferPosted) else closing_stream(fact.day)


def occurred_at(fact: Any) -> datetime:
    """Return when a fact occurred."""
    return fact.occurred_at if isinstance(fact, TransferPosted) else day_end(fact.day)


def instant(text: str) -> datetime:
    """Read an instant of the file."""
    return datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize("case", CASES, ids=[f"{case['id']}-{case['kind']}" for case in CASES])
async def test_the_golden_boards_come_out_of_the_tables_as_of_each_instant(
    bench: LedgerBench, case: dict[str, Any]
) -> None:
    """All transfers of a case are in; asked as of each of its instants the three boards are the file's."""
    log = golden_log(case)
    streams = [StreamAppend(stream_of(fact), 0, (encode(fact, occurred_at(fact)),)) for _, fact in log]
    await bench.database.store.append(streams, recorded_at=bench.clock.now(), caller=CALLER)
    while await bench.sequencer.step(EPOCH):
        pass
    await stamp(bench, 0, [at for at, _ in log])
    await bench.projector.claim(EPOCH)
    while await bench.projector.step(EPOCH):
        pass
    reads = BoardReads.of(bench.database, bench.reader, ClubBoards())

    for asked in case["boards"]:
        for board in (board for board in Board if FAMILY[board] is Family.POINTS):
            found = await reads.listings.first(BoardQuestion(board, 200, at=instant(asked["as_of"])))
            rows = [[entry.rank, entry.account, entry.points] for entry in found.entries]
            assert rows == [[rank, account_of(name), points] for rank, name, points in asked[board.value]]
