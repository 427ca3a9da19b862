"""Touching in the Rivals modes (matching `exact`, pairing `lift`) as one pure function.

With nothing lifted, a free tile is lifted and a blocked one is a blocked touch. With a tile lifted: the
same tile is put down; a matching tile that is free once the lifted one is away makes the pair; another
tile that does not match becomes the lifted one if it is free with the first back in its place, and is
NOT_SAME if it is free only while the first is away; anything else is a blocked touch, judged with the
lifted tile away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from libs.rules.solitaire.board import Blocked, Matching, blockers, is_free, matches
from libs.rules.solitaire.layouts import Layout
from libs.rules.tiles import Face


@dataclass(frozen=True)
class Lifted:
    """The tile is lifted now, in place of `replaced` if another one was."""

    tile: int
    replaced: int | None


@dataclass(frozen=True)
class PutBack:
    """The lifted tile was touched again and lies in its place."""

    tile: int


@dataclass(frozen=True)
class Paired:
    """Both tiles leave the board; `first` was the lifted one."""

    first: int
    second: int


@dataclass(frozen=True)
class NotSame:
    """The tile does not match and is free only while the lifted one is away, which stays lifted."""

    tile: int


@dataclass(frozen=True)
class BlockedTouch:
    """The tile is not free; what was lifted stays lifted."""

    tile: int
    why: Blocked


Touched = Lifted | PutBack | Paired | NotSame | BlockedTouch


def touch(layout: Layout, faces: Sequence[Face], present: int, lifted: int | None, tile: int) -> Touched:
    """What touching `tile` does. `present` holds the lifted tile too: it has not left the board.

    Both tiles must be present and the lifted one free: whoever calls has checked it.
    """
    assert present >> tile & 1, "a touched tile is on the board"
    if lifted is None:
        why = blockers(layout, present, tile)
        return Lifted(tile, replaced=None) if why is None else BlockedTouch(tile, why)
    assert present >> lifted & 1, "a lifted tile is on the board"
    assert is_free(layout, present, lifted), "only a free tile can be lifted"
    if tile == lifted:
        return PutBack(tile)
    why = blockers(layout, present & ~(1 << lifted), tile)
    if why is not None:
        return BlockedTouch(tile, why)
    if matches(Matching.EXACT, faces[lifted], faces[tile]):
        return Paired(lifted, tile)
    if is_free(layout, present, tile):
        return Lifted(tile, replaced=lifted)
    return NotSame(tile)
