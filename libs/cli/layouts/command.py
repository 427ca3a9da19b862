"""`sparrow layouts import FILE`: look at a layout file of another program, or hear what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.text import Text

from libs.cli.layout_picture import layout_picture
from libs.cli.layouts.file_fault import FileFault
from libs.cli.layouts.reading import FILE_BYTES_MAX, ReadFile, TooLargeError, load, parse
from libs.cli.terminal import JsonFlag, console, fail, foreign, print_json
from libs.rules.solitaire.blind import BlindLine, BlindUndecided, find_blind_line
from libs.rules.solitaire.board import Pairing
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.prng import Prng, public_seed

app = typer.Typer(no_args_is_help=True, help="Look at layout files of other programs.")
_PAIRINGS = {Pairing.BOTH_FREE: "both tiles free", Pairing.LIFT: "with lifting"}


@app.callback()
def layouts() -> None:
    """Look at layout files of other programs."""


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="KMahjongg .layout or GNOME Mahjongg map")],
    as_json: JsonFlag = False,
) -> None:
    """Read a layout file: draw it, count, say whether boards of it can be solved."""
    read = _read(file)
    if as_json:
        print_json({"format": read.format.value, "layouts": [_document(layout) for layout in read.layouts]})
        return
    screen = console()
    for layout in read.layouts:
        counted = f"{layout.size} tiles, {layout.levels} {'level' if layout.levels == 1 else 'levels'}"
        screen.print(Text.assemble((foreign(layout.name).plain, "bold"), (f"  {counted}", "dim")))
        screen.print(layout_picture(layout, screen.width))
        told = ", ".join(f"{_word(solvable(layout, pairing))} {how}" for pairing, how in _PAIRINGS.items())
        screen.print(f"Boards of it can be solved: {told}\n")


def _read(file: Path) -> ReadFile:
    """The sound file; what is wrong with it ends the program in one line."""
    name = escape(foreign(str(file)).plain)
    try:
        read = parse(foreign(file.stem).plain, load(file))
    except TooLargeError:
        fail(f"{name}: more than {FILE_BYTES_MAX:,} bytes, which no layout has")
    except OSError as error:
        fail(f"{name}: {error.strerror or 'cannot be read'}")
    if isinstance(read, FileFault):
        fail(f"{name}, line {read.line}: {escape(foreign(read.text).plain)}")
    return read


def solvable(layout: Layout, pairing: Pairing) -> bool | None:
    """Whether some arrangement of faces on the layout can be solved; None where the search gave up."""
    found = find_blind_line(layout, layout.full, pairing, Prng(public_seed("sparrow/layouts/import")))
    return None if isinstance(found, BlindUndecided) else isinstance(found, BlindLine)


def _word(answer: bool | None) -> str:
    return "[yellow]undecided[/]" if answer is None else "[green]yes[/]" if answer else "[red]no[/]"


def _document(layout: Layout) -> dict[str, Any]:
    return {
        "name": layout.name,
        "tile_count": layout.size,
        "levels": layout.levels,
        "solvable": {pairing.value: solvable(layout, pairing) for pairing in _PAIRINGS},
        "tiles": [list(tile) for tile in layout.tiles],
    }
