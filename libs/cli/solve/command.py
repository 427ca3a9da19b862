"""`sparrow solve FILE.jsonl`: exact answers about positions."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from libs import kernel
from libs.cli.line_file import LineFault, bar, lines, opened, reader_left
from libs.cli.solve.answer import answer
from libs.cli.solve.question import LINE_BYTES_MAX, parse
from libs.cli.terminal import fail, foreign
from libs.rules.solitaire.solver import NODE_BUDGET

BAD_LINES, UNREADABLE = 1, 2


def solve(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="positions, a JSON object a line; -: input")],
    nodes: Annotated[
        int, typer.Option(min=0, max=1 << 62, help="how long to search for one answer; then it is null")
    ] = NODE_BUDGET,
) -> None:
    """Say of each position of a file whether it can be solved, and how; 1 if any line was bad."""
    if not kernel.native():
        Console(stderr=True).print("[bold yellow]The kernel is not built[/]: answers take much longer.")
    try:
        with opened(file) as (stream, size), bar("solving", size) as advance:
            found = lines(stream, LINE_BYTES_MAX)
            bad = sum(not _told(number, line, nodes, advance) for number, line in found)
    except BrokenPipeError:
        reader_left()
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        name = escape(foreign(str(file)).plain)
        fail(f"{name}: {error.strerror or 'cannot be read'}", UNREADABLE)
    sys.exit(BAD_LINES if bad else 0)


def _told(number: int, line: bytes, nodes: int, advance: Callable[[int], None]) -> bool:
    """Write the answer or the fault of a line; whether it was sound."""
    told: dict[str, Any]
    try:
        told, sound = answer(parse(line), nodes), True
    except LineFault as fault:
        told, sound = {"line": number, "error": str(fault)}, False
    sys.stdout.write(f"{json.dumps(told)}\n")
    sys.stdout.flush()
    advance(len(line) + 1)
    return sound
