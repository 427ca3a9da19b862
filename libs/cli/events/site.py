"""A running Sparrow as `sparrow events` meets it: found when it is first needed, asked as an operator."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from libs.cli.connection import find_endpoint, find_settings
from libs.cli.events.export import Advance, Order, export
from libs.cli.events.feeds import FeedChanged, MintedTokens
from libs.cli.events.manifest import MANIFEST, Manifest
from libs.cli.operator_keys import operator_token
from libs.cli.terminal import fail, run
from libs.client.operator import OperatorClient

if TYPE_CHECKING:
    from libs.runtime.config import Settings

T = TypeVar("T")

NAME: Final = "events"
"""The name that the operator token carries."""


@dataclass
class Site:
    """What leads to it; nothing is read or called yet."""

    given_endpoint: str | None
    data_dir: Path | None
    key_file: Path | None

    @cached_property
    def settings(self) -> Settings:
        """The settings of this machine."""
        return find_settings(self.data_dir)

    @cached_property
    def endpoint(self) -> str:
        """Where it listens."""
        return find_endpoint(self.given_endpoint, self.settings)

    @property
    def exports(self) -> Path:
        """Where exports go that are not sent elsewhere."""
        return self.settings.data_dir / "exports"

    def client(self) -> OperatorClient:
        """Return a connection that signs anew for as long as it lasts."""
        operator_token(self.key_file, self.settings, NAME)  # a missing key is said now
        tokens = MintedTokens(lambda: operator_token(self.key_file, self.settings, NAME))
        return OperatorClient(self.endpoint, tokens)

    def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run work; what the world got wrong becomes one line."""
        try:
            return run(work(), self.endpoint)
        except FeedChanged as error:
            fail(escape(str(error)))

    def export(self, order: Order, folder: Path) -> Manifest:
        """Write an export, with a bar on standard error where that is a terminal."""

        async def work() -> Manifest:
            async with self.client() as client:
                with _bar() as advance:
                    return await export(client, order, folder, advance)

        try:
            return self.run(work)
        except FileExistsError as error:
            fail(escape(str(error)), 2)
        except OSError as error:
            fail(escape(f"{error.filename or folder}: {error.strerror or 'cannot be written'}"))


def newest_export(folder: Path) -> Path | None:
    """Return the export in a folder that was finished last, or none."""
    manifests = sorted(folder.glob(f"[!.]*/{MANIFEST}"), key=lambda path: path.stat().st_mtime)
    return manifests[-1].parent if manifests else None


@contextmanager
def _bar() -> Iterator[Advance]:
    console = Console(stderr=True)
    columns = (TextColumn("exporting"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("exporting", total=None)
        yield lambda done, of: progress.update(task, completed=done, total=of)
