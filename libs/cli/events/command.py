"""`sparrow events`: export the log, check an export, ask it in SQL, follow the log live. For operators."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from libs.cli.connection import DataDirOption, EndpointOption
from libs.cli.events.checking import Checked, check_export
from libs.cli.events.export import Order
from libs.cli.events.instants import parse_instant
from libs.cli.events.manifest import Encoding, Manifest, NoExport
from libs.cli.events.schema import known_services
from libs.cli.events.site import Site, newest_export
from libs.cli.terminal import JsonFlag, console, fail, print_json
from libs.client.session import utc_now

MISUSED: Final = 2

KeyFileOption = Annotated[
    Path | None, typer.Option("--key-file", help="the operator key; else that of the data folder")
]
ServicesOption = Annotated[
    str, typer.Option("--services", metavar="A,B", help="of these services only; else of all")
]

app = typer.Typer(no_args_is_help=True, help="Export the event log, ask it in SQL, follow it live.")


@app.callback()
def events() -> None:
    """Export the event log, ask it in SQL, follow it live."""


@app.command("export")
def export_command(
    since: Annotated[str, typer.Option("--from", metavar="T", help="a Romanian day or an instant")] = "",
    until: Annotated[str, typer.Option("--to", metavar="T", help="the first one that is left out")] = "",
    encoding: Annotated[
        Encoding, typer.Option("--format", help="how the files are written")
    ] = Encoding.PARQUET,
    services: ServicesOption = "",
    out: Annotated[Path | None, typer.Option("--out", help="a folder that is not there yet")] = None,
    key_file: KeyFileOption = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Write events into files, with a manifest that says what they are."""
    order = Order(_services(services), encoding, *_range(since, until))
    site = Site(endpoint, data_dir, key_file)
    folder = out or site.exports / utc_now().strftime("%Y-%m-%dT%H-%M-%SZ")
    manifest = site.export(order, folder)
    if as_json:
        print_json({"folder": str(folder), **asdict(manifest)})
        return
    print_manifest(manifest, folder)


@app.command("check")
def check_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="an export")], as_json: JsonFlag = False
) -> None:
    """Hold an export against its manifest and recompute its chain; 1 if anything differs."""
    found: list[Checked] = []
    try:
        for one in check_export(folder):
            found.append(one)
            if not as_json:
                print_checked(one)
    except NoExport as error:
        fail(escape(str(error)), MISUSED)
    is_right = not any(one.wrong for one in found)
    if as_json:
        print_json({"folder": str(folder), "ok": is_right, "files": [asdict(one) for one in found]})
    sys.exit(0 if is_right else 1)


@app.command("query")
def query_command(
    sql: Annotated[str, typer.Argument(metavar="SQL", help="one SELECT")],
    folder: Annotated[
        Path | None, typer.Option("--export", metavar="DIR", help="over this export; else over the newest")
    ] = None,
    live: Annotated[bool, typer.Option("--live", help="over all that is in the log now")] = False,
    rows: Annotated[int, typer.Option(min=1, help="how many rows the table has at most")] = 100,
    as_csv: Annotated[bool, typer.Option("--csv", help="print CSV instead of a table")] = False,
    key_file: KeyFileOption = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Ask an export in SQL (DuckDB); README.md beside this command names the tables."""
    from libs.cli.events.answers import BadQuestion, ask, show_table, write_csv, write_json
    from libs.cli.events.database import open_database

    try:
        with (
            _asked(folder, Site(endpoint, data_dir, key_file), live=live) as chosen,
            open_database(chosen) as database,
        ):
            answer = ask(database, sql)
            if as_json:
                write_json(answer)
            elif as_csv:
                write_csv(answer)
            else:
                show_table(answer, rows, console())
            sys.stdout.flush()
    except (BadQuestion, NoExport) as error:
        fail(escape(str(error)), MISUSED)
    except BrokenPipeError:
        _end_quietly()
    except KeyboardInterrupt:
        sys.exit(130)


@app.command("tail")
def tail_command(
    services: Annotated[str, typer.Option("--service", metavar="A,B", help="of these only")] = "",
    types: Annotated[str, typer.Option("--type", metavar="GLOB", help='such as "*.round_*"')] = "*",
    since: Annotated[
        str, typer.Option("--since", metavar="T", help="from a Romanian day or an instant on; else from now")
    ] = "",
    key_file: KeyFileOption = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="print each event as a line of JSON")] = False,
) -> None:
    """Follow the log: every event once, through restarts of the server, until Ctrl-C."""
    from libs.cli.events.tail_lines import tell_events

    begin, _ = _range(since, "")
    site = Site(endpoint, data_dir, key_file)
    chosen = _services(services)

    async def work() -> None:
        async with site.client() as client:
            await tell_events(client, chosen, types, begin, as_json=as_json)

    try:
        site.run(work)
    except BrokenPipeError:
        _end_quietly()


def print_checked(one: Checked) -> None:
    """Say what was found about a file, for people."""
    mark = "[bold red]✗[/]" if one.wrong else "[bold green]✓[/]"
    counts = f"{one.entries} entries, {one.recomputed} chain values recomputed" if one.entries else ""
    console().print(f"{mark} {escape(one.name)}  [dim]{escape(one.wrong or counts)}[/]", soft_wrap=True)


def print_manifest(manifest: Manifest, folder: Path) -> None:
    """Say what was exported, for people."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for column in ("file", "entries", "range", "withheld"):
        table.add_column(column, justify="right" if column == "entries" else "left")
    for file in manifest.files:
        reach = f"{file.first_seq}…{file.last_seq}" if file.count else ""
        withheld = f"deals of {file.withheld} games that are not over: withheld" if file.withheld else ""
        table.add_row(file.name, str(file.count), f"[dim]{reach}[/]", f"[dim]{withheld}[/]")
    console().print(table)
    console().print(f"[bold green]✓[/] {manifest.count} events in {escape(str(folder))}", soft_wrap=True)


def _services(given: str) -> tuple[str, ...]:
    known = known_services()
    if not given:
        return known
    chosen = tuple(dict.fromkeys(given.split(",")))
    for name in chosen:
        if name not in known:
            fail(f"No service {escape(name)} has events; these have: {', '.join(known)}", MISUSED)
    return chosen


def _range(since: str, until: str) -> tuple[datetime | None, datetime | None]:
    found: list[datetime | None] = []
    for option, text in (("--from", since), ("--to", until)):
        try:
            found.append(parse_instant(text) if text else None)
        except ValueError as error:
            fail(f"{option} is {error}", MISUSED)
    first, end = found
    if first is not None and end is not None and first >= end:
        fail("--to must come after --from", MISUSED)
    return first, end


@contextmanager
def _asked(folder: Path | None, site: Site, *, live: bool) -> Iterator[Path]:
    """The export to ask: the named or newest one, else one of everything that is gone afterwards."""
    if folder is not None and live:
        fail("Say --export DIR or --live", MISUSED)
    chosen = folder
    if chosen is None and not live:
        chosen = newest_export(site.exports)
        if chosen is not None:
            Console(stderr=True, highlight=False, soft_wrap=True).print(f"[dim]over {escape(str(chosen))}[/]")
    if chosen is not None:
        yield chosen
        return
    with tempfile.TemporaryDirectory(prefix="sparrow-events-") as aside:
        live_export = Path(aside) / "live"
        site.export(Order(known_services(), Encoding.PARQUET), live_export)
        yield live_export


def _end_quietly() -> None:
    """The reader has enough; the interpreter must not flush into the closed pipe once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)
