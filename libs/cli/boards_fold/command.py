"""`sparrow boards fold FILE.jsonl`: what boards would show, by the projector's own fold, without a site."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich import box
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from libs.cli.line_file import LineFault, bar, document, lines, opened, reader_left
from libs.cli.terminal import JsonFlag, console, fail, foreign

LINE_BYTES_MAX: Final = 1 << 28
BAD_LINES, UNREADABLE = 1, 2
BOARDS: Final = ("amr", "weekly", "daily")


def fold(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="cases, a JSON object a line; -: input")],
    rows: Annotated[int, typer.Option(min=1, help="how many rows of each board a table shows")] = 20,
    as_json: JsonFlag = False,
) -> None:
    """Fold transfers of a file into boards as of the instants it asks about; 1 if any line was bad.

    With --json one line a case: its id, and AMR, weekly and daily board at each instant, whole.
    """
    tell = _tell_json if as_json else _tell_tables(rows)
    try:
        with opened(file) as (stream, size), bar("folding", size) as advance:
            bad = sum(
                not _told(number, line, tell, advance) for number, line in lines(stream, LINE_BYTES_MAX)
            )
    except BrokenPipeError:
        reader_left()
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        fail(f"{escape(foreign(str(file)).plain)}: {error.strerror or 'cannot be read'}", UNREADABLE)
    sys.exit(BAD_LINES if bad else 0)


def _told(
    number: int, line: bytes, tell: Callable[[dict[str, Any]], None], advance: Callable[[int], None]
) -> bool:
    """Tell the boards or the fault of a line; whether it was sound."""
    # only who folds waits for the ledger's core to be imported
    from libs.cli.boards_fold.case import parse
    from libs.cli.boards_fold.ledger import answer

    told: dict[str, Any]
    try:
        told, _ = answer(parse(document(line, LINE_BYTES_MAX)))
        sound = True
    except LineFault as fault:
        told, sound = {"line": number, "error": str(fault)}, False
    tell(told)
    advance(len(line) + 1)
    return sound


def _tell_json(told: dict[str, Any]) -> None:
    sys.stdout.write(f"{json.dumps(told)}\n")
    sys.stdout.flush()


def _tell_tables(rows: int) -> Callable[[dict[str, Any]], None]:
    def tell(told: dict[str, Any]) -> None:
        if "error" in told:
            console().print(f"[bold red]✗[/] line {told['line']}:", foreign(told["error"]))
            return
        for shown in told["boards"]:
            console().print(boards_table(str(told["id"]), shown, rows))

    return tell


def boards_table(name: str, shown: dict[str, Any], rows: int) -> RenderableType:
    """Return the three boards as of one instant, side by side."""
    table = Table(
        title=foreign(f"{name}  as of {shown['as_of']}"),
        title_justify="left",
        title_style="bold",
        box=box.ROUNDED,
        border_style="dim",
    )
    for board in BOARDS:
        table.add_column("#", justify="right")
        table.add_column({"amr": "AMR"}.get(board, board), overflow="fold")
        table.add_column("points", justify="right")
    for at in range(min(rows, max(len(shown[board]) for board in BOARDS))):
        cells: list[RenderableType] = []
        for board in BOARDS:
            rank, account, points = shown[board][at] if at < len(shown[board]) else ("", "", "")
            cells += [str(rank), foreign(account), f"{points:,}" if account else ""]
        table.add_row(*cells)
    return table
