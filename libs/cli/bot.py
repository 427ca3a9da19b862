"""How a bot chooses: as a person would who looks for the pair that opens most.

A bot knows what its seat sees: where tiles lie, the faces seen so far, which tiles are free. It never sees a
hidden face and never solves a board.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from libs.client.board_view import BoardView, Place
from libs.rules.solitaire.bitset import bits, mask_of
from libs.rules.solitaire.board import free_mask, is_free
from libs.rules.solitaire.layouts import Layout

Pair = tuple[int, int]


@dataclass(frozen=True)
class TakePair:
    """Touch the first, then the second."""

    pair: Pair


@dataclass(frozen=True)
class Peek:
    """Lift a tile to see what lies under it."""

    tile: int


@dataclass(frozen=True)
class GiveUp:
    """No move is left, or none can be seen: start again."""


Choice = TakePair | Peek | GiveUp


@lru_cache(maxsize=64)
def _layout(places: tuple[Place, ...]) -> Layout:
    return Layout.parse("seen", places)


def visible_pairs(board: BoardView) -> Iterator[Pair]:
    """Yield the pairs that the seat can know to be available, in an order in which they may be touched."""
    layout, present = _layout(board.places), mask_of(board.present)
    liftable = _liftable(board)
    by_face: dict[str, list[int]] = {}
    for tile, face in sorted(board.faces.items()):
        by_face.setdefault(face, []).append(tile)
    for tiles in by_face.values():
        for one, other in combinations(tiles, 2):
            for first, second in ((one, other), (other, one)):
                may_begin = first in liftable or (first in board.free and second == board.lifted)
                if may_begin and is_free(layout, present & ~(1 << first), second):
                    yield first, second
                    break


def free_pair(board: BoardView) -> tuple[int, int] | None:
    """Return two free tiles of one face, found in one pass; none where there are none."""
    seen: dict[str, int] = {}
    for tile in sorted(board.free):
        face = board.faces.get(tile, "")
        if face and (other := seen.get(face)) is not None:
            return other, tile
        seen[face] = tile
    return None


def _liftable(board: BoardView) -> frozenset[int]:
    """Return the tiles that can be lifted now.

    A lifted tile blocks nothing, so it frees others for itself alone: one that does not match it stays down,
    however often it is touched.
    """
    if board.lifted is None:
        return board.free
    layout, present = _layout(board.places), mask_of(board.present)
    return frozenset(tile for tile in board.free if tile == board.lifted or is_free(layout, present, tile))


def opened_by(board: BoardView, pair: Pair) -> int:
    """Return how many tiles become free when the pair goes."""
    layout, present = _layout(board.places), mask_of(board.present)
    after = present & ~(1 << pair[0]) & ~(1 << pair[1])
    return (free_mask(layout, after) & ~free_mask(layout, present)).bit_count()


def choose(board: BoardView, peeked: frozenset[int], rng: random.Random, whim: float) -> Choice:
    """Choose what to do. `peeked` are tiles lifted in vain since the last pair.

    `whim` above 0 lets a worse pair win now and then, so that another attempt at a deal goes another way.
    """
    if board.is_blocked:
        return GiveUp()
    ranked = [(_worth(board, pair) + whim * rng.random(), pair) for pair in visible_pairs(board)]
    if ranked:
        return TakePair(max(ranked)[1])
    hidden_below = [tile for tile in sorted(_liftable(board) - peeked) if _covers_hidden(board, tile)]
    return Peek(rng.choice(hidden_below)) if hidden_below else GiveUp()


def _worth(board: BoardView, pair: Pair) -> float:
    """Return how good a pair looks: what it opens, then how high it lies."""
    height = board.places[pair[0]].z + board.places[pair[1]].z
    return opened_by(board, pair) + 0.3 * height


def _covers_hidden(board: BoardView, tile: int) -> bool:
    """Whether an unseen tile lies under this one."""
    layout = _layout(board.places)
    below = layout.masks.hinders[tile] & mask_of(board.present)
    return any(other not in board.faces for other in bits(below))
