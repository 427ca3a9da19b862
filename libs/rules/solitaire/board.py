"""When a tile is free, why it is not, and which faces belong together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.layouts import Layout
from libs.rules.tiles import Face, is_flower, is_season


class Matching(StrEnum):
    """Which faces make a pair."""

    EXACT = "exact"
    """The same symbol only."""
    FLOWERS_SEASONS = "flowers_seasons"
    """Any flower with any flower, any season with any season, else the same symbol."""
    BONUS_ANY = "bonus_any"
    """Any bonus tile with any bonus tile, else the same symbol."""


class Pairing(StrEnum):
    """When two matching tiles may go."""

    BOTH_FREE = "both_free"
    """Both are free before either is touched."""
    LIFT = "lift"
    """The first is free, and the second is free once the first is lifted."""


@dataclass(frozen=True)
class Covered:
    """The tile lies under these tiles."""

    by: tuple[int, ...]


@dataclass(frozen=True)
class Closed:
    """The tile has tiles of its level at both sides."""

    left: tuple[int, ...]
    right: tuple[int, ...]


Blocked = Covered | Closed
"""Why a tile is not free. A tile that is covered and closed is reported as covered."""


def match_key(matching: Matching, face: Face) -> str:
    """A text that two faces share exactly when they match."""
    if matching is Matching.FLOWERS_SEASONS:
        return "flower" if is_flower(face) else "season" if is_season(face) else face
    if matching is Matching.BONUS_ANY:
        return "bonus" if is_flower(face) or is_season(face) else face
    return face


def matches(matching: Matching, face_a: Face, face_b: Face) -> bool:
    """Whether two tiles with these faces make a pair."""
    return match_key(matching, face_a) == match_key(matching, face_b)


def match_groups(matching: Matching, faces: Sequence[Face], present: int) -> list[int]:
    """The present tiles as sets that match among themselves, in order of their lowest tile."""
    groups: dict[str, int] = {}
    for tile in bits(present):
        key = match_key(matching, faces[tile])
        groups[key] = groups.get(key, 0) | 1 << tile
    return list(groups.values())


def is_uncovered(layout: Layout, present: int, tile: int) -> bool:
    """Whether no present tile on any higher level overlaps the tile."""
    return not layout.masks.above[tile] & present


def is_free(layout: Layout, present: int, tile: int) -> bool:
    """Whether the tile is uncovered and open at its left or right. It need not be in `present`."""
    above, left, right, _ = layout.masks
    return not above[tile] & present and not (left[tile] & present and right[tile] & present)


def free_mask(layout: Layout, present: int) -> int:
    """The set of free tiles."""
    above, left, right, _ = layout.masks
    free = 0
    rest = present
    while rest:
        low = rest & -rest
        rest ^= low
        tile = low.bit_length() - 1
        if not above[tile] & present and not (left[tile] & present and right[tile] & present):
            free |= low
    return free


def free_mask_after(layout: Layout, present: int, free: int, gone: int) -> int:
    """The set of free tiles of `present`, from the set `free` before the tiles of `gone` left it.

    The same as `free_mask(layout, present)`, but looks only at the tiles that the gone ones hindered.
    """
    hinders = layout.masks.hinders
    free &= present
    hindered = 0
    for tile in bits(gone):
        hindered |= hinders[tile]
    for tile in bits(hindered & present & ~free):
        if is_free(layout, present, tile):
            free |= 1 << tile
    return free


def free_tiles(layout: Layout, present: int) -> tuple[int, ...]:
    """The free tiles, lowest number first."""
    return tuple(bits(free_mask(layout, present)))


def uncovered(layout: Layout, present: int) -> tuple[int, ...]:
    """The tiles whose face may be seen, lowest number first."""
    return tuple(tile for tile in bits(present) if is_uncovered(layout, present, tile))


def blockers(layout: Layout, present: int, tile: int) -> Blocked | None:
    """Why the tile is not free, with every tile that is to blame; None when it is free."""
    above, left, right, _ = layout.masks
    if above[tile] & present:
        return Covered(tuple(bits(above[tile] & present)))
    if left[tile] & present and right[tile] & present:
        return Closed(tuple(bits(left[tile] & present)), tuple(bits(right[tile] & present)))
    return None
