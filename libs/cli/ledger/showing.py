"""How rebuilds and checks are told to people: a bar while they run, lines for what differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import islice
from typing import Any, Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from libs.cli.terminal import foreign
from libs.client.ledger_operations import LedgerFault, LedgerReport, Told

SHOWN: Final = 50
STANDING: Final = "0001-01-01"
"""The day of the sheets that have none of their own."""


class _Speed(ProgressColumn):
    """Events a second, where events are counted."""

    def render(self, task: Task) -> Text:
        """Return the speed of a bar."""
        speed = task.finished_speed or task.speed
        return Text(f"{speed:,.0f} events/s" if task.total and speed else "", style="dim")


@contextmanager
def bar() -> Iterator[Told]:
    """Give what shows progress on standard error, where that is a terminal; else nothing is shown."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Speed())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        tasks: dict[str, Any] = {}

        def told(phase: str, done: int, total: int) -> None:
            if phase not in tasks:
                for task in tasks.values():
                    progress.remove_task(task)
                tasks.clear()
                tasks[phase] = progress.add_task(phase, total=total or None)
            progress.update(tasks[phase], completed=done, total=total or None)

        yield told


def print_faults(out: Console, faults: Iterable[LedgerFault], count: int) -> None:
    """Print what differs, a line each."""
    shown = list(islice(faults, SHOWN))
    for fault in shown:
        out.print(Text("  ").append(sentence(fault)))
    if count > len(shown):
        out.print(f"  … and {count - len(shown):,} more")


def sentence(fault: LedgerFault) -> Text:
    """Return what differs in a line: what, where, stored, should be."""
    day = "" if fault.day == STANDING else fault.day
    place = f"at {fault.sequence}" if fault.sequence else ""
    where = " ".join(filter(None, (fault.kind, fault.board, day, fault.account, place, fault.name)))
    stored, expected = fault.stored or "nothing", fault.expected or "nothing"
    if not fault.stored and not fault.expected:
        return foreign(where)
    return foreign(f"{where}: stored {stored}, should be {expected}")


def report_document(report: LedgerReport) -> dict[str, Any]:
    """Return a report for programs."""
    seconds = seconds_of(report)
    return {
        **asdict(report),
        "parts": [{"phase": phase, "seconds": part_s} for phase, part_s in report.parts],
        "seconds": round(seconds, 3),
        "events_per_s": round(report.events / seconds) if seconds else 0,
    }


def seconds_of(report: LedgerReport) -> float:
    """Return how long the work took."""
    return sum(part_s for _, part_s in report.parts)
