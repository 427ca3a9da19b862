"""A pair that a seat can see, for tests that need any move."""

from __future__ import annotations

from libs.client.board_view import BoardView


def pair_of(board: BoardView) -> tuple[int, int]:
    """Return two free tiles with the same known face."""
    by_face: dict[str, int] = {}
    for tile in sorted(board.free):
        face = board.faces[tile]
        if face in by_face:
            return by_face[face], tile
        by_face[face] = tile
    raise AssertionError("no two free tiles show the same face")
