"""`sparrow matches`: list own games, show one step by step, or see it played again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import asdict
from typing import Annotated, TypeVar

import typer
from rich.markup import escape
from rich.table import Table

from libs.cli.connection import (
    DEFAULT_PROFILE,
    EndpointOption,
    LanguageOption,
    ProfileOption,
    connect,
    find_endpoint,
)
from libs.cli.matches.telling import (
    brought,
    document,
    duration,
    placing_lines,
    replay_table,
    unsolvable_lines,
)
from libs.cli.matches.viewing import Viewer
from libs.cli.play.lines import TypedLines
from libs.cli.terminal import JsonFlag, console, fail, foreign, name_column, print_json, run
from libs.client.client import SparrowClient
from libs.client.replays import PlayedGame, Replay
from libs.client.rounds import Mode

T = TypeVar("T")
app = typer.Typer(no_args_is_help=True, help="Look back at your matches, pair by pair.")
MatchArgument = Annotated[
    str, typer.Argument(metavar="MATCH", help='"matches/<uuid>", one of yours that is over')
]
RoundOption = Annotated[
    int, typer.Option("--round", metavar="N", min=1, max=3, help="which round of an arena")
]


@app.callback()
def matches() -> None:
    """Look back at your matches, pair by pair."""


@app.command("list")
def list_matches(
    mode: Annotated[Mode | None, typer.Option(help="games of this mode only")] = None,
    rows: Annotated[int, typer.Option(min=1, max=1_000, help="how many games")] = 20,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    language: LanguageOption = None,
    as_json: JsonFlag = False,
) -> None:
    """List your games of every mode, the newest first."""

    async def listed(client: SparrowClient) -> list[PlayedGame]:
        found: list[PlayedGame] = []
        async with aclosing(client.history.games(mode)) as games:
            async for game in games:
                found.append(game)
                if len(found) == rows:
                    break
        return found

    found = _with_client(endpoint, profile, language, listed)
    if as_json:
        print_json([document(each) for each in found])
        return
    table = Table(name_column("match"), "mode", "begun", "time", "came to", box=None)
    for each in found:
        begun = f"{each.start_time:%Y-%m-%d %H:%M:%S}"
        table.add_row(each.name, each.mode.value, begun, duration(each), brought(each))
    console().print(table if found else "You have played no match yet.")


@app.command("show")
def show_match(
    match: MatchArgument,
    round_number: RoundOption = 1,
    own: Annotated[bool, typer.Option("--own", help="your own steps only")] = False,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    language: LanguageOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Tell a match step by step: when, worth what and why, how all were placed, when a board was lost."""
    told, names, me = _with_client(endpoint, profile, language, _replay(match, round_number))
    if as_json:
        print_json(asdict(told))
        return
    out = console()
    out.print(foreign(f"{told.name}: {told.mode.value}, round {told.round_number} of {told.round_count}"))
    out.print(replay_table(told, names, me if own else None))
    for line in (*placing_lines(told, names), *unsolvable_lines(told, names)):
        out.print(foreign(line))


@app.command("replay")
def replay_match(
    match: MatchArgument,
    round_number: RoundOption = 1,
    of: Annotated[
        str | None, typer.Option("--of", metavar="NAME", help="whose board: a player's name; else your own")
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option(
            metavar="X", min=0.1, max=1_000, help="go on by itself, X times as fast as it was played"
        ),
    ] = None,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    language: LanguageOption = None,
) -> None:
    """See a board again as it was played, step by step: by keys, or by itself with --speed."""

    async def view(client: SparrowClient) -> None:
        told, names, me = await _replay(match, round_number)(client)
        seat = _seat(told, names, me, of)
        viewer = Viewer(told, seat, names, console())
        if speed is None:
            await viewer.by_keys(TypedLines())
        else:
            await viewer.by_itself(speed)

    _with_client(endpoint, profile, language, view)


def _seat(told: Replay, names: dict[str, str], me: str, of: str | None) -> int:
    """The seat of a player by display name or "players/<uuid>"; ends the program where there is none."""
    wanted = me if of is None else of
    found = [
        number
        for number, seat in enumerate(told.seats)
        if seat.player and wanted in {seat.player, names.get(seat.player)}
    ]
    if not found:
        fail(f"Nobody of that name played it: {escape(wanted)}")
    return found[0]


def _replay(
    match: str, round_number: int
) -> Callable[[SparrowClient], Awaitable[tuple[Replay, dict[str, str], str]]]:
    async def told(client: SparrowClient) -> tuple[Replay, dict[str, str], str]:
        name = match if match.startswith("matches/") else f"matches/{match}"
        replay = await client.history.replay(name, round_number)
        profiles = await client.profiles([seat.player for seat in replay.seats if seat.player])
        return replay, {key: each.display_name for key, each in profiles.items()}, client.profile.name

    return told


def _with_client(
    endpoint: str | None,
    profile: str,
    language: str | None,
    work: Callable[[SparrowClient], Awaitable[T]],
) -> T:
    target = find_endpoint(endpoint)

    async def connected() -> T:
        async with await connect(target, profile, language=language) as client:
            return await work(client)

    return run(connected(), target)
