"""KMahjongg's `.layout` files, versions 1.0 and 1.1: the board as quarters of tiles, drawn level by level.

The first line names the version. Lines that begin with `#` are comments. In version 1.1 `w`, `h` and `d`
lines give width and height in half tiles and the number of levels; version 1.0 is always 32 x 16 x 5. All
other lines, put together, are the cells: level 0 first, each from top to bottom. A `1` is the upper left
quarter of a tile; what the other cells hold makes no difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from libs.cli.layouts.file_fault import FileFault, FileRefusedError, PlacedTile, build, too_many_tiles
from libs.rules.solitaire.layouts import GRID_HEIGHT, GRID_WIDTH, LEVELS_MAX, TILES_MAX, Layout, Position

HEADER_BEGIN: Final = "kmahjongg-layout-"
_V1_0, _V1_1 = f"{HEADER_BEGIN}v1.0", f"{HEADER_BEGIN}v1.1"
_SIZE_V1_0: Final = {"w": 32, "h": 16, "d": 5}
_SIZE_MAX: Final = {"w": GRID_WIDTH, "h": GRID_HEIGHT, "d": LEVELS_MAX}
_SIZE_NAMES: Final = {"w": "width", "h": "height", "d": "depth"}
_SIZE_LINE: Final = re.compile(r"([whd])([0-9]{1,4})\s*", re.ASCII)


@dataclass(frozen=True)
class _Cells:
    """The cells of one line of the file."""

    line: int
    text: str


def parse_kmahjongg(name: str, text: str) -> Layout | FileFault:
    """The layout that the text of a file draws, or the first fault of it."""
    try:
        return _parse(name, [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")])
    except FileRefusedError as refused:
        return refused.fault


def _parse(name: str, lines: list[str]) -> Layout:
    header = lines[0]
    if header not in {_V1_0, _V1_1}:
        raise FileRefusedError(1, f'unknown header: the first line is to be "{_V1_0}" or "{_V1_1}"')
    size: dict[str, int] = dict(_SIZE_V1_0) if header == _V1_0 else {}
    drawn: list[_Cells] = []
    for number, line in enumerate(lines[1:], 2):
        if not line or line[0] == "#":
            continue
        if header == _V1_1 and line[0] in _SIZE_MAX:
            _read_size(number, line, size, begun=bool(drawn))
        else:
            drawn.append(_Cells(number, line))
    for letter, told in _SIZE_NAMES.items():
        if letter not in size:
            raise FileRefusedError(
                drawn[0].line if drawn else len(lines), f'no {told}: a line "{letter}16", say'
            )
    _check_length(size["w"], size["w"] * size["h"] * size["d"], drawn, len(lines))
    tiles = list(_tiles(size["w"], size["h"], drawn))
    return build(name, tiles, len(lines))


def _read_size(number: int, line: str, size: dict[str, int], *, begun: bool) -> None:
    """Take a size line in."""
    read = _SIZE_LINE.fullmatch(line)
    told = _SIZE_NAMES[line[0]]
    if read is None:
        raise FileRefusedError(
            number, f'a line that begins with "{line[0]}" gives the {told}: no number here'
        )
    if begun:
        raise FileRefusedError(number, f"the {told} comes after the first cells")
    if line[0] in size:
        raise FileRefusedError(number, f"a second {told}")
    if not 1 <= int(read[2]) <= _SIZE_MAX[line[0]]:
        raise FileRefusedError(number, f"the {told} is to be 1 to {_SIZE_MAX[line[0]]}, not {int(read[2])}")
    size[line[0]] = int(read[2])


def _check_length(width: int, wanted: int, drawn: list[_Cells], last_line: int) -> None:
    """A wrong total is told at the first line that is not as wide as the board, else at the end."""
    found = sum(len(cells.text) for cells in drawn)
    if found == wanted:
        return
    total = f"{found:,} cells in all instead of {wanted:,}"
    for cells in drawn:
        if len(cells.text) != width:
            raise FileRefusedError(
                cells.line, f"{len(cells.text):,} cells in this line of a board {width} wide; {total}"
            )
    raise FileRefusedError(last_line, total)


def _tiles(width: int, height: int, drawn: list[_Cells]) -> Iterator[PlacedTile]:
    """The tiles in the order of the cells. Their right and lower halves must be inside the board too."""
    count, offset = 0, 0
    for cells in drawn:
        for column, cell in enumerate(cells.text):
            if cell != "1":
                continue
            row, x = divmod(offset + column, width)
            z, y = divmod(row, height)
            count += 1
            if count > TILES_MAX:
                raise too_many_tiles(cells.line)
            if x == width - 1 or y == height - 1:
                place = f"column {x / 2:g}, row {y / 2:g} of level {z}"
                raise FileRefusedError(cells.line, f"the tile at {place} lies outside the grid")
            yield PlacedTile(Position(x, y, z), cells.line)
        offset += len(cells.text)
