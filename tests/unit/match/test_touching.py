"""Touching in single player: the paragraph of the same name in the rules, sentence by sentence."""

from __future__ import annotations

import pytest

from libs.rules.solitaire.board import Closed, Covered
from services.match.domain.refusal import Refusal
from services.match.events import Event, PairRemoved, TileLifted, TilePutBack, TouchBlocked, TouchNotSame
from tests.support.attempts import ROW, STACKS, after, begun, given, put_back, started, touch

LIFTED_0 = TileLifted(0, None, after(500))


def test_a_free_tile_is_lifted() -> None:
    """With nothing lifted, touching a free tile lifts it."""
    given(started(ROW, "1m 2m 2m 1m")).when(touch(0, 0)).then(TileLifted(0, None, after(1_000)))


def test_a_closed_tile_is_a_blocked_touch_that_tells_both_sides() -> None:
    """With nothing lifted, a tile closed on both sides is a blocked touch, and tells by which tiles."""
    given(started(ROW, "1m 2m 2m 1m")).when(touch(1, 0)).then(
        TouchBlocked(1, Closed((0,), (2,)), after(1_000))
    )


def test_a_covered_tile_is_a_blocked_touch_that_tells_the_cover() -> None:
    """With nothing lifted, a covered tile is a blocked touch, and tells by which tiles."""
    given(started(STACKS, "1m 2m 1m 2m")).when(touch(0, 0)).then(TouchBlocked(0, Covered((1,)), after(1_000)))


def test_touching_the_lifted_tile_puts_it_back() -> None:
    """A pair of one tile with itself cannot be made: the second touch puts the tile down."""
    given(started(ROW, "1m 2m 2m 1m"), LIFTED_0).when(touch(0, 1)).then(TilePutBack(0, after(1_000)))


def test_a_matching_free_tile_makes_the_pair() -> None:
    """With a tile lifted, a matching free tile makes the pair, the lifted one first."""
    given(started(ROW, "1m 2m 2m 1m"), LIFTED_0).when(touch(3, 1)).then(PairRemoved(0, 3, after(1_000)))


def test_a_matching_tile_that_lifting_opened_makes_the_pair() -> None:
    """The partner need only be free once the lifted tile is away."""
    given(started(ROW, "1m 1m 2m 2m"), LIFTED_0).when(touch(1, 1)).then(PairRemoved(0, 1, after(1_000)))


def test_a_matching_tile_that_lifting_uncovered_makes_the_pair() -> None:
    """The partner may lie under the lifted tile."""
    lifted = TileLifted(1, None, after(500))
    given(started(STACKS, "1m 1m 2m 2m"), lifted).when(touch(0, 1)).then(PairRemoved(1, 0, after(1_000)))


def test_another_free_tile_that_does_not_match_is_lifted_instead() -> None:
    """A tile that does not match and is free with the first back in its place becomes the lifted one."""
    given(started(ROW, "1m 2m 1m 2m"), LIFTED_0).when(touch(3, 1)).then(TileLifted(3, 0, after(1_000)))


def test_a_tile_free_only_while_the_first_is_away_is_not_the_same() -> None:
    """NOT_SAME: it does not match, and the first stays lifted."""
    events = (started(ROW, "1m 2m 2m 1m"), LIFTED_0)
    given(*events).when(touch(1, 1)).then(TouchNotSame(1, after(1_000)))

    assert begun([*events, TouchNotSame(1, after(1_000))]).seat.lifted == 0


def test_a_blocked_touch_is_judged_with_the_lifted_tile_away() -> None:
    """Blockers never name the lifted tile, and it stays lifted."""
    events = (started(ROW, "1m 2m 1m 2m"), LIFTED_0)
    blocked = TouchBlocked(2, Closed((1,), (3,)), after(1_000))
    given(*events).when(touch(2, 1)).then(blocked)

    assert begun([*events, blocked]).seat.lifted == 0


def test_put_back_puts_the_lifted_tile_back() -> None:
    """PutBack is the same fact as touching the lifted tile."""
    given(started(ROW, "1m 2m 2m 1m"), LIFTED_0).when(put_back(1)).then(TilePutBack(0, after(1_000)))


def test_put_back_with_nothing_lifted_is_refused() -> None:
    """There is nothing to put back."""
    given(started(ROW, "1m 2m 2m 1m")).when(put_back(0)).refuses(Refusal.NOTHING_LIFTED)


def test_a_tile_that_left_is_gone() -> None:
    """A removed tile cannot be touched."""
    removed = PairRemoved(0, 3, after(600))
    given(started(ROW, "1m 2m 2m 1m"), LIFTED_0, removed).when(touch(0, 2)).refuses(Refusal.TILE_GONE)


@pytest.mark.parametrize("tile", [-1, 4, 2**31 - 1, -(2**31)])
def test_an_index_outside_the_layout_is_refused(tile: int) -> None:
    """A tile index that the layout does not have is malformed."""
    given(started(ROW, "1m 2m 2m 1m")).when(touch(tile, 0)).refuses(Refusal.TILE_OUT_OF_RANGE)


def test_faces_uncovered_by_lifting_stay_known_after_putting_back() -> None:
    """Lifting uncovers the tile below; putting back hides nothing again."""
    lifted = TileLifted(1, None, after(1))
    events: list[Event] = [started(STACKS, "1m 2m 1m 2m"), lifted, TilePutBack(1, after(2))]

    assert [begun(events[:n]).seat.known for n in (1, 2, 3)] == [0b1010, 0b1011, 0b1011]
    assert [begun(events[:n]).seat.fresh for n in (1, 2, 3)] == [0b1010, 0b0001, 0]


def test_a_covered_tile_is_unknown_until_its_cover_goes() -> None:
    """Removing a pair makes known what only that pair covered."""
    lifted = TileLifted(1, None, after(1))
    events: list[Event] = [started(STACKS, "1m 2m 1m 2m"), lifted, PairRemoved(1, 3, after(2))]

    assert begun(events[:2]).seat.known == 0b1011
    assert begun(events).seat.fresh == 0b0100
    assert begun(events).seat.position.present == 0b0101


def test_a_lifted_tile_is_free_and_blocks_nothing() -> None:
    """The free tiles with a tile lifted: that one, and whatever is free while it is away."""
    seat = begun([started(ROW, "1m 2m 2m 1m"), LIFTED_0]).seat

    assert seat.position.free(None) == 0b1001
    assert seat.position.free(seat.lifted) == 0b1011


def test_a_board_without_an_available_pair_is_blocked() -> None:
    """While tiles are left and no pair is available, the level says so."""
    blocked = begun([started(STACKS, "1m 2m 2m 1m")]).seat.position
    open_ = begun([started(STACKS, "1m 2m 1m 2m")]).seat.position

    assert (blocked.tiles_left, blocked.pair_available) == (4, False)
    assert open_.pair_available
