"""A bot chooses from what its seat sees."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from libs.cli.bot import Choice, GiveUp, Peek, TakePair, choose, opened_by, visible_pairs
from libs.client.board_view import BoardView, Place
from libs.client.wire import board_of, update_of
from tests.support.tiny_match import TinyGame

# Level 0: a row of four; on its first tile lies tile 4, on its last lies tile 5.
ROW = BoardView(
    layout="layouts/row",
    places=(*(Place(x, 0, 0) for x in (0, 2, 4, 6)), Place(0, 0, 1), Place(6, 0, 1)),
    present=frozenset(range(6)),
    faces={1: "1m", 2: "1m", 4: "We", 5: "We"},
    lifted=None,
    free=frozenset({4, 5}),
    pair_available=True,
    version=0,
)
RNG = random.Random(1)


def test_hidden_faces_are_never_part_of_a_pair() -> None:
    """The only visible pair is on top; the two equal faces below it are closed on both sides."""
    assert list(visible_pairs(ROW)) == [(4, 5)]


def test_lifting_opens_the_neighbour_of_the_same_face() -> None:
    """A tile that is free only while the first is away makes a pair, in that order alone."""
    row = replace(
        ROW, present=frozenset({0, 1, 2, 3}), free=frozenset({0, 3}), faces={0: "1m", 1: "1m", 3: "We"}
    )

    assert list(visible_pairs(row)) == [(0, 1)]


def test_the_pair_that_opens_most_is_taken() -> None:
    """Of two pairs the one under which more lies goes first."""
    row = replace(
        ROW,
        places=(*ROW.places, Place(20, 0, 0), Place(30, 0, 0)),
        present=frozenset(range(8)),
        faces={4: "We", 5: "We", 6: "Dr", 7: "Dr"},
        free=frozenset({4, 5, 6, 7}),
    )

    assert (opened_by(row, (4, 5)), opened_by(row, (6, 7))) == (2, 0)
    assert choose(row, frozenset(), RNG, whim=0) == TakePair((4, 5))


def test_without_a_visible_pair_a_tile_is_lifted_to_look_below() -> None:
    """A peek goes where something unseen lies, and not twice to the same place."""
    row = replace(ROW, faces={4: "We", 5: "Dr"})

    first = choose(row, frozenset(), RNG, whim=0)
    assert isinstance(first, Peek)
    assert choose(row, frozenset({first.tile}), RNG, whim=0) == Peek(9 - first.tile)
    assert choose(row, frozenset({4, 5}), RNG, whim=0) == GiveUp()


def test_a_blocked_board_is_given_up() -> None:
    """The server says that no pair is available: no lifting helps."""
    assert choose(replace(ROW, pair_available=False), frozenset(), RNG, whim=0) == GiveUp()


@pytest.mark.parametrize("level", [1, 2, 3])
async def test_a_bot_clears_small_levels_at_once(level: int) -> None:
    """Taking what opens most clears the first levels, with nothing but what the seat is told."""
    game = TinyGame.start("players/bot", level)
    board = board_of(game.message().board)

    while not board.is_cleared:
        chosen = choose(board, frozenset(), RNG, whim=0)
        assert isinstance(chosen, TakePair)
        for tile in chosen.pair:
            board = board.after(update_of(await game.touched(tile)))


def test_a_pair_is_not_begun_with_a_tile_that_only_the_lifted_one_frees() -> None:
    """The server keeps such a tile down unless it matches: a bot that insisted would stand still for ever."""
    row = replace(
        ROW,
        places=(*ROW.places, Place(20, 0, 0), Place(30, 0, 0)),
        present=frozenset({0, 1, 2, 3, 6}),
        faces={0: "Dr", 1: "We", 6: "We"},
        lifted=0,
        free=frozenset({0, 1, 3, 6}),
    )

    assert list(visible_pairs(row)) == []
    assert list(visible_pairs(replace(row, faces={0: "We", 1: "We", 6: "Dr"}))) == [(0, 1)]


@pytest.mark.parametrize("level", [100, 200, 500])
async def test_a_bot_clears_or_gives_up_and_never_stands_still(level: int) -> None:
    """On larger boards, where it peeks, every pair that it begins is taken with two touches at most."""
    game = TinyGame.start("players/bot", level)
    board, rng, peeked = board_of(game.message().board), random.Random(level), set[int]()
    chosen: Choice = choose(board, frozenset(), rng, whim=0.5)

    while not board.is_cleared and not isinstance(chosen, GiveUp):
        left = board.tiles_left
        touched = chosen.pair if isinstance(chosen, TakePair) else (chosen.tile,)
        for tile in touched:
            if tile != board.lifted or tile != touched[0]:
                board = board.after(update_of(await game.touched(tile)))
            if board.tiles_left < left:
                break
        if isinstance(chosen, TakePair):
            assert board.tiles_left == left - 2
            peeked.clear()
        else:
            peeked.add(chosen.tile)
        chosen = choose(board, frozenset(peeked), rng, whim=0.5)
