"""Layouts: what is one, and what is wrong with what is none."""

from __future__ import annotations

import pytest

from libs.rules.solitaire.bitset import mask_of
from libs.rules.solitaire.layouts import InvalidLayoutError, Layout, LayoutFault, LayoutFaultKind, find_faults


def faults_of(positions: list[tuple[int, int, int]]) -> set[LayoutFault]:
    """The faults that parsing tells."""
    with pytest.raises(InvalidLayoutError) as refused:
        Layout.parse("bad", positions)
    return set(refused.value.faults)


def test_an_odd_tile_count_is_a_fault() -> None:
    """Three tiles can never be removed in pairs."""
    assert faults_of([(0, 0, 0), (2, 0, 0), (4, 0, 0)]) == {LayoutFault(LayoutFaultKind.ODD_TILE_COUNT)}


def test_overlap_on_one_level_is_a_fault_that_names_both_tiles() -> None:
    """Half a tile shared is an overlap, on one level only."""
    assert faults_of([(0, 0, 0), (1, 1, 0)]) == {LayoutFault(LayoutFaultKind.OVERLAP, (0, 1))}
    assert find_faults(Layout.parse("seam", [(0, 0, 0), (1, 1, 1)]).tiles) == ()


@pytest.mark.parametrize("outside", [(-1, 0, 0), (0, -1, 0), (63, 0, 0), (0, 63, 0), (0, 0, -1)])
def test_a_tile_outside_the_grid_is_a_fault(outside: tuple[int, int, int]) -> None:
    """A tile lies in the grid of 64 by 64 half-tiles with its whole area."""
    assert faults_of([(10, 10, 0), outside]) == {LayoutFault(LayoutFaultKind.OUTSIDE_GRID, (1,))}


def test_all_faults_are_told_at_once() -> None:
    """Whoever mends a layout sees everything that is wrong, not the first thing."""
    kinds = {fault.kind for fault in faults_of([(0, 0, 0), (0, 0, 0), (99, 0, 16)])}

    assert kinds == {
        LayoutFaultKind.ODD_TILE_COUNT,
        LayoutFaultKind.OVERLAP,
        LayoutFaultKind.OUTSIDE_GRID,
        LayoutFaultKind.TOO_MANY_LEVELS,
    }


def test_no_tiles_and_too_many_tiles_are_faults() -> None:
    """A layout has 2 to 288 tiles."""
    crowd = [(2 * (i % 30), 2 * (i // 30), 0) for i in range(290)]

    assert faults_of([]) == {LayoutFault(LayoutFaultKind.EMPTY)}
    assert faults_of(crowd) == {LayoutFault(LayoutFaultKind.TOO_MANY_TILES)}
    assert Layout.parse("288", crowd[:288]).size == 288


def test_the_error_message_names_the_layout_and_its_faults() -> None:
    """The sentence is fit for a person."""
    with pytest.raises(InvalidLayoutError, match=r"layout 'bad': overlap\[0, 1\]"):
        Layout.parse("bad", [(0, 0, 0), (1, 0, 0)])


def test_hinders_is_the_reverse_of_covering_and_touching() -> None:
    """A tile hinders those below it and those at its sides."""
    layout = Layout.parse("heap", [(0, 0, 0), (2, 1, 0), (1, 1, 1), (8, 0, 0)])

    assert layout.masks.hinders == (mask_of([1]), mask_of([0]), mask_of([0, 1]), 0)
