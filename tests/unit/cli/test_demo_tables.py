"""What a demo makes of what MCR tables told."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from libs.cli.demo.table_points import DealPoints, TableJournal

DAY = date(2026, 11, 30)
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATE = datetime(2026, 11, 30, 22, 30, tzinfo=UTC)
"""Past midnight in Romania."""


def test_points_of_tables_against_the_ai_and_of_persons_are_summed_apart_by_romanian_days() -> None:
    """A deal counts on one family of boards, on the day of its end."""
    journal = TableJournal()
    journal.ended("tables/1", 1, DealPoints(NOON, {"ana": 24}, 0))
    journal.ended("tables/1", 2, DealPoints(LATE, {"ana": 100}, 0))
    journal.ended("tables/2", 1, DealPoints(NOON, {"ana": -8, "ion": -16}, 0))
    assert journal.points(DAY, DAY, of_persons=False) == {"ana": 24}
    assert journal.points(DAY, DAY, of_persons=True) == {"ana": -8, "ion": -16}


def test_every_seat_is_told_the_same_end_of_a_deal() -> None:
    """Twice the same is one deal; anything else is a fault."""
    journal = TableJournal()
    for _ in range(2):
        journal.ended("tables/2", 1, DealPoints(NOON, {"ana": -8, "ion": -16}, 0))
    assert len(journal.deals) == 1
    with pytest.raises(AssertionError, match="two results"):
        journal.ended("tables/2", 1, DealPoints(NOON, {"ana": 8, "ion": -16}, 0))
