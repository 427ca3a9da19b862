"""The fold of the boards against 36 cases made by a naive model (format: tests/data/ledger/FORMAT.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from services.ledger.assets import HOUSE_POINTS, Asset, player_account
from services.ledger.domain.boards import Boards, digest_of
from services.ledger.domain.calendar import ledger_day
from services.ledger.domain.days import days_to_close
from services.ledger.domain.ranks import listed
from services.ledger.domain.windows import WINDOWED, Family, sheet_on
from services.ledger.events import LedgerDayClosed, TransferPosted

FILE = Path(__file__).parents[2] / "data" / "ledger" / "boards.jsonl"
CASES = [json.loads(line) for line in FILE.read_text().splitlines()]

Case = dict[str, Any]


def instant(text: str) -> datetime:
    """Read an instant of the file."""
    return datetime.fromisoformat(text).astimezone(UTC)


class GoldenLedger:
    """A ledger of one case: the first of each id is posted, days are closed by the clock, all is folded."""

    def __init__(self, case: Case) -> None:
        """Read the case."""
        self.transfers: dict[str, Case] = {}
        for row in case["transfers"]:
            self.transfers.setdefault(row["id"], row)
        self.boards = Boards()
        self.seq = 0

    def posted(self, row: Case) -> TransferPosted:
        """Return a row as the event that the ledger would keep; a reversal swaps the original's sides."""
        original = self.transfers[row["reverses"]] if row["reason"] == "REVERSAL" else row
        sides = (HOUSE_POINTS, player_account(row["account"]))
        debit, credit = sides if row["points"] > 0 else sides[::-1]
        return TransferPosted(
            key=row["id"],
            asset=Asset.POINTS,
            debit=debit,
            credit=credit,
            amount=abs(row["points"]),
            reason=original["reason"],
            occurred_at=instant(row["occurred_at"]),
            day=ledger_day(instant(original["occurred_at"])),
            time_zone_data="",
            cause="",
        )

    def close_days(self, now: datetime) -> None:
        """Fold the closings that are due."""
        for day in days_to_close(self.boards.as_of_day, now):
            self.seq += 1
            self.boards.fold(self.seq, LedgerDayClosed(day))

    def shown(self) -> dict[str, list[list[Any]]]:
        """Return the three boards in the form of the file."""
        day = self.boards.as_of_day
        assert day is not None
        return {
            board.value: [
                [entry.rank, entry.account, entry.points]
                for entry in listed(self.boards.sheets.get(sheet_on(board, day), {}))
            ]
            for board in WINDOWED[Family.POINTS]
        }


def happenings(case: Case, closing_delay: timedelta) -> Iterator[tuple[datetime, Case | None, Case | None]]:
    """Yield closings' clock, transfers and board questions in order of time."""
    posted = GoldenLedger(case).transfers.values()
    steps = [(instant(row["posted_at"]), 0, row) for row in posted]
    steps += [(instant(row["as_of"]), 1, row) for row in case["boards"]]
    for at, kind, row in sorted(steps, key=lambda step: step[:2]):
        yield at if kind else at - closing_delay, *((row, None) if kind == 0 else (None, row))


@pytest.mark.parametrize("closing_delay_s", [0, 90], ids=["closed on time", "closed 90 s late"])
@pytest.mark.parametrize("case", CASES, ids=[f"{case['id']}-{case['kind']}" for case in CASES])
def test_fold_shows_the_boards_of_the_naive_model(case: Case, closing_delay_s: int) -> None:
    """Days closed by the clock, late closings included, give the same boards as recomputing everything."""
    ledger = GoldenLedger(case)
    for clock, row, question in happenings(case, timedelta(seconds=closing_delay_s)):
        ledger.close_days(clock)
        if row is not None:
            ledger.seq += 1
            ledger.boards.fold(ledger.seq, ledger.posted(row))
        if question is not None:
            assert ledger.shown() == {board: question[board] for board in ("amr", "weekly", "daily")}

    ledger.boards.settle()
    assert ledger.boards.digest == digest_of(ledger.boards.sheets)


def test_there_are_36_cases() -> None:
    """The file is whole."""
    assert len(CASES) == 36
