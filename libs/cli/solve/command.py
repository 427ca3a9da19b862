"""`sparrow solve FILE.jsonl`: exact answers about positions."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from libs import kernel
from libs.cli.solve.answer import answer
from libs.cli.solve.question import LINE_BYTES_MAX, LineFault, parse
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
        with _opened(file) as (stream, size), _progress(size) as advance:
            bad = sum(not _told(number, line, nodes, advance) for number, line in lines(stream))
    except BrokenPipeError:
        # The reader has enough; the interpreter must not flush into the closed pipe once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        name = escape(foreign(str(file)).plain)
        fail(f"{name}: {error.strerror or 'cannot be read'}", UNREADABLE)
    sys.exit(BAD_LINES if bad else 0)


def lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Every line that is not blank, with its number from 1; of one that is too long, one byte too many."""
    number = 0
    while line := stream.readline(LINE_BYTES_MAX + 2):
        number += 1
        rest = line
        while not rest.endswith(b"\n") and (rest := stream.readline(LINE_BYTES_MAX)):
            line = line[: LINE_BYTES_MAX + 1]
        if line.strip():
            yield number, line.removesuffix(b"\n")


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


@contextmanager
def _opened(file: Path) -> Iterator[tuple[BinaryIO, int | None]]:
    """The bytes and how many there are, where that is known."""
    if str(file) == "-":
        yield sys.stdin.buffer, None
        return
    with file.open("rb") as stream:
        yield stream, os.fstat(stream.fileno()).st_size or None


@contextmanager
def _progress(size: int | None) -> Iterator[Callable[[int], None]]:
    """A bar on standard error, where that is a terminal; it takes bytes."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("solving", total=size)
        yield lambda count: progress.advance(task, count)
