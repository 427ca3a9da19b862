"""Geometry and matching, one sentence of the rules a test."""

from __future__ import annotations

import pytest

from libs.rules.solitaire.board import (
    Closed,
    Covered,
    Matching,
    blockers,
    free_tiles,
    is_free,
    matches,
    uncovered,
)
from libs.rules.solitaire.layouts import Layout
from libs.rules.tiles import ALL_FACES, ORDINARY, Face, parse_face
from tests.unit.rules.solitaire.small_boards import ROW_OF_4, faces


def test_a_tile_can_cover_the_seam_of_four() -> None:
    """One tile that sits on the corner of four covers all four."""
    four = [(0, 0, 0), (2, 0, 0), (0, 2, 0), (2, 2, 0), (1, 1, 1), (8, 8, 0)]
    layout = Layout.parse("seam", four)

    assert uncovered(layout, layout.full) == (4, 5)
    assert blockers(layout, layout.full, 0) == Covered((4,))


def test_a_tile_is_covered_by_any_higher_level_not_only_the_next() -> None:
    """A bridge with a gap under it covers what lies below the gap."""
    layout = Layout.parse("bridge", [(0, 0, 0), (0, 0, 3)])

    assert blockers(layout, layout.full, 0) == Covered((1,))
    assert not is_free(layout, layout.full, 0)
    assert is_free(layout, layout.full & ~0b10, 0)


def test_a_tile_that_touches_at_an_edge_does_not_cover() -> None:
    """Overlap needs a shared area."""
    layout = Layout.parse("step", [(0, 0, 0), (2, 0, 1)])

    assert free_tiles(layout, layout.full) == (0, 1)


def test_a_tile_is_free_when_one_side_is_open() -> None:
    """In a row the two ends are free, and the middle is closed by its neighbours."""
    assert free_tiles(ROW_OF_4, ROW_OF_4.full) == (0, 3)
    assert blockers(ROW_OF_4, ROW_OF_4.full, 1) == Closed(left=(0,), right=(2,))
    assert blockers(ROW_OF_4, ROW_OF_4.full & ~1, 1) is None


def test_half_a_side_closes_it_and_a_corner_does_not() -> None:
    """A neighbour shifted by half a tile closes a side; one shifted by a whole tile touches a corner."""
    half = Layout.parse("half", [(0, 1, 0), (2, 0, 0), (4, -1 + 2, 0), (10, 0, 0)])
    corner = Layout.parse("corner", [(0, 2, 0), (2, 0, 0), (4, 2, 0), (10, 0, 0)])

    assert blockers(half, half.full, 1) == Closed(left=(0,), right=(2,))
    assert blockers(corner, corner.full, 1) is None


def test_a_side_can_be_closed_by_two_tiles() -> None:
    """Every tile that closes the side is named."""
    layout = Layout.parse("two", [(0, 0, 0), (0, 2, 0), (2, 1, 0), (4, 1, 0)])

    assert blockers(layout, layout.full, 2) == Closed(left=(0, 1), right=(3,))


def test_a_tile_on_another_level_closes_no_side() -> None:
    """Sides are a matter of one level."""
    layout = Layout.parse("levels", [(0, 0, 0), (2, 0, 0), (4, 0, 1), (10, 0, 0)])

    assert is_free(layout, layout.full, 1)


def test_covered_is_told_before_closed() -> None:
    """A tile that is both is reported as covered, with everything that covers it."""
    layout = Layout.parse("both", [(0, 0, 0), (2, 0, 0), (4, 0, 0), (1, 0, 1), (3, 0, 2), (9, 9, 0)])

    assert blockers(layout, layout.full, 1) == Covered((3, 4))


def test_there_are_34_ordinary_and_8_bonus_faces() -> None:
    """The faces are all different, and the notation is exact."""
    assert len(ORDINARY) == 34
    assert len(set(ALL_FACES)) == 42
    assert parse_face("9s") == "9s"
    assert parse_face("0m") is parse_face("1M") is parse_face(" 1m") is None


@pytest.mark.parametrize(
    ("matching", "pairs_that_match"),
    [
        (Matching.EXACT, {"1m 1m", "Fl1 Fl1"}),
        (Matching.FLOWERS_SEASONS, {"1m 1m", "Fl1 Fl1", "Fl1 Fl3", "Se1 Se4"}),
        (Matching.BONUS_ANY, {"1m 1m", "Fl1 Fl1", "Fl1 Fl3", "Se1 Se4", "Fl2 Se2"}),
    ],
)
def test_matching_follows_its_knob(matching: Matching, pairs_that_match: set[str]) -> None:
    """Flowers and seasons match more widely from knob to knob; ordinary faces never do."""
    candidates = ["1m 1m", "1m 2m", "1m 1p", "Fl1 Fl1", "Fl1 Fl3", "Se1 Se4", "Fl2 Se2", "Fl1 1m", "Se2 Dr"]

    assert {pair for pair in candidates if matches(matching, *two(pair))} == pairs_that_match
    assert all(matches(matching, *reversed(two(pair))) for pair in pairs_that_match)


def two(text: str) -> tuple[Face, Face]:
    """Two faces from their notation."""
    first, second = faces(text)
    return first, second
