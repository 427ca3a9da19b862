"""A line of a position file: what it asks, or what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from libs.cli.line_file import LineFault, document, is_int, name_of
from libs.rules.solitaire.bitset import mask_of
from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.layouts import TILES_MAX, InvalidLayoutError, Layout
from libs.rules.tiles import Face, parse_face

LINE_BYTES_MAX: Final = 1 << 20
"""Of a line without its end; a position of 288 tiles with all its pairs needs a tenth of it."""
_QUOTED_LENGTH = 40


@dataclass(frozen=True)
class Question:
    """A position, and the name that its answer repeats."""

    name: str | int | None
    layout: Layout
    faces: tuple[Face, ...]
    present: int
    matching: Matching
    pairing: Pairing


def parse(line: bytes) -> Question:
    """The position on a line; other fields than the question's are passed over. Raises LineFault."""
    fields = document(line, LINE_BYTES_MAX)
    layout = _layout(_wanted(fields, "layout"))
    return Question(
        name=name_of(fields),
        layout=layout,
        faces=_faces(_wanted(fields, "faces"), layout.size),
        present=_present(_wanted(fields, "present"), layout.size),
        matching=Matching(_choice(_wanted(fields, "match"), "match", list(Matching))),
        pairing=Pairing(_choice(fields.get("pairing", Pairing.BOTH_FREE), "pairing", list(Pairing))),
    )


def _wanted(fields: dict[str, Any], name: str) -> Any:
    if name not in fields:
        raise LineFault(f"{name} is missing")
    return fields[name]


def _layout(places: Any) -> Layout:
    if not isinstance(places, list):
        raise LineFault("layout is no list of [x, y, z]")
    if len(places) > TILES_MAX:
        raise LineFault(f"layout has more than {TILES_MAX} tiles")
    for tile, place in enumerate(places):
        if not (isinstance(place, list) and len(place) == 3 and all(map(is_int, place))):
            raise LineFault(f"layout: tile {tile} is no [x, y, z] of whole numbers")
    try:
        return _parsed(tuple((x, y, z) for x, y, z in places))
    except InvalidLayoutError as error:
        fault = error.faults[0]
        tiles = f" (tile {' and '.join(map(str, fault.tiles))})" if fault.tiles else ""
        raise LineFault(f"layout: {fault.kind.replace('_', ' ')}{tiles}") from error


@lru_cache(maxsize=64)
def _parsed(places: tuple[tuple[int, int, int], ...]) -> Layout:
    """One object for each layout of a file: what is known about it is computed once."""
    return Layout.parse("", places)


def _faces(faces: Any, size: int) -> tuple[Face, ...]:
    if not isinstance(faces, list):
        raise LineFault("faces is no list")
    if len(faces) != size:
        raise LineFault(f"faces has {len(faces)} entries for {size} tiles")
    read = []
    for tile, name in enumerate(faces):
        face = parse_face(name) if isinstance(name, str) else None
        if face is None:
            raise LineFault(f"faces: {_quoted(name)} of tile {tile} is no face")
        read.append(face)
    return tuple(read)


def _present(tiles: Any, size: int) -> int:
    if not isinstance(tiles, list):
        raise LineFault("present is no list")
    if len(tiles) > size:
        raise LineFault(f"present has {len(tiles)} entries for {size} tiles")
    for tile in tiles:
        if not (is_int(tile) and 0 <= tile < size):
            raise LineFault(f"present: {_quoted(tile)} is no tile of the layout")
    if len(set(tiles)) != len(tiles):
        raise LineFault("present names a tile twice")
    return mask_of(tiles)


def _choice(value: Any, field: str, choices: Collection[str]) -> str:
    if not isinstance(value, str) or value not in choices:
        raise LineFault(f"{field} is {_quoted(value)}, not one of {', '.join(choices)}")
    return value


def _quoted(value: Any) -> str:
    try:
        text = json.dumps(value)
    except (RecursionError, ValueError):
        return "a value"
    return text if len(text) <= _QUOTED_LENGTH else f"{text[:_QUOTED_LENGTH]}…"
