"""The order of the files of tests, which decides when the last process of them ends."""

from __future__ import annotations

from pathlib import Path

from tests.support.running_order import running_order

ALLOWED_S = {
    "e2e/test_a.py": 60,
    "fault/test_short.py": 60,
    "fault/test_long.py": 720,
    "integration/test_a.py": 600,
    "integration/test_b.py": 60,
    "property/test_a.py": 60,
    "property/test_b.py": 60,
    "unit/test_a.py": 6_000,
    "test_new.py": 60,
}


def test_what_waits_runs_beside_what_calculates_and_nothing_long_begins_last() -> None:
    """End to end, then faults with the longest first among busy files, then the rest as it was."""
    order = running_order({Path(name): allowed for name, allowed in ALLOWED_S.items()})

    assert [str(file) for file in order] == [
        "e2e/test_a.py",
        "fault/test_long.py",
        "integration/test_a.py",
        "integration/test_b.py",
        "fault/test_short.py",
        "property/test_a.py",
        "property/test_b.py",
        "unit/test_a.py",
        "test_new.py",
    ]


def test_a_part_of_the_files_has_an_order_too() -> None:
    """Whoever runs one folder gets all of it."""
    assert running_order({}) == []
    assert running_order({Path("fault/test_a.py"): 60}) == [Path("fault/test_a.py")]
