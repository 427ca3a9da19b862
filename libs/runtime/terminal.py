"""What the foreground process shows: steps as they happen, a page when it serves, a box when it cannot."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import IO

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table

from libs.runtime.embedded.failure import LaunchError


class _PatientConsole(Console):
    """A console whose reader may go away (`make run | head`): it falls silent, and nothing ends."""

    def on_broken_pipe(self) -> None:
        """Write nothing from now on, not even the interpreter's last flush."""
        self.quiet = True
        if self.file is sys.stdout:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Terminal:
    """Output for people."""

    def __init__(self, file: IO[str] | None = None, width: int | None = None) -> None:
        """Write to the file given, by default to standard output."""
        self._console = _PatientConsole(file=file, width=width, highlight=False)

    @contextlib.contextmanager
    def step(self, doing: str, done: str) -> Iterator[None]:
        """Show that something is being done, then that it is done and how long it took."""
        began = time.monotonic()
        with self._console.status(f"{escape(doing)} …"):
            yield
        self._print(f"[green]✓[/] {escape(done)} [dim]{time.monotonic() - began:.1f} s[/]")

    def say(self, line: str) -> None:
        """Print one line."""
        self._print(escape(line))

    def page(self, facts: Mapping[str, str], commands: Sequence[tuple[str, str]]) -> None:
        """Print the page of a Sparrow that serves: where things are, and what to try."""
        where, tries = _grid(), _grid()
        for name, value in facts.items():
            where.add_row(f"[dim]{escape(name)}[/]", escape(value))
        for command, purpose in commands:
            tries.add_row(f"[bold cyan]{escape(command)}[/]", escape(purpose))
        body = Group(where, "", "[bold]Try in another terminal[/]", tries)
        self._print(Panel(body, title="[bold green]Sparrow serves[/]", border_style="green", expand=False))

    def failure(self, error: LaunchError) -> None:
        """Print why Sparrow cannot start or go on, and what to do."""
        body = Table.grid()
        body.add_row(f"[bold]{escape(error.message)}[/]")
        if error.log_tail:
            body.add_row("")
            body.add_row(f"[dim]{escape(error.log_tail)}[/]")
        if error.advice:
            body.add_row("")
            body.add_row(escape(error.advice))
        self._print(Panel(body, title="[bold red]Sparrow stopped[/]", border_style="red", expand=False))

    def _print(self, what: RenderableType) -> None:
        self._console.print(what, soft_wrap=isinstance(what, str))


def _grid() -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    return grid
