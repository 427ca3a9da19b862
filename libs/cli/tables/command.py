"""`sparrow tables`: list own MCR tables, show a deal step by step, or see it played again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Annotated, TypeVar

import typer
from rich.table import Table
from rich.text import Text

from libs.cli.connection import (
    DEFAULT_PROFILE,
    EndpointOption,
    LanguageOption,
    ProfileOption,
    connect,
    find_endpoint,
)
from libs.cli.mcr.tiles import Faces
from libs.cli.play.lines import TypedLines
from libs.cli.tables.documents import document
from libs.cli.tables.telling import about, came_to, sentences
from libs.cli.tables.viewing import commitment_line, ending, viewer
from libs.cli.terminal import JsonFlag, console, foreign, name_column, print_json, run
from libs.client.client import SparrowClient
from libs.client.table_history import PlayedTable, TableReplay
from libs.rules.mcr.fan_names import Language

T = TypeVar("T")
app = typer.Typer(no_args_is_help=True, help="Look back at your MCR tables, tile by tile.")
TableArgument = Annotated[
    str, typer.Argument(metavar="TABLE", help='"tables/<uuid>", one of yours that has closed')
]
DealOption = Annotated[int, typer.Option("--deal", metavar="N", min=1, max=16, help="which of its deals")]
OpenOption = Annotated[
    bool, typer.Option("--open", help="with everybody's tiles and answers; else as you saw it")
]
NamesOption = Annotated[
    Language, typer.Option("--lang", help="of the fans' names: English, Chinese or Persian")
]
FacesOption = Annotated[Faces, typer.Option("--tiles", help="in notation, or as Unicode draws them")]


@app.callback()
def tables() -> None:
    """Look back at your MCR tables, tile by tile."""


@app.command("list")
def list_tables(
    rows: Annotated[int, typer.Option(min=1, max=1_000, help="how many tables")] = 20,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    language: LanguageOption = None,
    as_json: JsonFlag = False,
) -> None:
    """List your closed tables, the newest first, with what each deal came to."""

    async def listed(client: SparrowClient) -> tuple[list[PlayedTable], dict[str, str]]:
        found: list[PlayedTable] = []
        async with aclosing(client.table_history.tables()) as played:
            async for each in played:
                found.append(each)
                if len(found) == rows:
                    break
        return found, await _names(client, [seat.player for each in found for seat in each.table.seats])

    found, names = _with_client(endpoint, profile, language, listed)
    if as_json:
        print_json([document(each) for each in found])
        return
    shown = Table(name_column("table"), "begun", "deals", "points", "came to", box=None)
    for each in found:
        deals = f"{len(each.table.rows)} of {each.table.deal_count}"
        came = ", ".join(came_to(row.outcome, each.table, names, each.own_seat) for row in each.table.rows)
        points = f"{each.table.seats[each.own_seat].points:+}"
        begun = f"{each.start_time:%Y-%m-%d %H:%M:%S}"
        shown.add_row(each.table.name, begun, deals, points, foreign(came))
    console().print(shown if found else "You have played no table to its end yet.")


@app.command("show")
def show_table(
    table: TableArgument,
    deal: DealOption = 1,
    openly: OpenOption = False,
    names_in: NamesOption = Language.ENGLISH,
    faces: FacesOption = Faces.NOTATION,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    language: LanguageOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Tell a deal step by step, with the hand that won, its fans, and what was paid."""
    told, names = _with_client(endpoint, profile, language, _replay(table, deal, openly))
    if as_json:
        print_json(document(told))
        return
    out, own = console(), told.steps[0].deal.seat
    about_it = about(told.table, names, own, told.deal_number)
    out.print(commitment_line(told))
    for said in sentences(told, about_it, faces):
        seconds = f"{said.at_ms / 1_000:8.1f} s  "
        out.print(Text(seconds, "dim").append_text(said.text), soft_wrap=True)
    for line in ending(told, about_it, names_in, faces):
        out.print(line)


@app.command("replay")
def replay_table(
    table: TableArgument,
    deal: DealOption = 1,
    openly: OpenOption = False,
    speed: Annotated[
        float | None,
        typer.Option(
            metavar="X", min=0.1, max=1_000, help="go on by itself, X times as fast as it was played"
        ),
    ] = None,
    names_in: NamesOption = Language.ENGLISH,
    faces: FacesOption = Faces.NOTATION,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    language: LanguageOption = None,
) -> None:
    """See a deal again as it was played, step by step: by keys, or by itself with --speed."""

    async def view(client: SparrowClient) -> None:
        told, names = await _replay(table, deal, openly)(client)
        about_it = about(told.table, names, told.steps[0].deal.seat, told.deal_number)
        out = console()
        steps = viewer(told, about_it, names_in, faces, out)
        if speed is None:
            await steps.by_keys(TypedLines(), out)
        else:
            await steps.by_itself(speed)

    _with_client(endpoint, profile, language, view)


def _replay(
    table: str, deal: int, openly: bool
) -> Callable[[SparrowClient], Awaitable[tuple[TableReplay, dict[str, str]]]]:
    async def told(client: SparrowClient) -> tuple[TableReplay, dict[str, str]]:
        name = table if table.startswith("tables/") else f"tables/{table}"
        replay = await client.table_history.replay(name, deal, openly=openly)
        return replay, await _names(client, [seat.player for seat in replay.table.seats])

    return told


async def _names(client: SparrowClient, players: list[str]) -> dict[str, str]:
    """What persons are called."""
    profiles = await client.profiles([player for player in dict.fromkeys(players) if player])
    return {name: profile.display_name for name, profile in profiles.items()}


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
