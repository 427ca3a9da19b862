"""Files of one JSON object a line: read line by line, with a bar where somebody watches."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeGuard

from rich.console import Console
from rich.progress import Progress

ID_LENGTH_MAX: Final = 200


class LineFault(ValueError):
    """What is wrong with a line, in one sentence."""


@contextmanager
def opened(file: Path) -> Iterator[tuple[BinaryIO, int | None]]:
    """The bytes of a file, or of the standard input for `-`; and how many, where that is known."""
    if str(file) == "-":
        yield sys.stdin.buffer, None
        return
    with file.open("rb") as stream:
        yield stream, os.fstat(stream.fileno()).st_size or None


def lines(stream: BinaryIO, bytes_max: int) -> Iterator[tuple[int, bytes]]:
    """Every line that is not blank, with its number from 1; of one that is too long, one byte too many."""
    number = 0
    while line := stream.readline(bytes_max + 2):
        number += 1
        rest = line
        while not rest.endswith(b"\n") and (rest := stream.readline(bytes_max)):
            line = line[: bytes_max + 1]
        if line.strip():
            yield number, line.removesuffix(b"\n")


def document(line: bytes, bytes_max: int) -> dict[str, Any]:
    """The JSON object on a line. Raises LineFault."""
    if len(line) > bytes_max:
        raise LineFault(f"the line has more than {bytes_max:,} bytes")
    try:
        read = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise LineFault(f"byte {error.start + 1} is no UTF-8") from error
    except json.JSONDecodeError as error:
        raise LineFault(f"no JSON: {error.msg} at character {error.pos + 1}") from error
    except RecursionError as error:
        raise LineFault("no JSON that can be read: nested too deeply") from error
    except ValueError as error:
        raise LineFault("no JSON that can be read: a number has too many digits") from error
    if not isinstance(read, dict):
        raise LineFault("no JSON object")
    return read


def name_of(fields: dict[str, Any]) -> str | int | None:
    """The id that the answer to a line repeats. Raises LineFault."""
    name = fields.get("id")
    if isinstance(name, str):
        if len(name) > ID_LENGTH_MAX:
            raise LineFault(f"id has more than {ID_LENGTH_MAX} characters")
        return name
    if name is None:
        return None
    if is_int(name) and abs(name) < 1 << 63:
        return name
    raise LineFault("id is neither a text nor a number of 64 bits")


def is_int(value: object) -> TypeGuard[int]:
    """Whether a value of a JSON document is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


@contextmanager
def bar(description: str, size: int | None) -> Iterator[Callable[[int], None]]:
    """A bar on standard error, where that is a terminal; it takes bytes."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(description, total=size)
        yield lambda count: progress.advance(task, count)


def reader_left() -> None:
    """Let the interpreter not flush once more into a pipe whose reader has enough."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
