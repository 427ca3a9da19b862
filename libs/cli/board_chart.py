"""`sparrow boards chart`: a player's year, in the terminal and as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from libs.cli.connection import (
    DEFAULT_PROFILE,
    EndpointOption,
    ProfileOption,
    connect,
    find_endpoint,
)
from libs.cli.standing_picture import standing_lines, standing_svg
from libs.cli.terminal import JsonFlag, console, fail, foreign, print_json, run
from libs.client.boards import ME
from libs.client.results import StandingDay

LABELS_WIDTH = 28
"""Columns that stand beside the bars."""


def chart(
    player: Annotated[str, typer.Argument(metavar="me|PLAYER", help="whose year")] = "me",
    days: Annotated[int, typer.Option(min=1, max=730, help="how many days, up to today")] = 365,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="write the picture there, as SVG")
    ] = None,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """Draw the points of each day and the AMR rank at its end."""
    if out is not None and out.suffix.lower() != ".svg":
        fail(f"pictures are SVG: name the file {out.with_suffix('.svg')}")
    target = find_endpoint(endpoint)
    name, history = run(_fetch(target, profile, player, days), target)
    if out is not None:
        try:
            out.write_text(standing_svg(name, history), encoding="utf-8")
        except OSError as error:
            fail(f"{out} cannot be written: {error.strerror}")
    if as_json:
        print_json(
            [
                {
                    "day": day.day.isoformat(),
                    "points": day.points,
                    "amr_points": day.amr_points,
                    "amr_rank": day.amr_rank,
                }
                for day in history
            ]
        )
        return
    paper = console()
    paper.print(foreign(name), style="bold")
    for line in standing_lines(history, max(10, paper.width - LABELS_WIDTH)):
        paper.print(line, soft_wrap=True)
    if out is not None:
        paper.print(f"[dim]the picture is in[/] {out}")


async def _fetch(target: str, profile: str, player: str, days: int) -> tuple[str, tuple[StandingDay, ...]]:
    async with await connect(target, profile) as client:
        who = client.profile.name if player in {"me", ME} else player
        history = await client.boards.history(who, days=days)
        names = await client.profiles([who])
        return (names[who].display_name if who in names else who), history
