"""The catalogue's layouts are sound, and never change."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

import pytest

from libs.rules.solitaire.bitset import mask_of
from libs.rules.solitaire.blind import BlindLine, find_blind_line
from libs.rules.solitaire.board import Pairing
from libs.rules.solitaire.catalogue import CATALOGUE_VERSION, layout, layout_names
from libs.rules.solitaire.layouts import Layout, Position, find_faults
from libs.rules.solitaire.prng import Prng, public_seed

GOLDEN: Final = Path(__file__).parents[3] / "data" / "solitaire" / "catalogue.sha256"
"""Hash and name of every layout, a line each: lines are added, never changed."""
COMPOSED: Final = {"carp", "duck", "heron", "snail"}
"""Drawings that are on purpose not symmetrical."""
DECK: Final = {"bridge"}
"""Layouts with a part that hangs between its ends."""
RACE_SIZES: Final = (34, 42, 68, 76, 94, 102, 136, 144)


def test_layouts_never_change_within_a_catalogue_version() -> None:
    """Every level stands on these places, in this order."""
    golden = {name: sha256 for sha256, name in map(str.split, GOLDEN.read_text().splitlines())}

    assert CATALOGUE_VERSION == 1
    assert {name: sha256_of(layout(name)) for name in layout_names()} == golden


def sha256_of(board: Layout) -> str:
    """A hash over the name and the places of a layout."""
    text = f"{board.name}{[tuple(tile) for tile in board.tiles]}"
    return hashlib.sha256(text.encode()).hexdigest()


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
    assert name in COMPOSED or places == {Position(width - x, y, z) for x, y, z in places}
    below = [
        t.z == 0 or any(board.masks.above[o] >> i & 1 for o in range(board.size))
        for i, t in enumerate(board.tiles)
    ]
    assert all(below) or name in DECK


@pytest.mark.parametrize("pairing", Pairing)
@pytest.mark.parametrize("name", layout_names())
def test_every_layout_can_be_dealt(name: str, pairing: Pairing) -> None:
    """A face-blind line clears it, under both pairings: boards of it can be solved."""
    board = layout(name)

    found = find_blind_line(board, board.full, pairing, Prng(public_seed("test/catalogue")))

    assert isinstance(found, BlindLine)


@pytest.mark.parametrize("size", RACE_SIZES)
def test_each_size_of_the_race_has_at_least_three_layouts(size: int) -> None:
    """Start, Easy, Medium and Hard, each without and with flowers and seasons."""
    assert sum(layout(name).size == size for name in layout_names()) >= 3


def test_the_race_is_played_in_more_layers_as_it_grows() -> None:
    """Hard boards are higher than Start boards."""
    means = []
    for size in RACE_SIZES:
        levels = [layout(name).levels for name in layout_names() if layout(name).size == size]
        means.append(sum(levels) / len(levels))

    assert means[0::2] == sorted(means[0::2]) and means[1::2] == sorted(means[1::2])


def test_no_two_layouts_are_alike() -> None:
    """Each has places of its own, whatever the order."""
    assert len({frozenset(layout(name).tiles) for name in layout_names()}) == len(layout_names())


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
