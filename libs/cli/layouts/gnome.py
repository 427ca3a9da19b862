"""GNOME Mahjongg's maps: XML that places tiles, rows, columns and blocks of tiles.

`<mahjongg>` holds `<map name>`s; a map holds `<tile x y>`, `<row y left right>`, `<column x top bottom>` and
`<block left right top bottom>`, all in whole tiles of which halves are allowed, with a level `z` of their
own or that of the `<layer z>` around them, else 0. Names are read without regard to case.

The parser is expat. A document type, and with it every declaration of an entity, is refused where it begins,
so nothing can be expanded or fetched.
"""

from __future__ import annotations

import re
from typing import Final
from xml.parsers import expat

from libs.cli.layouts.file_fault import FileFault, FileRefusedError, PlacedTile, build, too_many_tiles
from libs.rules.solitaire.layouts import TILES_MAX, Layout, Position

MAPS_MAX: Final = 100
NAME_CHARACTERS_MAX: Final = 100
_NUMBER: Final = re.compile(r"(-?[0-9]{1,4})(\.[05]0*)?", re.ASCII)
_PLACERS: Final = {
    "tile": ("x", "x", "y", "y"),
    "row": ("left", "right", "y", "y"),
    "column": ("x", "x", "top", "bottom"),
    "block": ("left", "right", "top", "bottom"),
}
"""Element: the attributes that hold its first and last column, first and last row."""
_INSIDE: Final = {"mahjongg": ("",), "map": ("mahjongg",), "layer": ("map",)} | dict.fromkeys(
    _PLACERS, ("map", "layer")
)
"""Element: where it may stand; "" is outside everything."""
_ATTRIBUTES: Final = {"mahjongg": set[str](), "map": {"name", "scorename"}, "layer": {"z"}} | {
    name: {"z", *edges} for name, edges in _PLACERS.items()
}
_OPTIONAL: Final = {"scorename", "z"}


def parse_gnome(text: str) -> list[Layout] | FileFault:
    """The layouts of all maps in the text of a file, or the first fault of it."""
    reader = _Reader()
    try:
        reader.read(text)
        if not reader.layouts:
            return FileFault(text.count("\n") + 1, "no map")
    except FileRefusedError as refused:
        return refused.fault
    return reader.layouts


class _Reader:
    """The state of one pass over a document."""

    def __init__(self) -> None:
        self.layouts: list[Layout] = []
        self._open: list[str] = []
        self._name, self._map_line, self._layer_z = "", 0, 0
        self._tiles: list[PlacedTile] = []
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._doctype

    def read(self, text: str) -> None:
        """Parse all of it. Raises FileRefusedError."""
        try:
            self._parser.Parse(text.encode(errors="replace"), True)
        except expat.ExpatError as error:
            raise FileRefusedError(error.lineno, f"broken XML: {expat.ErrorString(error.code)}") from None

    @property
    def _line(self) -> int:
        return self._parser.CurrentLineNumber

    def _refused(self, text: str) -> FileRefusedError:
        return FileRefusedError(self._line, text)

    def _doctype(self, *_: object) -> None:
        raise self._refused("a document type, which could declare entities, is not read")

    def _characters(self, text: str) -> None:
        if text.strip():
            raise self._refused("text between the elements")

    def _start(self, raw_name: str, raw_attributes: dict[str, str]) -> None:
        name = raw_name.lower()
        attributes = self._checked(name, raw_name, raw_attributes)
        self._open.append(name)
        if name == "map":
            self._begin_map(attributes["name"])
        elif name == "layer":
            self._layer_z = self._level(attributes)
        elif name in _PLACERS:
            self._place(name, attributes)

    def _checked(self, name: str, raw_name: str, raw_attributes: dict[str, str]) -> dict[str, str]:
        """The attributes by their names in lower case, once the element may stand here with them."""
        if name not in _INSIDE:
            raise self._refused(f"unknown element <{raw_name[:40]}>")
        around = self._open[-1] if self._open else ""
        if around not in _INSIDE[name]:
            raise self._refused(
                f"<{name}> may not stand {f'in <{around}>' if around else 'outside <mahjongg>'}"
            )
        attributes = {key.lower(): value for key, value in raw_attributes.items()}
        unknown = sorted(attributes.keys() - _ATTRIBUTES[name])
        if unknown:
            raise self._refused(f"<{name}> has no attribute {unknown[0][:40]!r}")
        if len(attributes) < len(raw_attributes):
            raise self._refused(f"<{name}> has an attribute twice")
        missing = sorted(_ATTRIBUTES[name] - _OPTIONAL - attributes.keys())
        if missing:
            raise self._refused(f"<{name}> lacks its attribute {missing[0]!r}")
        return attributes

    def _begin_map(self, name: str) -> None:
        if len(self.layouts) == MAPS_MAX:
            raise self._refused(f"more than {MAPS_MAX} maps")
        if not 1 <= len(name) <= NAME_CHARACTERS_MAX:
            raise self._refused(f"the name of a map has 1 to {NAME_CHARACTERS_MAX} characters")
        self._name, self._map_line, self._tiles = name, self._line, []

    def _place(self, name: str, attributes: dict[str, str]) -> None:
        """Set the tiles of an element, in steps of one tile; both ends are included."""
        left, right, top, bottom = (self._half_tiles(edge, attributes[edge]) for edge in _PLACERS[name])
        z = self._level(attributes) if "z" in attributes else self._layer_z
        if right < left or bottom < top:
            raise self._refused(f"<{name}> ends before it begins")
        for y in range(top, bottom + 1, 2):
            for x in range(left, right + 1, 2):
                if len(self._tiles) == TILES_MAX:
                    raise too_many_tiles(self._line)
                self._tiles.append(PlacedTile(Position(x, y, z), self._line))

    def _end(self, raw_name: str) -> None:
        name = raw_name.lower()
        self._open.pop()
        if name == "layer":
            self._layer_z = 0
        elif name == "map":
            self.layouts.append(build(self._name, self._tiles, self._map_line))

    def _half_tiles(self, attribute: str, value: str) -> int:
        read = _NUMBER.fullmatch(value.strip())
        if read is None:
            raise self._refused(f'{attribute}="{value[:40]}" is no number of tiles or half tiles')
        whole, half = 2 * int(read[1]), bool(read[2]) and read[2][1] == "5"
        return whole + (-half if read[1].startswith("-") else half)

    def _level(self, attributes: dict[str, str]) -> int:
        value = attributes.get("z", "0").strip()
        if re.fullmatch(r"-?[0-9]{1,4}", value, re.ASCII) is None:
            raise self._refused(f'z="{value[:40]}" is no level')
        return int(value)
