"""What a fold did to boards, as columns that one statement each can write. No I/O: it runs in a thread."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from services.ledger.domain.boards import Boards, Cell, Closing, Posting
from services.ledger.domain.ranks import counts_moved
from services.ledger.domain.windows import Board, Family
from services.ledger.events import LedgerDayClosed, LedgerEvent

BOARD_CODE: Final = {
    Board.AMR: 1,
    Board.WEEKLY: 2,
    Board.DAILY: 3,
    Board.MCR_YEAR: 4,
    Board.MCR_WEEKLY: 5,
    Board.MCR_DAILY: 6,
    Board.RACE_RATING: 7,
    Board.MCR_AI_YEAR: 8,
    Board.MCR_AI_WEEKLY: 9,
    Board.MCR_AI_DAILY: 10,
}
FAMILY_CODE: Final = {Family.POINTS: 1, Family.MCR: 2, Family.RATING: 3, Family.MCR_AI: 4}
BOARD_OF_CODE: Final = {code: board for board, code in BOARD_CODE.items()}

Columns = Mapping[str, list[Any]]


@dataclass(frozen=True, slots=True)
class Effects:
    """Rows to put and to drop, counters to move, changes and entries to keep, and the state afterwards."""

    put: Columns
    drop: Columns
    counts: Columns
    changes: Columns
    entries: Columns
    closings: Sequence[Closing]  # days whose boards, as they were before all this, are kept
    refused: Sequence[int]  # facts to park
    as_of_day: date | None
    digest: bytes


def fold_all(boards: Boards, facts: Sequence[tuple[int, LedgerEvent]]) -> Effects:
    """Fold (seq, fact) pairs in order into boards that hold the rows in their reach; return what that did."""
    for seq, fact in facts:
        boards.fold(seq, fact)
    changes, rows = boards.settle()
    if any(isinstance(fact, LedgerDayClosed) for _, fact in facts):
        return _of_closing(boards, rows)
    listed = {cell: new for cell, (_, new) in rows.items() if new}
    kept: dict[tuple[int, Cell], int] = {}
    for change in changes:  # a midnight may change a row twice: what it was before counts
        kept.setdefault((change.seq, change.cell), change.old)
    return Effects(
        put={**cell_columns(listed), "points": list(listed.values())},
        drop=cell_columns(cell for cell, (_, new) in rows.items() if not new),
        counts=_count_columns(rows),
        changes={
            **cell_columns(cell for _, cell in kept),
            "seqs": [seq for seq, _ in kept],
            "olds": list(kept.values()),
        },
        entries=entry_columns(boards.postings),
        closings=tuple(boards.closings),
        refused=tuple(boards.refused),
        as_of_day=boards.as_of_day,
        digest=boards.digest.to_bytes(32),
    )


def _of_closing(boards: Boards, rows: Mapping[Cell, tuple[int, int]]) -> Effects:
    """Return what a closing did besides rows and changes: these are moved as whole sheets (see `roll`)."""
    return Effects(
        put=cell_columns(()),
        drop=cell_columns(()),
        counts=_count_columns(rows),
        changes=cell_columns(()),
        entries=entry_columns(()),
        closings=tuple(boards.closings),
        refused=(),
        as_of_day=boards.as_of_day,
        digest=boards.digest.to_bytes(32),
    )


def cell_columns(cells: Iterable[Cell]) -> dict[str, list[Any]]:
    """Return cells as the columns board, day, account."""
    cells = list(cells)
    return {
        "boards": [BOARD_CODE[cell.sheet.board] for cell in cells],
        "days": [cell.sheet.day for cell in cells],
        "accounts": [cell.account for cell in cells],
    }


def entry_columns(postings: Sequence[Posting]) -> dict[str, list[Any]]:
    """Return what was counted as columns of entries."""
    return {
        "accounts": [posting.account for posting in postings],
        "families": [FAMILY_CODE[posting.family] for posting in postings],
        "days": [posting.day for posting in postings],
        "seqs": [posting.seq for posting in postings],
        "points": [posting.points for posting in postings],
        "instants": [posting.occurred_at for posting in postings],
    }


def _count_columns(rows: Mapping[Cell, tuple[int, int]]) -> Columns:
    moved = counts_moved(rows)
    return {
        "boards": [BOARD_CODE[count.sheet.board] for count in moved],
        "days": [count.sheet.day for count in moved],
        "coarse": [count.coarse for count in moved],
        "buckets": [count.bucket for count in moved],
        "moves": list(moved.values()),
    }
