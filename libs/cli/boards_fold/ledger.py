"""A ledger of one case: transfers are posted, days closed by the clock, all folded as the boards do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from libs.cli.boards_fold.case import Case, Question, Row
from libs.cli.line_file import LineFault
from services.ledger.assets import HOUSE_POINTS, Asset, player_account
from services.ledger.domain.boards import Boards
from services.ledger.domain.calendar import TIME_ZONE_DATA, ledger_day
from services.ledger.domain.days import days_to_close
from services.ledger.domain.ranks import listed
from services.ledger.domain.windows import WINDOWED, Family, sheet_on
from services.ledger.events import LedgerDayClosed, LedgerEvent, TransferPosted

ON_TIME: Final = timedelta()


class CaseLedger:
    """The boards of one case, moved by hand."""

    def __init__(self, case: Case) -> None:
        """Begin with nothing posted and no day shown."""
        self.boards = Boards()
        self._rows = case.rows
        self._seq = 0

    def close_days(self, now: datetime) -> None:
        """Close the days that are over at `now`, in order."""
        for day in days_to_close(self.boards.as_of_day, now):
            self._fold(LedgerDayClosed(day))

    def post(self, row: Row) -> None:
        """Fold a row as the event that the ledger would keep. Raises LineFault when the boards refuse it."""
        self._fold(_posted(row, self._rows))
        if self.boards.refused:
            raise LineFault(f"{row.key} takes {row.account} out of the range of a day's points")

    def shown(self) -> dict[str, list[list[Any]]]:
        """Return the three boards in the form of the file."""
        day = self.boards.as_of_day
        assert day is not None, "a question closes yesterday first"
        return {
            board.value: [
                [entry.rank, entry.account, entry.points]
                for entry in listed(self.boards.sheets.get(sheet_on(board, day), {}))
            ]
            for board in WINDOWED[Family.POINTS]
        }

    def _fold(self, fact: LedgerEvent) -> None:
        self._seq += 1
        self.boards.fold(self._seq, fact)


def answer(case: Case, closing_delay: timedelta = ON_TIME) -> tuple[dict[str, Any], Boards]:
    """Return what the boards show at each instant asked about, and the boards at the end. Raises LineFault.

    Days are closed by the clock before each posting, so much late; a question waits for what is due.
    """
    ledger, shown = CaseLedger(case), dict[Question, dict[str, Any]]()
    for at, happening in happenings(case):
        if isinstance(happening, Row):
            ledger.close_days(at - closing_delay)
            ledger.post(happening)
        else:
            ledger.close_days(at)
            shown[happening] = {"as_of": happening.text, **ledger.shown()}
    return {"id": case.name, "boards": [shown[question] for question in case.questions]}, ledger.boards


def happenings(case: Case) -> Iterator[tuple[datetime, Row | Question]]:
    """Yield transfers and questions in order of time; a question knows what was posted at its instant."""
    steps: list[tuple[datetime, bool, Row | Question]] = [
        *((row.posted_at, False, row) for row in case.rows.values()),
        *((question.as_of, True, question) for question in case.questions),
    ]
    for at, _, happening in sorted(steps, key=lambda step: step[:2]):
        yield at, happening


def _posted(row: Row, rows: Mapping[str, Row]) -> TransferPosted:
    """Return the fact: a reversal swaps the original's sides and keeps its reason and day."""
    original = rows[row.reverses] if row.reverses else row
    sides = (HOUSE_POINTS, player_account(row.account))
    debit, credit = sides if row.points > 0 else sides[::-1]
    return TransferPosted(
        key=row.key,
        asset=Asset.POINTS,
        debit=debit,
        credit=credit,
        amount=abs(row.points),
        reason=original.reason,
        occurred_at=row.occurred_at,
        day=ledger_day(original.occurred_at),
        time_zone_data=TIME_ZONE_DATA,
        cause="",
        reverses=row.reverses,
    )
