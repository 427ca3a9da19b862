"""The touching rule of the Rivals modes, one clause a test."""

from __future__ import annotations

import pytest

from libs.rules.solitaire.board import Closed, Covered
from libs.rules.solitaire.touch import BlockedTouch, Lifted, NotSame, Paired, PutBack, Touched, touch
from tests.unit.rules.solitaire.small_boards import ROW_OF_4, STACK_OF_2, TWO_STACKS, faces


def touch_row(text: str, lifted: int | None, tile: int, present: int = ROW_OF_4.full) -> Touched:
    """A touch on a row of four with these faces."""
    return touch(ROW_OF_4, faces(text), present, lifted, tile)


def test_with_nothing_lifted_a_free_tile_is_lifted() -> None:
    """The end of a row comes up."""
    assert touch_row("1m 2m 2m 1m", None, 0) == Lifted(0, replaced=None)


def test_with_nothing_lifted_a_blocked_tile_is_a_blocked_touch_that_tells_why() -> None:
    """The middle of a row is closed at both sides."""
    assert touch_row("1m 2m 2m 1m", None, 1) == BlockedTouch(1, Closed(left=(0,), right=(2,)))


def test_the_lifted_tile_touched_again_is_put_down() -> None:
    """A second touch takes the first back."""
    assert touch_row("1m 2m 2m 1m", 0, 0) == PutBack(0)


def test_a_matching_free_tile_makes_the_pair() -> None:
    """The first of the pair is the lifted tile."""
    assert touch_row("1m 2m 2m 1m", 3, 0) == Paired(3, 0)


def test_a_matching_tile_that_is_free_only_while_the_first_is_away_makes_the_pair() -> None:
    """A side neighbour opens, and a tile below is uncovered."""
    assert touch_row("1m 1m 2m 2m", 0, 1) == Paired(0, 1)
    assert touch(STACK_OF_2, faces("Dr Dr"), STACK_OF_2.full, 1, 0) == Paired(1, 0)


def test_another_free_tile_becomes_the_lifted_one() -> None:
    """It is free with the first back in its place, and the first is told as replaced."""
    assert touch_row("1m 2m 1m 2m", 0, 3) == Lifted(3, replaced=0)


def test_another_tile_that_is_free_only_while_the_first_is_away_is_not_same() -> None:
    """Both the neighbour and the tile below stay where they are."""
    assert touch_row("1m 2m 1m 2m", 0, 1) == NotSame(1)
    assert touch(TWO_STACKS, faces("1m 2m 1m 2m"), TWO_STACKS.full, 1, 0) == NotSame(0)


def test_a_blocked_tile_is_a_blocked_touch_even_if_it_matches() -> None:
    """The same face is no key to a closed tile."""
    assert touch_row("1m 2m 1m 2m", 0, 2) == BlockedTouch(2, Closed(left=(1,), right=(3,)))
    assert touch(TWO_STACKS, faces("1m 2m 2m 1m"), TWO_STACKS.full, 3, 0) == BlockedTouch(0, Covered((1,)))


def test_a_lifted_tile_blocks_nothing() -> None:
    """Why a touch was blocked is judged with the lifted tile away."""
    assert touch_row("1m 2m 2m 3m", 0, 2) == BlockedTouch(2, Closed(left=(1,), right=(3,)))
    assert touch_row("1m 2m 2m 3m", 3, 1) == BlockedTouch(1, Closed(left=(0,), right=(2,)))
    assert touch_row("1m 2m 3m 4m", 0, 2, present=0b0101) == Lifted(2, replaced=0)


def test_touching_a_tile_that_is_gone_is_a_programmer_error() -> None:
    """Whoever calls has checked that the tile is on the board."""
    with pytest.raises(AssertionError):
        touch_row("1m 2m 2m 1m", None, 0, present=0b0110)
