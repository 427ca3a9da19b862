"""`sparrow boards`: the rankings, what standings are made of, and a player's year."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from libs.cli.board_chart import chart
from libs.cli.board_explain import explain
from libs.cli.board_moments import AsOfOption, DayOption, day_of, instant_of
from libs.cli.board_titles import TITLES
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
from libs.client.results import BoardEntry, BoardKind, BoardPage, BoardWindow, Profile

app = typer.Typer(no_args_is_help=True, help="Look at the boards.")
app.command("fold")(fold)
app.command("explain")(explain)
app.command("chart")(chart)


@app.callback()
def boards() -> None:
    """Look at the boards."""


@app.command("show")
def show(
    board: Annotated[BoardKind, typer.Argument(help="which board")] = BoardKind.DAILY,
    around: Annotated[str, typer.Option(metavar="me|PLAYER", help="the page around a player")] = "",
    rows: Annotated[int, typer.Option(min=1, max=200, help="how many rows")] = 20,
    day: DayOption = None,
    as_of: AsOfOption = None,
    club: Annotated[str, typer.Option(metavar="clubs/ID", help="a club's board")] = "",
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """Show the top of a board, or the page around a player: now with the movement since yesterday."""
    target = find_endpoint(endpoint)
    asked = Asked(board, rows, ME if around == "me" else around, day_of(day), instant_of(as_of), club)
    page, names, me = run(_fetch(target, profile, asked), target)
    if as_json:
        print_json(page_document(page, names))
        return
    table = board_table(
        page, names, highlight=frozenset({me}), width=56, with_movement=asked.with_previous_rank
    )
    console().print(table)
    if around == "me" and not any(entry.player == me for entry in page.entries):
        fail("You are not on this board: nothing that you have won or lost counts for it")


@dataclass(frozen=True)
class Asked:
    """Which page of which board."""

    board: BoardKind
    rows: int
    around: str
    day: date | None
    as_of: datetime | None
    club: str

    @property
    def with_previous_rank(self) -> bool:
        """Movement is known of boards as they are."""
        return self.day is None and self.as_of is None and not self.club


async def _fetch(target: str, profile: str, asked: Asked) -> tuple[BoardPage, dict[str, Profile], str]:
    async with await connect(target, profile) as client:
        page = await client.board_page(
            asked.board,
            page_size=asked.rows,
            around=asked.around,
            day=asked.day,
            as_of=asked.as_of,
            club=asked.club,
            with_previous_rank=asked.with_previous_rank,
        )
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
    page: BoardPage,
    names: dict[str, Profile],
    highlight: frozenset[str],
    width: int = 48,
    *,
    with_movement: bool = False,
) -> Table:
    """Return a page as a table of so many columns; the rows of the highlighted players stand out."""
    table = Table(
        title=f"[bold]{TITLES[page.window.board]}[/] [dim]{window_text(page.window)}[/]",
        title_justify="left",
        title_style="none",
        caption=f"{page.player_count} players",
        caption_justify="right",
        box=box.ROUNDED,
        border_style="dim",
        width=width,
    )
    table.add_column("#", justify="right", min_width=3)
    if with_movement:
        table.add_column("", justify="left", min_width=4)
    table.add_column("player", ratio=1, no_wrap=True)
    table.add_column("points", justify="right")
    for entry in page.entries:
        style = "bold cyan" if entry.player in highlight else ""
        moved = (movement(entry),) if with_movement else ()
        name = foreign(shown_name(entry.player, names))
        table.add_row(str(entry.rank), *moved, name, str(entry.points), style=style)
    return table


def movement(entry: BoardEntry) -> Text:
    """Return how many ranks a row has gone up or down since the day before ended."""
    if entry.previous_rank is None:
        return Text("new", style="dim")
    up = entry.previous_rank - entry.rank
    if up == 0:
        return Text("=", style="dim")
    return Text(f"▲{up}", style="blue") if up > 0 else Text(f"▼{-up}", style="dark_orange")


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
                "previous_rank": entry.previous_rank,
            }
            for entry in page.entries
        ],
    }
