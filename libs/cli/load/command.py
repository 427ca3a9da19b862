"""`sparrow load`: drive bots against an address and tell how it took them."""

from __future__ import annotations

import secrets
from dataclasses import asdict
from typing import Annotated, Final

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from libs.cli.connection import EndpointOption, find_endpoint, find_settings
from libs.cli.load.drive import LoadPlan, drive
from libs.cli.load.player import PLAYERS_MIN, LoadMode
from libs.cli.load.processes import drive_in_processes
from libs.cli.load.tally import Tally, document
from libs.cli.terminal import JsonFlag, console, fail, foreign, print_json, run

SHARES: Final = (("p50", 0.5), ("p99", 0.99), ("max", 1.0))
NEEDS: Final = {
    LoadMode.QUICK: "A quick match takes two",
    LoadMode.ARENA: "An arena takes four",
    LoadMode.QUEUE_RACE: "A race of the queue takes two",
    LoadMode.ALL: f"All modes together take {PLAYERS_MIN[LoadMode.ALL]} in each process",
}


def load(
    players: Annotated[int, typer.Option(min=1, max=20_000, help="how many bots")] = 50,
    mode: Annotated[LoadMode, typer.Option(help="what they play")] = LoadMode.SINGLE,
    seconds: Annotated[float, typer.Option(min=1, max=86_400, help="how long is counted")] = 10,
    rate: Annotated[
        float | None, typer.Option(min=0.1, help="moves a second by all together; else as fast as it goes")
    ] = None,
    processes: Annotated[int, typer.Option(min=1, max=64, help="how many processes drive them")] = 1,
    seed: Annotated[int | None, typer.Option(help="makes their choices repeatable")] = None,
    endpoint: EndpointOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Let bots play as fast as they are answered: accepted moves a second, latency, errors by reason.

    With --rate the moves are due at that pace, and a latency counts from when its move was due.
    """
    least = PLAYERS_MIN.get(mode, 1) * (processes if mode is LoadMode.ALL else 1)
    if players < least:
        fail(f"{NEEDS[mode]}: --players {least} or more")
    target = find_endpoint(endpoint, find_settings())
    seed = secrets.randbelow(1_000_000) if seed is None else seed
    plan = LoadPlan(target, players, mode, seconds, rate, seed)
    tally = run(_drive(plan, processes, Console(stderr=True, quiet=as_json)), target)
    if as_json:
        asked = {key: value for key, value in asdict(plan).items() if key not in ("target", "seconds")}
        print_json({"endpoint": target, "asked": {**asked, "processes": processes}, **document(tally)})
    else:
        show(tally, console())


async def _drive(plan: LoadPlan, processes: int, bar_on: Console) -> Tally:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(40),
        TimeRemainingColumn(),
        TextColumn("{task.fields[said]}"),
    )
    with Progress(*columns, console=bar_on, transient=True) as progress:
        task = progress.add_task("signing in", total=None, said="")

        async def begin() -> None:
            progress.update(task, description="playing", total=plan.seconds, completed=0)

        def watch(tally: Tally) -> None:
            said = f"{tally.accepted_per_s:.0f} moves/s, {sum(tally.errors.values())} errors"
            progress.update(task, completed=tally.seconds, said=said)

        if processes == 1:
            return await drive(plan, begin, watch)
        return await drive_in_processes(plan, processes)


def show(tally: Tally, out: Console) -> None:
    """Print the tally for people."""
    if tally.parts:
        out.print(_modes(tally))
        out.print()
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="dim")
    table.add_column(justify="right")
    table.add_row("accepted moves", f"{tally.accepted} in {tally.seconds:.1f} s")
    table.add_row("a second", f"[bold]{tally.accepted_per_s:.1f}[/]")
    for name, share in SHARES:
        table.add_row(f"latency {name}", f"{tally.latency_ms(share):.1f} ms")
    table.add_row("boards begun", str(tally.games))
    for kind, count in sorted(tally.moves.items()):
        table.add_row(f"of them {kind}", str(count))
    if tally.after_end:
        table.add_row("after the opponent's last", str(tally.after_end))
    out.print(table)
    if not tally.errors:
        out.print("[green]✓[/] no errors")
    for reason, count in tally.errors.most_common():
        out.print("[yellow]![/]", foreign(reason), str(count))


def _modes(tally: Tally) -> Table:
    """Return a row for each mode that was played."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for column in (
        "mode",
        "moves",
        "a second",
        *(f"{name}, ms" for name, _share in SHARES),
        "boards",
        "errors",
    ):
        table.add_column(column, justify="left" if column in ("mode", "errors") else "right")
    for mode, part in tally.parts.items():
        latencies = [f"{part.latency_ms(share):.1f}" for _name, share in SHARES]
        errors = ", ".join(f"{foreign(reason).plain} {count}" for reason, count in part.errors.most_common())
        row = [mode, f"{part.accepted:,}", f"{part.accepted_per_s:.1f}", *latencies, str(part.games)]
        table.add_row(*row, Text(errors or "none"))
    return table
