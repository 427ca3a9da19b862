"""`sparrow matches`: list own matches, and show one of them pair by pair."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import asdict
from typing import Annotated

import typer
from rich.table import Table

from libs.cli.connection import (
    DEFAULT_PROFILE,
    EndpointOption,
    ProfileOption,
    connect,
    find_endpoint,
)
from libs.cli.matches.telling import brought, document, duration, replay_table, unsolvable_lines
from libs.cli.terminal import JsonFlag, console, foreign, print_json, run
from libs.client.history import Replay
from libs.client.results import GameSummary

app = typer.Typer(no_args_is_help=True, help="Look back at your matches, pair by pair.")


@app.callback()
def matches() -> None:
    """Look back at your matches, pair by pair."""


@app.command("list")
def list_matches(
    rows: Annotated[int, typer.Option(min=1, max=1_000, help="how many matches")] = 20,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """List your matches, the newest first."""
    target = find_endpoint(endpoint)
    found = run(_list(target, profile, rows), target)
    if as_json:
        print_json([document(each) for each in found])
        return
    table = Table("match", "mode", "begun", "time", "came to", box=None)
    for each in found:
        begun = f"{each.start_time:%Y-%m-%d %H:%M:%S}"
        table.add_row(each.name, each.mode.value, begun, duration(each), brought(each))
    console().print(table if found else "You have played no match yet.")


@app.command("show")
def show_match(
    match: Annotated[
        str, typer.Argument(metavar="MATCH", help='"matches/<uuid>", one of yours that is over')
    ],
    round_number: Annotated[
        int, typer.Option("--round", metavar="N", min=1, max=3, help="which round of an arena")
    ] = 1,
    own: Annotated[bool, typer.Option("--own", help="your own steps only")] = False,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """Tell a match pair by pair: when, worth what and why, and from where on the board was unsolvable."""
    target = find_endpoint(endpoint)
    name = match if match.startswith("matches/") else f"matches/{match}"
    told, names, me = run(_replay(target, profile, name, round_number), target)
    if as_json:
        print_json(asdict(told))
        return
    out = console()
    out.print(foreign(f"{told.name}: {told.mode.value}, round {told.round_number} of {told.round_count}"))
    out.print(replay_table(told, names, me if own else None))
    for line in unsolvable_lines(told, names):
        out.print(foreign(line))


async def _list(target: str, profile: str, rows: int) -> list[GameSummary]:
    async with await connect(target, profile) as client:
        found: list[GameSummary] = []
        async with aclosing(client.games()) as games:
            async for game in games:
                found.append(game)
                if len(found) == rows:
                    break
        return found


async def _replay(
    target: str, profile: str, name: str, round_number: int
) -> tuple[Replay, dict[str, str], str]:
    async with await connect(target, profile) as client:
        told = await client.history.replay(name, round_number)
        profiles = await client.profiles([seat.player for seat in told.seats])
        return told, {key: each.display_name for key, each in profiles.items()}, client.profile.name
