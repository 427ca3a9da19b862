"""A board as characters: four columns and two lines a tile, higher levels lighter, free tiles bright.

The upper line of a tile is its face, the lower one its number, which is what the player types; a tile whose
face is unseen is blank. Colours only help: without them free tiles carry a dot, and a lifted one a caret.
"""

from __future__ import annotations

from rich.style import Style
from rich.text import Text

from libs.cli.canvas import Canvas
from libs.client.board_view import BoardView

_LEVELS = ("grey23", "grey30", "grey37", "grey42", "grey46", "grey50", "grey54", "grey58")
_FACE_COLOURS = {
    "m": "red3",
    "p": "blue3",
    "s": "green4",
    "W": "purple4",
    "D": "dark_orange3",
    "F": "deep_pink4",
    "S": "dark_cyan",
}
_FREE, _LIFTED, _HIDDEN = "wheat1", "yellow1", "  "


def picture(board: BoardView) -> Text:
    """Draw the tiles that are left, lower levels first, so that what lies on top is seen."""
    canvas = Canvas()
    for tile in sorted(board.present, key=lambda index: board.places[index].z):
        _draw(canvas, board, tile)
    return canvas.text()


def _draw(canvas: Canvas, board: BoardView, tile: int) -> None:
    place = board.places[tile]
    free, lifted = tile in board.free, tile == board.lifted
    face = board.faces.get(tile, _HIDDEN)
    ground = _LIFTED if lifted else _FREE if free else _LEVELS[min(place.z, len(_LEVELS) - 1)]
    face_style = Style(color=_ink(face, on_light=free or lifted), bgcolor=ground, bold=free)
    label_style = Style(color="grey30" if free or lifted else "grey70", bgcolor=ground)
    label = f"{tile}" if tile in board.faces else ""
    mark = "^" if lifted else "•" if free else " "
    edge_style = Style(color="grey11" if not free else "orange4", bgcolor=ground)
    canvas.tile(place.x, place.y, edge_style, ((f"{face:<2}{mark}", face_style), (label, label_style)))


def _ink(face: str, *, on_light: bool) -> str:
    if face == _HIDDEN:
        return "default"
    colour = _FACE_COLOURS[face[1] if face[0].isdigit() else face[0]]
    return colour if on_light else "grey93"


def free_line(board: BoardView) -> str:
    """Return the free tiles by face: "2m 3 17 · We 21"."""
    by_face: dict[str, list[int]] = {}
    for tile in sorted(board.free):
        by_face.setdefault(board.faces.get(tile, _HIDDEN), []).append(tile)
    return " · ".join(f"{face} {' '.join(map(str, tiles))}" for face, tiles in sorted(by_face.items()))
