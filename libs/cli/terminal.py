"""How the command line speaks: tables for people, one JSON document for programs, one line for errors."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Coroutine
from typing import Annotated, Any, NoReturn, TypeVar

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column
from rich.text import Text

from libs.client.errors import SparrowError, UnreachableError

T = TypeVar("T")

JsonFlag = Annotated[bool, typer.Option("--json", help="print one JSON document instead of tables")]


def console() -> Console:
    """Return the console for output; without a terminal it writes plain text of 100 columns."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else 100
    return Console(highlight=False, width=width)


def name_column(title: str) -> Column:
    """Return a column of names such as "matches/<uuid>": each whole on its line, so that it can be copied."""
    return Column(title, no_wrap=True)


def print_json(document: Any) -> None:
    """Print one JSON document."""
    print(json.dumps(document, indent=2, ensure_ascii=False))


def fail(message: str, exit_code: int = 1) -> NoReturn:
    """Say one line on standard error and end the program."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(f"[bold red]✗[/] {message}")
    sys.exit(exit_code)


def run(work: Coroutine[Any, Any, T], endpoint: str) -> T:
    """Run the work of a command; what the world got wrong becomes one line, Ctrl-C a quiet end."""
    try:
        return asyncio.run(work)
    except UnreachableError:
        fail(f"Sparrow does not answer on {endpoint} – start it with [bold]make run[/]")  # noqa: RUF001
    except SparrowError as error:
        fail(escape(error.text))
    except KeyboardInterrupt:
        sys.exit(130)


def foreign(text: str) -> Text:
    """Return text that somebody else wrote, safe to print: no markup, no control characters."""
    return Text("".join(character if character.isprintable() else "�" for character in text))
