"""`sparrow solve FILE.jsonl`: exact answers about positions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from libs import kernel
from libs.cli.line_answers import answer_file
from libs.cli.solve.answer import answer
from libs.cli.solve.question import LINE_BYTES_MAX, parse
from libs.rules.solitaire.solver import NODE_BUDGET


def solve(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="positions, a JSON object a line; -: input")],
    nodes: Annotated[
        int, typer.Option(min=0, max=1 << 62, help="how long to search for one answer; then it is null")
    ] = NODE_BUDGET,
) -> None:
    """Say of each position of a file whether it can be solved, and how; 1 if any line was bad."""
    if not kernel.native():
        Console(stderr=True).print("[bold yellow]The kernel is not built[/]: answers take much longer.")
    answer_file(file, "solving", LINE_BYTES_MAX, lambda line: answer(parse(line), nodes))
