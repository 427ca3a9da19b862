"""`sparrow boards explain`: the transfers that make up a standing, down to match and event."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table

from libs.cli.board_moments import AsOfOption, DayOption, day_of, instant_of
from libs.cli.board_titles import TITLES
from libs.cli.connection import (
    DEFAULT_PROFILE,
    EndpointOption,
    ProfileOption,
    connect,
    find_endpoint,
)
from libs.cli.terminal import JsonFlag, console, print_json, run
from libs.client.boards import ME
from libs.client.results import BoardKind, Contribution, Standing


def explain(
    player: Annotated[str, typer.Argument(metavar="me|PLAYER", help="your own, as a player")] = "me",
    board: Annotated[BoardKind, typer.Argument(help="which board")] = BoardKind.AMR,
    day: DayOption = None,
    as_of: AsOfOption = None,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """List what a standing is made of: each transfer, what it was earned in, the event that caused it."""
    target = find_endpoint(endpoint)
    moment = {"day": day_of(day), "as_of": instant_of(as_of)}
    standing, made_of = run(_fetch(target, profile, board, player, moment), target)
    if as_json:
        print_json(explanation_document(standing, made_of))
    else:
        console().print(explanation_table(standing, made_of))


async def _fetch(
    target: str, profile: str, board: BoardKind, player: str, moment: dict[str, Any]
) -> tuple[Standing, list[Contribution]]:
    who = ME if player == "me" else player
    made_of: list[Contribution] = []
    async with await connect(target, profile) as client:
        page = await client.boards.explain(board, who, page_size=200, **moment)
        standing = page.standing
        made_of.extend(page.contributions)
        while page.next_page_token:
            page = await client.boards.explain(
                board, who, page_size=200, page_token=page.next_page_token, **moment
            )
            made_of.extend(page.contributions)
    return standing, made_of


def explanation_table(standing: Standing, made_of: list[Contribution]) -> Table:
    """Return the transfers as a table whose last row is the standing."""
    entry = standing.entry
    place = f"rank {entry.rank} of {standing.player_count}" if entry is not None else "not listed"
    table = Table(
        title=f"[bold]{TITLES[standing.window.board]}[/] [dim]{place}[/]",
        title_justify="left",
        title_style="none",
        box=box.ROUNDED,
        border_style="dim",
        show_footer=True,
    )
    table.add_column("day")
    table.add_column("points", justify="right", footer=str(entry.points if entry is not None else 0))
    table.add_column("for")
    table.add_column("earned in", overflow="fold")
    table.add_column("event", overflow="fold", style="dim")
    for each in made_of:
        reason = f"{each.reason} (taken back)" if each.reverses else each.reason
        table.add_row(each.day.isoformat(), f"{each.points:+}", reason, each.subject or each.key, each.cause)
    if not made_of:
        table.caption = "nothing counts for it"
    return table


def explanation_document(standing: Standing, made_of: list[Contribution]) -> dict[str, Any]:
    """Return an explanation for `--json`."""
    entry = standing.entry
    return {
        "board": standing.window.board.value,
        "rank": entry.rank if entry is not None else None,
        "points": entry.points if entry is not None else 0,
        "player_count": standing.player_count,
        "contributions": [
            {
                "key": each.key,
                "points": each.points,
                "reason": each.reason,
                "day": each.day.isoformat(),
                "occurred_time": each.occurred_time.isoformat(),
                "posted_time": each.posted_time.isoformat(),
                "reverses": each.reverses,
                "subject": each.subject,
                "cause": each.cause,
            }
            for each in made_of
        ],
    }
