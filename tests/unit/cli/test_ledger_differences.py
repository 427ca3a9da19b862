"""What two runs of rows differ in, and the words for it."""

from __future__ import annotations

from datetime import date

from libs.cli.ledger.differing import differing, steadily
from libs.cli.ledger.showing import sentence
from libs.client.ledger_operations import LedgerFault, StoredRow

DAY = date(2026, 3, 2)
STANDING = date(1, 1, 1)


def row(player: str, points: int, board: int = 3, day: date = DAY) -> StoredRow:
    """Return a row of a daily board, or of another."""
    return StoredRow(board, day, f"players/{player}", points)


async def found(left: list[StoredRow], right: list[StoredRow]) -> list[tuple[str, str, str, str]]:
    """Return board, player, and the points on both sides of each difference."""
    faults = differing(steadily(iter(left)), steadily(iter(right)))
    return [(fault.board, fault.account, fault.stored, fault.expected) async for fault in faults]


async def test_rows_of_one_side_and_other_points_are_named_in_order() -> None:
    """At the beginning, inside and at the end; equal rows are not told."""
    left = [row("a", 1, 1, STANDING), row("b", 2, 1, STANDING), row("a", 5), row("c", 6)]
    right = [row("b", 3, 1, STANDING), row("a", 5), row("b", 7), row("c", 6), row("d", 8)]

    assert await found(left, right) == [
        ("amr", "players/a", "1", ""),
        ("amr", "players/b", "2", "3"),
        ("daily", "players/b", "", "7"),
        ("daily", "players/d", "", "8"),
    ]


async def test_equal_sides_do_not_differ() -> None:
    """Empty ones neither."""
    rows = [row("a", 1), row("b", 2)]

    assert await found(rows, rows) == await found([], []) == []
    assert await found(rows, []) == [("daily", "players/a", "1", ""), ("daily", "players/b", "2", "")]


def test_a_difference_is_said_in_one_line() -> None:
    """The standing sheets have no day; what is nothing is called so; control characters are not printed."""
    year = LedgerFault("row", "amr", "0001-01-01", "players/a", 0, "", "2", "3")
    missing = LedgerFault("entry", "daily", "2026-03-02", "players/a", 17, "", "", "5")
    chain = LedgerFault("chain", "", "", "", 4, "follows on \x1b2", "", "")

    assert sentence(year).plain == "row amr players/a: stored 2, should be 3"
    assert sentence(missing).plain == "entry daily 2026-03-02 players/a at 17: stored nothing, should be 5"
    assert sentence(chain).plain == "chain at 4 follows on �2"
