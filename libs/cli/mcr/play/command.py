"""`sparrow mcr play`: deals of MCR at a table, against three AI players or with other persons."""

from __future__ import annotations

from typing import Annotated

import typer

from libs.cli.connection import (
    DEFAULT_PROFILE,
    EndpointOption,
    LanguageOption,
    ProfileOption,
    connect,
    find_endpoint,
)
from libs.cli.mcr.play.lobby import DEALS_WITH_OTHERS, Wish, again, find_table
from libs.cli.mcr.play.screen import Screen
from libs.cli.mcr.play.table import HELP, TablePlay, Ways
from libs.cli.mcr.tiles import Faces
from libs.cli.play.lines import TypedLines
from libs.cli.table_bot import automatic
from libs.cli.terminal import console, fail, foreign, run
from libs.client.client import SparrowClient
from libs.client.deal_views import AiLevel
from libs.client.tables import Closing, TableView
from libs.rules.mcr.fan_names import Language


def play(
    deals: Annotated[int, typer.Option("--deals", metavar="N", min=1, max=16, help="1 to 16")] = 1,
    level: Annotated[AiLevel, typer.Option("--level", help="how strong AI players are")] = AiLevel.MIDDLE,
    others: Annotated[
        bool, typer.Option("--people", help="wait for other persons; the AI fills the rest")
    ] = False,
    invite: Annotated[
        int | None,
        typer.Option("--invite", metavar="N", min=2, max=4, help="open a private table for N persons"),
    ] = None,
    code: Annotated[str, typer.Option("--code", metavar="CODE", help="join a private table")] = "",
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
    if sum(map(bool, (others, invite, code, table))) > 1:
        fail("Say one of --people, --invite, --code and --table", 2)
    if (others or invite) and deals not in DEALS_WITH_OTHERS:
        fail("Tables with other persons have 1, 4, 8 or 16 deals", 2)
    target = find_endpoint(endpoint)
    ways = Ways(names_in, faces, automatic if auto else None)
    wish = Wish(deals, level, others, invite or 0, code, until_found=auto)
    run(_play(target, profile, language, ways, table, wish), target)


async def _play(target: str, profile: str, language: str | None, ways: Ways, given: str, wish: Wish) -> None:
    out, lines = console(), TypedLines()
    async with await connect(target, profile, retry_for_s=30, language=language) as client:
        name = given or await find_table(client, out, lines, wish)
        while name is not None:
            table = await client.tables.get(name)
            against = await _names(client, table)
            promised = f"{table.name}, commitment {table.deal.commitment}"
            out.print(f"\n[bold]MCR[/]\n[dim]{promised}[/]", soft_wrap=True)
            out.print(HELP)
            played = TablePlay(client.tables, table, against, Screen(out), lines, ways)
            await played.play()
            is_over = played.closing is Closing.PLAYED and ways.automatic is None
            name = await again(client.lobby, out, lines, name, client.profile.name) if is_over else None


async def _names(client: SparrowClient, table: TableView) -> dict[str, str]:
    """The names of the persons at a table, as they are shown to others."""
    players = [seat.player for seat in table.seats if seat.player]
    profiles = await client.profiles(players)
    return {name: foreign(profile.display_name).plain for name, profile in profiles.items()}
