"""What boards are called for people."""

from __future__ import annotations

import pytest

from libs.cli.board_explain import explanation_table
from libs.cli.board_titles import TITLES
from libs.client.results import BoardKind, BoardWindow, Standing


@pytest.mark.parametrize("board", BoardKind)
def test_an_explanation_has_the_title_of_the_board_that_it_is_about(board: BoardKind) -> None:
    """Every board has one; its word on the wire is for programs."""
    window = BoardWindow(board, None, None, None, None, "Europe/Bucharest")

    assert str(explanation_table(Standing(window, None, 0), []).title) == (
        f"[bold]{TITLES[board]}[/] [dim]not listed[/]"
    )
