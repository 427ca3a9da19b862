"""What a demo says of what was played is English."""

from __future__ import annotations

from libs.cli.demo.journal import Journal
from libs.cli.demo.report import _played
from libs.cli.demo.wording import counted


def test_one_is_singular_and_every_other_number_plural() -> None:
    """Also none."""
    assert [counted(count, "arena") for count in (0, 1, 2)] == ["0 arenas", "1 arena", "2 arenas"]
    assert counted(1, "quick match", "quick matches") == "1 quick match"
    assert counted(3, "quick match", "quick matches") == "3 quick matches"


def test_what_was_played_is_told_mode_by_mode() -> None:
    """One race is a race."""
    journal = Journal(lambda: 0.0)
    journal.raced("matches/1", "players/a", None)

    assert _played(journal).replace("[bold]", "").replace("[/]", "") == (
        "cleared 0 levels and ended 0 quick matches, 0 arenas, 1 race, 0 pots and 0 deals of MCR"
    )
