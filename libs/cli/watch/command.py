"""`sparrow watch`: list the matches that are played, or follow one: all boards, a stated delay later."""

from __future__ import annotations

import json
from contextlib import aclosing, nullcontext
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table

from libs.cli.connection import (
    DEFAULT_PROFILE,
    EndpointOption,
    LanguageOption,
    ProfileOption,
    connect,
    find_endpoint,
)
from libs.cli.terminal import console, foreign, name_column, print_json, run
from libs.cli.watch.picture import line_of, match_picture, results_table
from libs.cli.watch.tables import follow_table
from libs.client.client import SparrowClient
from libs.client.spectated import SpectatedMatch, SpectateMode
from libs.client.spectating import LiveMatches
from libs.client.watched_tables import LiveTable


def watch(
    match: Annotated[
        str,
        typer.Argument(metavar="MATCH", help='"matches/<uuid>" or "tables/<uuid>"; without it, the list'),
    ] = "",
    mode: Annotated[SpectateMode | None, typer.Option("--mode", help="list only this mode")] = None,
    rows: Annotated[int, typer.Option(min=1, max=1_000, help="list so many at most")] = 20,
    code: Annotated[str, typer.Option("--code", help="of a private match: its invitation code")] = "",
    as_json: Annotated[
        bool, typer.Option("--json", help="the list as one JSON document, a match as one line a change")
    ] = False,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    language: LanguageOption = None,
) -> None:
    """Watch matches of others, a stated delay after they are played."""
    target = find_endpoint(endpoint)
    if match.startswith("tables/"):
        run(_follow_table(target, profile, language, match, code, as_json=as_json), target)
        return
    if match:
        name = match if match.startswith("matches/") else f"matches/{match}"
        run(_follow(target, profile, language, name, code, as_json=as_json), target)
        return
    live, tables, names = run(_list(target, profile, language, mode, rows), target)
    if as_json:
        print_json(_list_document(live, tables))
        return
    _show_list(live, tables, names)


async def _list(
    target: str, profile: str, language: str | None, mode: SpectateMode | None, rows: int
) -> tuple[LiveMatches, tuple[LiveTable, ...], dict[str, str]]:
    """The newest matches, and as many of the newest tables where no mode was asked for."""
    async with await connect(target, profile, language=language) as client:
        live = await client.spectating.live(mode, rows)
        tables = (await client.watched_tables.live(rows)).tables if mode is None else ()
        in_matches = {player for match in live.matches for player in match.players}
        at_tables = {player for table in tables for player in table.players}
        return live, tables, await _names(client, in_matches | at_tables)


async def _follow_table(
    target: str, profile: str, language: str | None, name: str, code: str, *, as_json: bool
) -> None:
    async with await connect(target, profile, retry_for_s=30, language=language) as client:
        await follow_table(client, name, code, console(), as_json=as_json)


async def _names(client: SparrowClient, players: set[str]) -> dict[str, str]:
    """The names that are shown for players."""
    profiles = await client.profiles(sorted(players))
    return {player: profiles[player].display_name for player in profiles}


def _show_list(live: LiveMatches, tables: tuple[LiveTable, ...], names: dict[str, str]) -> None:
    out = console()
    table = Table(name_column("match"), "mode", "begun", "players", box=None)
    for match in live.matches:
        players = ", ".join(names.get(player, player) for player in match.players)
        cpu = f" and {match.cpu_players} CPU" if match.cpu_players else ""
        table.add_row(
            match.name, match.mode.value, f"{match.create_time:%H:%M:%S}", foreign(f"{players}{cpu}")
        )
    for each in tables:
        seated = [*(names.get(player, player) for player in each.players), f"{each.ai_players} AI"]
        shown = ", ".join(seated if each.ai_players else seated[:-1])
        table.add_row(each.name, "mcr", f"{each.create_time:%H:%M:%S}", foreign(shown))
    out.print(table if live.matches or tables else "Nobody plays a match that can be watched.")
    out.print(f"[dim]As it was {live.delay_ms / 1_000:g} s ago, at {live.shown_time:%H:%M:%S} UTC.[/]")


def _list_document(live: LiveMatches, tables: tuple[LiveTable, ...]) -> dict[str, Any]:
    return {
        "delay_ms": live.delay_ms,
        "shown_time": live.shown_time.isoformat(),
        "matches": [
            {**asdict(match), "create_time": match.create_time.isoformat()} for match in live.matches
        ],
        "tables": [{**asdict(table), "create_time": table.create_time.isoformat()} for table in tables],
    }


async def _follow(
    target: str, profile: str, language: str | None, name: str, code: str, *, as_json: bool
) -> None:
    async with await connect(target, profile, retry_for_s=30, language=language) as client:
        out, names = console(), dict[str, str]()
        seen: SpectatedMatch | None = None
        is_live = out.is_terminal and not as_json
        if is_live:
            out.print("[dim]Waiting for what may be shown. Ctrl-C ends it.[/]")
        picture = Live(console=out, refresh_per_second=8) if is_live else nullcontext()
        with picture as shown:
            async with aclosing(client.spectating.watch(name, code)) as stream:
                async for seen in stream:
                    unknown = {seat.player for seat in seen.seats if seat.player} - names.keys()
                    if unknown:
                        names |= await _names(client, unknown)
                    if isinstance(shown, Live):
                        shown.update(match_picture(seen, names))
                    else:
                        _tell(out, seen, names, as_json=as_json)
        if seen is not None and not as_json:
            out.print(results_table(seen, names))


def _tell(out: Console, seen: SpectatedMatch, names: dict[str, str], *, as_json: bool) -> None:
    """One line for a change, where no picture can be drawn."""
    if as_json:
        print(json.dumps(_document(seen), ensure_ascii=False), flush=True)
    else:
        out.print(foreign(line_of(seen, names)), soft_wrap=True)


def _document(seen: SpectatedMatch) -> dict[str, Any]:
    """A match for programs: boards as tiles left and faces."""
    told = asdict(seen)
    told["shown_time"] = seen.shown_time.isoformat()
    for seat, document in zip(seen.seats, told["seats"], strict=True):
        document["board"] = {
            "tiles_left": seat.board.tiles_left,
            "faces": dict(sorted(seat.board.faces.items())),
            "pair_available": seat.board.pair_available,
        }
    return told
