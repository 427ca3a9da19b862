"""`sparrow ledger`: build the boards anew, verify all that is kept, say what two sets of boards differ in."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final
from uuid import uuid4

import typer
from rich.markup import escape

from libs.cli.connection import DataDirOption, EndpointOption
from libs.cli.events.command import KeyFileOption
from libs.cli.events.manifest import NoExport
from libs.cli.events.site import Site
from libs.cli.ledger.differing import differing, steadily
from libs.cli.ledger.export_fold import boards_of_export
from libs.cli.ledger.operating import ledger_operator
from libs.cli.ledger.showing import bar, print_faults, report_document, seconds_of
from libs.cli.terminal import JsonFlag, console, fail, print_json
from libs.client.ledger_operations import Generation, LedgerFault, LedgerOperator, LedgerReport, StoredRow

LIVE: Final = "live"
MISUSED: Final = 2
NAMED_MAX: Final = 1_000

RequestOption = Annotated[
    str, typer.Option("--request-id", help="go on with the work of this id; new by itself")
]

app = typer.Typer(no_args_is_help=True, help="Build boards anew, verify the ledger, compare boards.")


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two that are compared."""

    name: str
    sequence: int
    day: str
    rows: AsyncIterator[StoredRow]


@app.callback()
def ledger() -> None:
    """Build boards anew, verify the ledger, compare boards."""


@app.command("rebuild")
def rebuild_command(
    request_id: RequestOption = "",
    key_file: KeyFileOption = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Build the boards from the log beside the live ones and switch to them; 1 if that failed."""
    site = Site(endpoint, data_dir, key_file)
    request_id = request_id or str(uuid4())

    async def work() -> LedgerReport:
        async with ledger_operator(site) as operator:
            with bar() as told:
                return await operator.rebuild(request_id, told)

    report = site.run(work)
    if as_json:
        print_json({"request_id": request_id, **report_document(report)})
    elif report.error:
        fail(escape(report.error))
    else:
        seconds = seconds_of(report)
        out = console()
        out.print(
            f"[bold green]✓[/] {report.events:,} events in {seconds:.1f} s"
            f" ({report.events / seconds:,.0f} events/s): {report.rows:,} rows, {report.entries:,} entries"
        )
        parts = " · ".join(f"{phase} {part_s:.1f} s" for phase, part_s in report.parts)
        out.print(f"  [dim]{parts}[/]")
        differed = f"{report.fault_count:,} things differed" if report.fault_count else "nothing differed"
        out.print(
            f"  generation {report.generation} answers now, in place of {report.replaced_generation};"
            f" {differed} at {report.sequence:,}"
        )
        out.print(f"  [dim]compare them: sparrow ledger diff {report.replaced_generation} live[/]")
        print_faults(out, report.faults, report.fault_count)
    sys.exit(0 if report.switched else 1)


@app.command("verify")
def verify_command(
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="DIR", help="fold this export independently and compare the hash"),
    ] = None,
    request_id: RequestOption = "",
    key_file: KeyFileOption = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Recompute chain, transfers, balances and boards from the log and name what differs; 1 if anything."""
    site = Site(endpoint, data_dir, key_file)
    sequence, hashed = _folded(export) if export is not None else (0, "")

    async def work() -> LedgerReport:
        async with ledger_operator(site) as operator:
            with bar() as told:
                return await operator.verify(request_id or str(uuid4()), told, digest_at=sequence)

    report = site.run(work)
    agrees = export is None or report.digest_at == hashed
    is_right = not report.error and report.fault_count == 0 and agrees
    if as_json:
        told = {"ok": is_right, **report_document(report)}
        if export is not None:
            told["export"] = {"sequence": sequence, "digest": hashed, "agrees": agrees}
        print_json(told)
    elif report.error:
        fail(escape(report.error))
    else:
        out = console()
        mark = "[bold red]✗[/]" if report.fault_count else "[bold green]✓[/]"
        wrong = f"{report.fault_count:,} faults" if report.fault_count else "no fault"
        out.print(
            f"{mark} {wrong}: {report.events:,} events, {report.transfers:,} transfers,"
            f" {report.entries:,} entries, {report.rows:,} rows of boards read in {seconds_of(report):.1f} s"
        )
        print_faults(out, report.faults, report.fault_count)
        if export is not None:
            mark, word = ("[bold green]✓[/]", "is") if agrees else ("[bold red]✗[/]", "is not")
            out.print(f"{mark} the hash of the export's boards at {sequence:,} {word} that of the log")
    sys.exit(0 if is_right else 1)


@app.command("diff")
def diff_command(
    left: Annotated[str, typer.Argument(metavar="A", help='"live", a generation\'s number, or an export')],
    right: Annotated[str, typer.Argument(metavar="B", help="the same")],
    key_file: KeyFileOption = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Name the rows in which two sets of boards differ; 1 if there are any."""
    site = Site(endpoint, data_dir, key_file)

    async def work() -> tuple[list[_Side], list[LedgerFault], int]:
        async with AsyncExitStack() as opened:
            sides = [await _side(opened, site, name) for name in (left, right)]
            named: list[LedgerFault] = []
            count = 0
            async for fault in differing(sides[0].rows, sides[1].rows):
                count += 1
                if len(named) < NAMED_MAX:
                    named.append(fault)
            return sides, named, count

    try:
        sides, named, count = site.run(work)
    except NoExport as error:
        fail(escape(str(error)), MISUSED)
    if as_json:
        told = [{"name": side.name, "sequence": side.sequence, "as_of_day": side.day} for side in sides]
        print_json({"sides": told, "count": count, "rows": [asdict(fault) for fault in named]})
    else:
        out = console()
        for side in sides:
            out.print(f"[dim]{escape(side.name)} stands at {side.sequence:,} and shows {side.day}[/]")
        mark = "[bold red]✗[/]" if count else "[bold green]✓[/]"
        out.print(f"{mark} {f'{count:,} rows differ' if count else 'no row differs'}")
        print_faults(out, named, count)
    sys.exit(1 if count else 0)


async def _side(opened: AsyncExitStack, site: Site, name: str) -> _Side:
    if name != LIVE and not name.isdigit():
        boards = opened.enter_context(boards_of_export(Path(name)))
        return _Side(name, boards.sequence, str(boards.as_of_day or "no day"), steadily(boards.rows))
    operator: LedgerOperator = await opened.enter_async_context(ledger_operator(site))
    parts = operator.rows(0 if name == LIVE else int(name))
    first: Any = await anext(parts)
    assert isinstance(first, Generation), "the first message says where the generation stands"
    told = name if name == LIVE else f"generation {name}"
    return _Side(told, first.sequence, first.as_of_day or "no day", _only_rows(parts))


async def _only_rows(parts: AsyncIterator[Generation | StoredRow]) -> AsyncIterator[StoredRow]:
    async for part in parts:
        assert isinstance(part, StoredRow), "where it stands is told once"
        yield part


def _folded(folder: Path) -> tuple[int, str]:
    try:
        with boards_of_export(folder) as boards:
            return boards.sequence, f"{boards.digest:064x}"
    except NoExport as error:
        fail(escape(str(error)), MISUSED)
