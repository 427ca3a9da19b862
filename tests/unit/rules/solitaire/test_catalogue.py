"""The catalogue's layouts are sound, and never change."""

from __future__ import annotations

import hashlib

import pytest

from libs.rules.solitaire.bitset import mask_of
from libs.rules.solitaire.catalogue import CATALOGUE_VERSION, layout, layout_names
from libs.rules.solitaire.layouts import Position, find_faults

GOLDEN_SHA256 = "71f40885a1d40471726d31f660e704ec18c6fd6127ad49faa1b9a0c82aa0600d"


def test_layouts_never_change_within_a_catalogue_version() -> None:
    """Every level stands on these places."""
    text = "".join(f"{name}{[tuple(tile) for tile in layout(name).tiles]}" for name in layout_names())

    assert CATALOGUE_VERSION == 1
    assert hashlib.sha256(text.encode()).hexdigest() == GOLDEN_SHA256


def test_there_are_layouts_from_18_to_144_tiles_smallest_first() -> None:
    """The list is in order of size."""
    sizes = [layout(name).size for name in layout_names()]

    assert sizes == sorted(sizes)
    assert (sizes[0], sizes[-1]) == (18, 144)


@pytest.mark.parametrize("name", layout_names())
def test_every_layout_is_symmetrical_and_supported(name: str) -> None:
    """Left mirrors right, and a raised tile rests on others: on the next level, or as the end of a bridge."""
    board = layout(name)
    places = set(board.tiles)
    width = max(tile.x for tile in board.tiles)

    assert find_faults(board.tiles) == ()
    assert places == {Position(width - x, y, z) for x, y, z in places}
    below = [
        t.z == 0 or any(board.masks.above[o] >> i & 1 for o in range(board.size))
        for i, t in enumerate(board.tiles)
    ]
    assert all(below) or name == "bridge"


def test_the_bridge_covers_what_lies_under_its_deck() -> None:
    """Its deck rests on level 2 at both ends only, and covers level 0 through a gap."""
    board = layout("bridge")
    deck = mask_of(i for i, tile in enumerate(board.tiles) if tile.z == 3)

    lowest_under_gap = [i for i, t in enumerate(board.tiles) if t.z == 0 and board.masks.above[i] & deck]

    assert lowest_under_gap


def test_an_unknown_layout_is_a_key_error() -> None:
    """Names are checked at the edge with layout_names."""
    with pytest.raises(KeyError):
        layout("turtle")
