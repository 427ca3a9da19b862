"""`sparrow levels`: what a level is, how it looks, and who was fastest on it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from libs.cli.boards import shown_name
from libs.cli.connection import (
    DEFAULT_PROFILE,
    EndpointOption,
    ProfileOption,
    connect,
    find_endpoint,
)
from libs.cli.layout_picture import layout_picture, layout_svg
from libs.cli.level_proof import block_mean, find_faults, prove_all
from libs.cli.terminal import JsonFlag, console, fail, foreign, print_json, run
from libs.client.results import Level, LevelBests, Profile
from libs.rules.solitaire.catalogue import CATALOGUE_VERSION, layout
from libs.rules.solitaire.levels import LEVEL_COUNT, is_hard, recipe

app = typer.Typer(no_args_is_help=True, help="Look at levels.")


@app.callback()
def levels() -> None:
    """Look at levels."""


@app.command("show")
def show(
    level: Annotated[int, typer.Argument(metavar="N", min=1, max=LEVEL_COUNT, help="1 to 11,000")],
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="write the picture here too")] = None,
    as_json: JsonFlag = False,
) -> None:
    """Draw the layout of a level; no Sparrow needs to run."""
    made = recipe(level)
    board = layout(made.layout_name)
    if svg is not None:
        try:
            svg.write_text(layout_svg(board), encoding="utf-8")
        except OSError as error:
            fail(f"{escape(foreign(str(svg)).plain)}: {error.strerror or 'cannot be written'}")
    if as_json:
        print_json(
            {
                "level": level,
                "hard": is_hard(level),
                "catalogue_version": CATALOGUE_VERSION,
                "layout": board.name,
                "tile_count": board.size,
                "levels": board.levels,
                "distinct_faces": made.distinct_faces,
                "tiles": [list(tile) for tile in board.tiles],
            }
        )
        return
    hard = " [bold red]HARD[/]" if is_hard(level) else ""
    counted = f"{board.name}: {board.size} tiles, {board.levels} levels, {made.distinct_faces} faces"
    screen = console()
    screen.print(f"[bold]Level {level}[/]{hard} [dim]{counted}[/]\n")
    screen.print(layout_picture(board, screen.width))


@app.command("verify")
def verify(as_json: JsonFlag = False) -> None:
    """Prove all levels solvable, rising, and each HARD one harder than the nine before; 1 if one is not."""
    columns = (TextColumn("{task.completed} of {task.total} levels"), BarColumn(), TimeRemainingColumn())
    blocks = []
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=LEVEL_COUNT)
        for block in prove_all():
            blocks.append(block)
            progress.advance(task, len(block))
    faults = find_faults(blocks)
    first, last = (round(block_mean(block), 3) for block in (blocks[0], blocks[-1]))
    if as_json:
        print_json(
            {
                "catalogue_version": CATALOGUE_VERSION,
                "levels": LEVEL_COUNT,
                "first_block_difficulty": first,
                "last_block_difficulty": last,
                **asdict(faults),
            }
        )
    elif faults.none:
        told = f"{LEVEL_COUNT:,} levels proved solvable; ordinary ones rise from {first} to {last}"
        console().print(f"[green]✓[/] {told}, each HARD one stands above the nine before")
    for name, numbers in {} if as_json else asdict(faults).items():
        if numbers:
            console().print(f"[bold red]✗[/] {name.replace('_', ' ')}: {', '.join(map(str, numbers))}")
    raise typer.Exit(0 if faults.none else 1)


@app.command("best")
def best(
    level: Annotated[int, typer.Argument(metavar="N", help="1 to 11,000")],
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """Show the ten best times of a level, and your own."""
    target = find_endpoint(endpoint)
    told, bests, names = run(_fetch(target, profile, level), target)
    if as_json:
        rows = [
            {"place": row.place, "player": row.player, "elapsed_ms": row.elapsed_ms} for row in bests.rows
        ]
        own = bests.own.elapsed_ms if bests.own else None
        print_json({"level": told.level, "hard": told.hard, "bests": rows, "own_ms": own})
        return
    console().print(_table(told, bests, names))


async def _fetch(target: str, profile: str, level: int) -> tuple[Level, LevelBests, dict[str, Profile]]:
    async with await connect(target, profile) as client:
        told, bests = await client.level(level), await client.level_bests(level)
        return told, bests, await client.profiles([row.player for row in bests.rows])


def _table(level: Level, bests: LevelBests, names: dict[str, Profile]) -> Table:
    hard = " [bold red]HARD[/]" if level.hard else ""
    own = f"you: place {bests.own.place}, {seconds(bests.own.elapsed_ms)}" if bests.own else "you: not yet"
    table = Table(
        title=f"[bold]Level {level.level}[/]{hard} [dim]{level.tile_count} tiles, {level.layout}[/]",
        title_justify="left",
        title_style="none",
        caption=own,
        caption_justify="right",
        box=box.ROUNDED,
        border_style="dim",
        width=48,
    )
    table.add_column("#", justify="right", min_width=3)
    table.add_column("player", ratio=1, no_wrap=True)
    table.add_column("time", justify="right")
    for row in bests.rows:
        style = "bold cyan" if bests.own is not None and row.player == bests.own.player else ""
        table.add_row(
            str(row.place), foreign(shown_name(row.player, names)), seconds(row.elapsed_ms), style=style
        )
    return table


def seconds(elapsed_ms: int) -> str:
    """Return a time for people: "12.345 s", "1:02.345"."""
    minutes, rest_ms = divmod(elapsed_ms, 60_000)
    return f"{minutes}:{rest_ms / 1000:06.3f}" if minutes else f"{rest_ms / 1000:.3f} s"
