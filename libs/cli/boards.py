"""`sparrow boards`: the three rankings."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table

from libs.cli.boards_fold.command import fold
from libs.cli.connection import (
    DEFAULT_PROFILE,
    EndpointOption,
    ProfileOption,
    connect,
    find_endpoint,
)
from libs.cli.terminal import JsonFlag, console, fail, foreign, print_json, run
from libs.client.boards import ME
from libs.client.results import BoardKind, BoardPage, BoardWindow, Profile

app = typer.Typer(no_args_is_help=True, help="Look at the boards.")
app.command("fold")(fold)
_TITLES = {
    BoardKind.AMR: "AMR",
    BoardKind.WEEKLY: "Weekly",
    BoardKind.DAILY: "Daily",
    BoardKind.MCR_YEAR: "MCR, year",
    BoardKind.MCR_WEEKLY: "MCR, weekly",
    BoardKind.MCR_DAILY: "MCR, daily",
    BoardKind.RACE_RATING: "Race rating",
}


@app.callback()
def boards() -> None:
    """Look at the boards."""


@app.command("show")
def show(
    board: Annotated[BoardKind, typer.Argument(help="which board")] = BoardKind.DAILY,
    around: Annotated[str, typer.Option(metavar="me|PLAYER", help="the page around a player")] = "",
    rows: Annotated[int, typer.Option(min=1, max=200, help="how many rows")] = 20,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """Show the top of a board, or the page around a player."""
    target = find_endpoint(endpoint)
    page, names, me = run(_fetch(target, profile, board, around, rows), target)
    if as_json:
        print_json(page_document(page, names))
        return
    console().print(board_table(page, names, highlight=frozenset({me})))
    if around and not any(entry.player == me for entry in page.entries) and around == "me":
        fail("You are not on this board yet: clear a level first")


async def _fetch(
    target: str, profile: str, board: BoardKind, around: str, rows: int
) -> tuple[BoardPage, dict[str, Profile], str]:
    anchor = ME if around == "me" else around
    async with await connect(target, profile) as client:
        page = await client.board_page(board, page_size=rows, around=anchor)
        names = await client.profiles([entry.player for entry in page.entries])
        return page, names, client.profile.name


def window_text(window: BoardWindow) -> str:
    """Return the days a board counts, for people; nothing for ratings."""
    if window.first_day is None:
        return ""
    if window.first_day == window.last_day:
        return f"{window.first_day}"
    return f"{window.first_day}…{window.last_day}"


def board_table(
    page: BoardPage, names: dict[str, Profile], highlight: frozenset[str], width: int = 48
) -> Table:
    """Return a page as a table of so many columns; the rows of the highlighted players stand out."""
    table = Table(
        title=f"[bold]{_TITLES[page.window.board]}[/] [dim]{window_text(page.window)}[/]",
        title_justify="left",
        title_style="none",
        caption=f"{page.player_count} players",
        caption_justify="right",
        box=box.ROUNDED,
        border_style="dim",
        width=width,
    )
    table.add_column("#", justify="right", min_width=3)
    table.add_column("player", ratio=1, no_wrap=True)
    table.add_column("points", justify="right")
    for entry in page.entries:
        style = "bold cyan" if entry.player in highlight else ""
        table.add_row(
            str(entry.rank), foreign(shown_name(entry.player, names)), str(entry.points), style=style
        )
    return table


def shown_name(player: str, names: dict[str, Profile]) -> str:
    """Return what a player is called, or the id where there is no profile."""
    return names[player].display_name if player in names else player


def page_document(page: BoardPage, names: dict[str, Profile]) -> dict[str, Any]:
    """Return a page for `--json`."""
    return {
        "board": page.window.board.value,
        "first_day": page.window.first_day.isoformat() if page.window.first_day else None,
        "last_day": page.window.last_day.isoformat() if page.window.last_day else None,
        "time_zone": page.window.time_zone,
        "player_count": page.player_count,
        "entries": [
            {
                "rank": entry.rank,
                "player": entry.player,
                "display_name": shown_name(entry.player, names),
                "points": entry.points,
            }
            for entry in page.entries
        ],
    }
