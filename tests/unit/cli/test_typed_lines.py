"""Reading what is typed."""

from __future__ import annotations

import os

from libs.cli.play.lines import TypedLines
from libs.cli.terminal import foreign


async def test_lines_come_one_by_one_and_the_end_stays_the_end() -> None:
    """Pieces are joined, the last line needs no end, and after it there is nothing, however often asked."""
    reading, writing = os.pipe()
    lines = TypedLines(reading)
    os.write(writing, b"1 2\n3")
    first = await lines.next()
    os.write(writing, b" 4\nlast")
    os.close(writing)

    rest = [await lines.next() for _ in range(4)]

    assert [first, *rest] == ["1 2", "3 4", "last", None, None]
    os.close(reading)


def test_what_others_wrote_cannot_command_the_terminal() -> None:
    """A display name is text: neither markup nor control characters of it take effect."""
    assert foreign("[red]Wren[/]\x1b[2J").plain == "[red]Wren[/]�[2J"
