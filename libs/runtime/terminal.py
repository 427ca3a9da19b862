"""What the foreground process shows: steps as they happen, a page when it serves, a box when it cannot."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table

from libs.runtime.embedded.failure import LaunchError


class Terminal:
    """Output for people. A reader that went away (`make run | head`) ends nothing."""

    def __init__(self, console: Console | None = None) -> None:
        """Write to the console given, by default to standard output."""
        self._console = console if console is not None else Console(highlight=False)

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
        with contextlib.suppress(BrokenPipeError):
            self._console.print(what, soft_wrap=isinstance(what, str))


def _grid() -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    return grid
