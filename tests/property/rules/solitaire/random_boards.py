"""Random small positions, and the plain definitions they are held against.

The definitions here use coordinates and sets, no masks, and try every line of play.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import permutations

from hypothesis import strategies as st

from libs.rules.solitaire.bitset import mask_of
from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.layouts import Layout, Position
from libs.rules.tiles import Face

FACES = tuple(Face(name) for name in ("1m", "2p", "Dr", "Fl1", "Fl2", "Se1", "Se2"))


@dataclass(frozen=True)
class Board:
    """A position as plain sets: where each present tile is, and its face."""

    layout: Layout
    faces: tuple[Face, ...]
    tiles: frozenset[int]

    @property
    def present(self) -> int:
        """The position as the rules write it."""
        return mask_of(self.tiles)

    def without(self, *gone: int) -> Board:
        """The position after these tiles left."""
        return Board(self.layout, self.faces, self.tiles - set(gone))


@st.composite
def boards(draw: st.DrawFn, tiles_max: int = 10) -> Board:
    """A random layout of few tiles that hinder each other a lot, with random faces in pairs and fours."""
    corners = [(x, y, z) for z in range(4) for y in range(3) for x in range(7)]
    places: list[Position] = []
    for corner in draw(st.permutations(corners)):
        x, y, z = corner
        if all(p.z != z or abs(p.x - x) >= 2 or abs(p.y - y) >= 2 for p in places):
            places.append(Position(x, y, z))
        if len(places) == tiles_max:
            break
    places = places[: len(places) // 2 * 2]
    layout = Layout.parse("random", places)
    half = draw(st.lists(st.sampled_from(FACES), min_size=layout.size // 2, max_size=layout.size // 2))
    faces = draw(st.permutations(half + half))
    gone = draw(st.sets(st.integers(0, layout.size - 1), max_size=4))
    return Board(layout, tuple(faces), frozenset(range(layout.size)) - gone)


def plainly_free(board: Board, tile: int) -> bool:
    """Uncovered, and open at the left or at the right: straight from the rules."""
    x, y, z = board.layout.tiles[tile]
    others = [board.layout.tiles[other] for other in board.tiles if other != tile]
    covered = any(o.z > z and abs(o.x - x) < 2 and abs(o.y - y) < 2 for o in others)
    left = any(o.z == z and o.x == x - 2 and abs(o.y - y) < 2 for o in others)
    right = any(o.z == z and o.x == x + 2 and abs(o.y - y) < 2 for o in others)
    return not covered and not (left and right)


def plainly_match(matching: Matching, a: Face, b: Face) -> bool:
    """The table of matchings, read row by row."""
    kinds = {a[:2], b[:2]}
    if a == b:
        return True
    if matching is Matching.FLOWERS_SEASONS:
        return kinds in ({"Fl"}, {"Se"})
    return matching is Matching.BONUS_ANY and kinds <= {"Fl", "Se"}


def plain_moves(board: Board, matching: Matching, pairing: Pairing) -> Iterator[tuple[int, int]]:
    """All ordered pairs that may be touched first, second."""
    for first, second in permutations(sorted(board.tiles), 2):
        if not plainly_match(matching, board.faces[first], board.faces[second]):
            continue
        then = board if pairing is Pairing.BOTH_FREE else board.without(first)
        if plainly_free(board, first) and plainly_free(then, second):
            yield first, second


@cache
def plainly_solvable(board: Board, matching: Matching, pairing: Pairing) -> bool:
    """Whether some line of play clears the board: all are tried."""
    if not board.tiles:
        return True
    return any(
        plainly_solvable(board.without(*pair), matching, pairing)
        for pair in plain_moves(board, matching, pairing)
        if pair[0] < pair[1] or pairing is Pairing.LIFT
    )
