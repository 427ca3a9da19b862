"""An MCR table of others in the terminal: the seats as a bystander saw them, drawn as at an own one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from dataclasses import asdict

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from libs.cli.mcr.play.ending import ending_lines
from libs.cli.mcr.play.picture import About, deal_lines
from libs.cli.mcr.play.telling import Teller
from libs.cli.terminal import foreign
from libs.client.client import SparrowClient
from libs.client.tables import TableView
from libs.client.watched_tables import SeenTable
from libs.rules.mcr.fan_names import Language


async def follow_table(client: SparrowClient, name: str, code: str, out: Console, *, as_json: bool) -> None:
    """Show a table until its closing was shown: a picture in a terminal, else a line for each change."""
    names: dict[str, str] = {}
    is_live = out.is_terminal and not as_json
    if is_live:
        out.print("[dim]Waiting for what may be shown. Ctrl-C ends it.[/]")
    picture = Live(console=out, refresh_per_second=8) if is_live else None
    try:
        if picture is not None:
            picture.start()
        async with aclosing(client.watched_tables.watch(name, code)) as stream:
            async for seen in stream:
                names |= await _unknown(client, seen.news.table, names)
                if picture is not None:
                    picture.update(table_picture(seen, names, out.width))
                elif as_json:
                    print(json.dumps(asdict(seen), default=str, ensure_ascii=False), flush=True)
                else:
                    for line in table_lines(seen, names):
                        out.print(line, soft_wrap=True)
    finally:
        if picture is not None:
            picture.stop()


def table_picture(seen: SeenTable, names: Mapping[str, str], width: int) -> RenderableType:
    """The table as it was: its deal, what happened last, and how a deal ended."""
    table, about = seen.news.table, about_of(seen.news.table, names)
    ended = ending_lines(table.deal, about, Language.ENGLISH) if table.deal.outcome is not None else ()
    return Group(
        Text(f"{table.name}, shown {seen.delay_ms / 1_000:g} s later", "dim"),
        *deal_lines(table.deal, about, width),
        *_sentences(seen, about),
        *ended,
    )


def table_lines(seen: SeenTable, names: Mapping[str, str]) -> Iterator[RenderableType]:
    """What happened, a line each, and how a deal ended, where no picture can be drawn."""
    table, about = seen.news.table, about_of(seen.news.table, names)
    if not seen.news.happenings:
        yield Text(f"{table.name}, shown {seen.delay_ms / 1_000:g} s later: deal {table.deal.number}")
    yield from _sentences(seen, about)
    if table.deal.outcome is not None:
        yield from ending_lines(table.deal, about, Language.ENGLISH)


def about_of(table: TableView, names: Mapping[str, str]) -> About:
    """Who sits there, under which names, and what the deals have brought."""
    shown = tuple(
        foreign(names.get(seat.player, seat.player)).plain if seat.player else f"AI ({seat.ai_level})"
        for seat in table.seats
    )
    return About(shown, table.deal_count, tuple(seat.points for seat in table.seats))


def _sentences(seen: SeenTable, about: About) -> Iterator[Text]:
    teller = Teller(about)
    for happening in seen.news.happenings:
        said = teller.tell(happening, seen.news.table.deal)
        if said is not None:
            yield said


async def _unknown(client: SparrowClient, table: TableView, names: Mapping[str, str]) -> dict[str, str]:
    """The names that are shown for persons who are not known yet."""
    players = {seat.player for seat in table.seats if seat.player} - names.keys()
    profiles = await client.profiles(sorted(players)) if players else {}
    return {player: profiles[player].display_name for player in profiles}
