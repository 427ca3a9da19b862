"""`sparrow demo`: bots play for a while, and the exit code says whether the boards are right."""

from __future__ import annotations

import secrets
import sys
from typing import Annotated

import typer

from libs.cli.connection import EndpointOption, find_endpoint
from libs.cli.demo.player import Pace
from libs.cli.demo.report import document, show
from libs.cli.demo.run import Demo, Plan
from libs.cli.demo.tournament_command import tournament
from libs.cli.terminal import JsonFlag, console, fail, print_json, run

app = typer.Typer(
    help="Let bots play, then compare the boards with what was acknowledged; 1 if they differ.",
)
app.command("tournament")(tournament)


@app.callback(invoke_without_command=True)
def demo(
    context: typer.Context,
    players: Annotated[int, typer.Option(min=1, max=500, help="how many bots")] = 20,
    quick: Annotated[
        int | None, typer.Option(min=0, help="how many of them play quick matches; a third by itself")
    ] = None,
    arena: Annotated[
        int | None, typer.Option(min=0, help="how many of them play arenas; a third by itself, in fours")
    ] = None,
    race: Annotated[
        int | None, typer.Option(min=0, help="how many of them race, in pairs; two of 20 by itself")
    ] = None,
    queue_race: Annotated[
        int | None, typer.Option(min=0, help="how many race by the queue; two of 20 by itself")
    ] = None,
    pool: Annotated[
        int | None, typer.Option(min=0, help="how many of them play for pots; four of 20 by itself")
    ] = None,
    table: Annotated[
        int | None, typer.Option(min=0, help="how many play MCR against the AI; two of 20 by itself")
    ] = None,
    queue_table: Annotated[
        int | None, typer.Option(min=0, help="how many play MCR by the lobby; four of 40 by itself")
    ] = None,
    seconds: Annotated[float, typer.Option(min=1, max=3600, help="how long they play")] = 20,
    seed: Annotated[int | None, typer.Option(help="makes their choices repeatable")] = None,
    think_ms: Annotated[int, typer.Option(min=0, help="mean pause between touches")] = 60,
    patience: Annotated[float, typer.Option(help="seconds to keep trying while nothing answers")] = 30,
    endpoint: EndpointOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Let bots play, then compare the boards with what was acknowledged; 1 if they differ.

    Ctrl-C ends the playing early; the boards are still compared.
    """
    if context.invoked_subcommand is not None:
        return
    if quick == 1:
        fail("A quick match takes two: --quick 2 or more")
    if arena is not None and 0 < arena < 4:
        fail("An arena takes four: --arena 4 or more")
    if race is not None and race % 2:
        fail("Races are run in pairs: --race 2 or another even number")
    if queue_race == 1:
        fail("A race of the queue takes two: --queue-race 2 or more")
    if pool == 1:
        fail("A pool match takes two: --pool 2 or more")
    target = find_endpoint(endpoint)
    out = console()
    plan = Plan(
        target,
        players,
        seconds,
        secrets.randbelow(1_000_000) if seed is None else seed,
        Pace(think_ms, patience),
        live=not as_json and out.is_terminal,
        quick=players // 3 // 2 * 2 if quick is None else min(quick, players),
        arena=players // 3 // 4 * 4 if arena is None else min(arena, players),
        race=players // 20 * 2 if race is None else min(race, players),
        queue_race=players // 20 * 2 if queue_race is None else min(queue_race, players),
        pool=players // 20 * 4 if pool is None else min(pool, players),
        table=players // 20 * 2 if table is None else min(table, players),
        queue_table=players // 40 * 4 if queue_table is None else min(queue_table, players),
    )
    report = run(Demo(plan).run(), target)
    if as_json:
        print_json(document(report))
    else:
        show(report, out)
    sys.exit(0 if report.equal else 1)
