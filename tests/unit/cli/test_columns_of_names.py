"""Lists of matches and tables on narrow terminals."""

from __future__ import annotations

import io

from rich.console import Console
from rich.table import Table

from libs.cli.terminal import name_column

NAME = "matches/01a22d86-e8be-724e-9a3b-0123456789ab"


def test_a_name_stays_whole_where_other_columns_have_to_wrap() -> None:
    """What the next command is to be told can be copied from a line, on 80 columns too."""
    table = Table(name_column("match"), "mode", "begun", "time", "came to", box=None)
    table.add_row(NAME, "race", "2026-11-30 17:35:45", "4:27.926", "easy, place 3 of 3: given up at 0 %")
    out = io.StringIO()
    Console(file=out, width=80).print(table)

    assert [line.split()[0] for line in out.getvalue().splitlines() if NAME[:12] in line] == [NAME]
