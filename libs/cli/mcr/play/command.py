"""`sparrow mcr play`: deals of MCR at a table, against three AI players or with whoever sits there."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

from libs.cli.connection import (
    DEFAULT_PROFILE,
    EndpointOption,
    LanguageOption,
    ProfileOption,
    connect,
    find_endpoint,
)
from libs.cli.mcr.play.screen import Screen
from libs.cli.mcr.play.table import HELP, TablePlay, Ways
from libs.cli.mcr.tiles import Faces
from libs.cli.play.lines import TypedLines
from libs.cli.table_bot import automatic
from libs.cli.terminal import console, foreign, run
from libs.client.client import SparrowClient
from libs.client.deal_views import AiLevel
from libs.client.errors import RefusedError
from libs.client.tables import TableView
from libs.rules.mcr.fan_names import Language


def play(
    deals: Annotated[int, typer.Option("--deals", metavar="N", min=1, max=16, help="1 to 16")] = 1,
    level: Annotated[AiLevel, typer.Option("--level", help="how strong the three are")] = AiLevel.MIDDLE,
    table: Annotated[str, typer.Option("--table", metavar="NAME", help="go on at a table of yours")] = "",
    names_in: Annotated[
        Language, typer.Option("--lang", help="of the fans' names: English, Chinese or Persian")
    ] = Language.ENGLISH,
    faces: Annotated[
        Faces, typer.Option("--tiles", help="in notation, or as Unicode draws them")
    ] = Faces.NOTATION,
    auto: Annotated[bool, typer.Option("--auto", help="let a simple player decide for you")] = False,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    language: LanguageOption = None,
) -> None:
    """Play MCR against three AI players: a number discards the tile above it, other choices have keys."""
    target = find_endpoint(endpoint)
    ways = Ways(names_in, faces, automatic if auto else None)
    run(_play(target, profile, language, ways, table, deals, level), target)


async def _play(
    target: str, profile: str, language: str | None, ways: Ways, name: str, deals: int, level: AiLevel
) -> None:
    out, lines = console(), TypedLines()
    async with await connect(target, profile, retry_for_s=30, language=language) as client:
        table = await client.tables.get(name) if name else await _sit_down(client, out, deals, level)
        against = await _names(client, table)
        promised = f"{table.name}, commitment {table.deal.commitment}"
        out.print(f"\n[bold]MCR[/]\n[dim]{promised}[/]\n{HELP}", soft_wrap=True)
        await TablePlay(client.tables, table, against, Screen(out), lines, ways).play()


async def _sit_down(client: SparrowClient, out: Console, deals: int, level: AiLevel) -> TableView:
    """A new table, or the one where the player sits."""
    try:
        return await client.tables.open_table(deals, level)
    except RefusedError as refused:
        if refused.reason != "ALREADY_SEATED":
            raise
        out.print("You sit at a table already: on with it.")
        return await client.tables.get(refused.metadata["name"])


async def _names(client: SparrowClient, table: TableView) -> dict[str, str]:
    """The names of the persons at a table, as they are shown to others."""
    players = [seat.player for seat in table.seats if seat.player]
    profiles = await client.profiles(players)
    return {name: foreign(profile.display_name).plain for name, profile in profiles.items()}
