"""MCR tiles as characters: in the notation of hands, or as the drawings that Unicode has of them.

A tile in notation is three columns: its left edge and its name (`3m`, `7s`, `E`, `C`); a flower has four
(`Fl1`, `Se4`), since it stands in no hand. Without colours the edges still tell the tiles apart. A drawing is
two columns; whether it can be told from others is a matter of the terminal's font.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import Final

from rich.style import Style
from rich.text import Text

from libs.rules.mcr.tiles import NOTATION, TileIndex
from libs.rules.mcr.wall import TileId, face_of, is_bonus, kind_of

GROUND: Final = "wheat1"
MARKED_GROUND: Final = "yellow1"
"""Of the tile that is spoken of: the last one, the one that is offered."""
LAID_GROUND: Final = "grey78"
"""Of tiles that nobody can play any more: discards."""
BACK: Final = "▒▒"
_BACK_STYLE: Final = Style(color="grey62", bgcolor="grey30")
_EDGE: Final = "▌"
_EDGE_INK: Final = "orange4"
_INKS: Final = {"m": "red3", "p": "blue3", "s": "green4"}
_HONOR_INK: Final = "purple4"
_FLOWER_INK: Final = "deep_pink4"
_DRAWN_KINDS: Final = (
    *map(chr, range(0x1F007, 0x1F010)),
    *map(chr, range(0x1F019, 0x1F022)),
    *map(chr, range(0x1F010, 0x1F019)),
    *map(chr, range(0x1F000, 0x1F007)),
)
"""By kind. All but the red dragon, the only one that is an emoji as well, are one column wide."""
_DRAWN_FLOWERS: Final = {
    "Fl1": "\U0001f022",
    "Fl2": "\U0001f023",
    "Fl3": "\U0001f025",
    "Fl4": "\U0001f024",
    **{f"Se{number}": chr(0x1F025 + number) for number in range(1, 5)},
}
_DRAWN_BACK: Final = "\U0001f02b"
_WIDE: Final = "\U0001f004"


class Faces(StrEnum):
    """How tiles are shown."""

    NOTATION = "notation"
    DRAWN = "drawn"


def name(tile: TileId) -> str:
    """A physical tile in notation: `3m`, `E`, `Fl1`; copies share it."""
    return face_of(tile) if is_bonus(tile) else NOTATION[kind_of(tile)]


def kinds_text(kinds: Iterable[TileIndex], ground: str = GROUND, faces: Faces = Faces.NOTATION) -> Text:
    """Tiles of hands, in their order."""
    shown = Text()
    for kind in kinds:
        shown.append_text(_tile(NOTATION[kind], _DRAWN_KINDS[kind], ground, faces))
    return shown


def tiles_text(
    tiles: Iterable[TileId],
    marked: Collection[TileId] = (),
    faces: Faces = Faces.NOTATION,
    ground: str = GROUND,
) -> Text:
    """Physical tiles in their order, flowers among them; those that are marked on a ground of their own."""
    shown = Text()
    for tile in tiles:
        told = name(tile)
        drawn = _DRAWN_FLOWERS[told] if is_bonus(tile) else _DRAWN_KINDS[kind_of(tile)]
        shown.append_text(_tile(told, drawn, MARKED_GROUND if tile in marked else ground, faces))
    return shown


def backs_text(count: int, faces: Faces = Faces.NOTATION) -> Text:
    """So many tiles face down."""
    shown = Text()
    for _ in range(count):
        if faces is Faces.DRAWN:
            shown.append(f"{_DRAWN_BACK} ")
        else:
            shown.append(_EDGE, Style(color="grey50", bgcolor="grey30")).append(BACK, _BACK_STYLE)
    return shown


def _tile(told: str, drawn: str, ground: str, faces: Faces) -> Text:
    ink = _ink(told)
    if faces is Faces.DRAWN:
        blank = "" if drawn == _WIDE else " "
        return Text(f"{drawn}{blank}", Style(color=ink, bgcolor=ground))
    shown = Text(_EDGE, Style(color=_EDGE_INK, bgcolor=ground))
    return shown.append(f"{told:<2}", Style(color=ink, bgcolor=ground, bold=True))


def _ink(told: str) -> str:
    if len(told) == 3:
        return _FLOWER_INK
    return _INKS.get(told[-1], _HONOR_INK) if len(told) == 2 else _HONOR_INK
