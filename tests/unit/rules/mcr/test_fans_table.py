"""The table of fans."""

from __future__ import annotations

from collections import Counter

from libs.rules.mcr.fans_table import FANS


def test_there_are_81_fans_numbered_as_in_the_rule_book() -> None:
    """Numbers run from 1 to 81 without a gap; titles are unique."""
    assert [fan.number for fan in FANS] == list(range(1, 82))
    assert len({fan.title for fan in FANS}) == 81


def test_fans_stand_in_the_twelve_classes_of_the_rule_book() -> None:
    """So many fans of 88, 64, 48, 32, 24, 16, 12, 8, 6, 4, 2 and 1 points, the highest first."""
    assert Counter(fan.points for fan in FANS) == {
        88: 7, 64: 6, 48: 2, 32: 3, 24: 9, 16: 6, 12: 5, 8: 9, 6: 7, 4: 4, 2: 10, 1: 13
    }  # fmt: skip
    assert [fan.points for fan in FANS] == sorted((fan.points for fan in FANS), reverse=True)
