"""Commands that answer a file line by line: a bad line is told in place of its answer, and work goes on."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NoReturn

from rich.markup import escape

from libs.cli.line_file import LineFault, bar, lines, opened, reader_left
from libs.cli.terminal import fail, foreign

BAD_LINES: Final = 1
UNREADABLE: Final = 2


def answer_file(
    file: Path, doing: str, line_bytes_max: int, answer: Callable[[bytes], dict[str, Any]]
) -> NoReturn:
    """Write the answer to each line, then end the program: 1 if any line was bad, 2 for a bad file.

    `answer` raises LineFault for a bad line. `doing` stands beside the bar. A longer line is
    handed over one byte too long.
    """
    try:
        with opened(file) as (stream, size), bar(doing, size) as advance:
            found = lines(stream, line_bytes_max)
            bad = sum(not _told(number, line, answer, advance) for number, line in found)
    except BrokenPipeError:
        reader_left()
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        name = escape(foreign(str(file)).plain)
        fail(f"{name}: {error.strerror or 'cannot be read'}", UNREADABLE)
    sys.exit(BAD_LINES if bad else 0)


def _told(
    number: int, line: bytes, answer: Callable[[bytes], dict[str, Any]], advance: Callable[[int], None]
) -> bool:
    """Write the answer or the fault of a line; whether it was sound."""
    told: dict[str, Any]
    try:
        told, sound = answer(line), True
    except LineFault as fault:
        told, sound = {"line": number, "error": str(fault)}, False
    sys.stdout.write(f"{json.dumps(told)}\n")
    sys.stdout.flush()
    advance(len(line) + 1)
    return sound
