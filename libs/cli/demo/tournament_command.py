"""`sparrow demo tournament`: bots play a tournament, and the exit code says whether all of it is right."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import Annotated

import typer

from libs.cli.connection import DataDirOption, EndpointOption, find_endpoint, find_settings
from libs.cli.terminal import JsonFlag, console, fail, print_json, run


def tournament(
    players: Annotated[int, typer.Option(min=2, max=500, help="how many bots")] = 200,
    rounds: Annotated[str, typer.Option(help="the multiplier of each round")] = "1,1,2",
    round_limit: Annotated[float, typer.Option(min=1, help="a table plays so many seconds at most")] = 30,
    pause: Annotated[float, typer.Option(min=0, help="seconds between rounds")] = 3,
    absent: Annotated[
        int | None, typer.Option(min=0, help="how many enter and stay away; one of 50 by itself")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="makes their choices repeatable")] = None,
    think_ms: Annotated[int, typer.Option(min=0, help="mean pause between touches")] = 600,
    patience: Annotated[float, typer.Option(help="seconds to keep trying while nothing answers")] = 30,
    key_file: Annotated[
        Path | None, typer.Option(help="the operator key; else that of the data folder")
    ] = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Let bots play a tournament with shortened times, then recompute all of it; 1 if anything differs.

    Ctrl-C has the operator end it early: what is played counts as it stands.
    """
    from libs.cli.demo.player import Pace
    from libs.cli.demo.tournament import TournamentDemo, TournamentPlan
    from libs.cli.demo.tournament_report import document, show
    from libs.cli.operator_keys import operator_token
    from libs.cli.tournaments.laid_down import LaidDownError, multipliers_of

    try:
        multipliers = multipliers_of(rounds)
    except LaidDownError as error:
        fail(str(error))
    settings = find_settings(data_dir)
    target = find_endpoint(endpoint, settings)
    out = console()
    plan = TournamentPlan(
        target,
        players,
        secrets.randbelow(1_000_000) if seed is None else seed,
        Pace(think_ms, patience),
        live=not as_json and out.is_terminal,
        multipliers=multipliers,
        round_limit_s=round_limit,
        pause_s=pause,
        absent=players // 50 if absent is None else min(absent, players - 1),
    )
    report = run(TournamentDemo(plan, lambda: operator_token(key_file, settings, "demo")).run(), target)
    if as_json:
        print_json(document(report))
    else:
        show(report, out)
    sys.exit(0 if report.is_right else 1)
