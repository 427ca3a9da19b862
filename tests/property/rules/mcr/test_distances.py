"""Shanten numbers against plain search."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement
from random import Random

import pytest

from libs.rules.mcr.decompose import Shape
from libs.rules.mcr.hand import Hand
from libs.rules.mcr.melds import Set, SetKind, concealed_kong, exposed
from libs.rules.mcr.shanten import completing, shanten, waits
from libs.rules.mcr.tiles import ALL_TILES, COPIES, SUIT_TILES, TileIndex, counted, rank_of

SETS = [Set(SetKind.CHOW, tile) for tile in SUIT_TILES if rank_of(tile) <= 7]
SETS += [Set(SetKind.PUNG, tile) for tile in ALL_TILES]

pytestmark = pytest.mark.timeout(120)


def dealt(random: Random, tiles: int) -> Hand:
    """Random tiles beside melds, of few kinds so that they meet."""
    melds = (
        concealed_kong(TileIndex(33)),
        *(exposed(SetKind.PUNG, TileIndex(tile)) for tile in (32, 31, 30)),
    )
    kinds = random.sample(ALL_TILES[:30], random.randint(4, 30))
    wall = [tile for tile in kinds for _ in range(COPIES)]
    return Hand(tuple(random.sample(wall, tiles)), melds[: (13 - tiles) // 3])


def missing(hand: Hand, sets: int) -> int:
    """The fewest tiles missing from any so many sets and a pair: all of them are tried."""
    held = Counter(hand.concealed)
    fewest = 99
    for chosen in combinations_with_replacement(SETS, sets):
        wanted = Counter(tile for one in chosen for tile in one.tiles)
        short = sum((wanted - held).values())
        spare = held - wanted
        best_pair = 2 - min(2, max(spare.values(), default=0))
        fewest = min(fewest, short + best_pair)
    return fewest


@pytest.mark.parametrize(("tiles", "sets", "hands"), [(1, 0, 20), (4, 1, 300), (7, 2, 60)])
def test_the_number_is_that_of_all_complete_hands_tried(tiles: int, sets: int, hands: int) -> None:
    """One less than the tiles missing from the nearest, for hands with many melds."""
    random = Random(tiles)
    for _ in range(hands):
        hand = dealt(random, tiles)

        assert shanten(hand)[Shape.REGULAR] == missing(hand, sets) - 1, hand


def test_ready_is_what_a_tile_completes() -> None:
    """0 in some shape exactly when a tile completes the hand; waits are those that may be left."""
    random = Random(5)
    for _ in range(150):
        hand = dealt(random, random.choice([4, 7, 10, 13]))
        complete = completing(hand.concealed, hand.melds)

        assert (min(shanten(hand).values()) == 0) == bool(complete), hand
        assert set(waits(hand)) == {tile for tile in complete if counted(hand.all_tiles)[tile] < COPIES}


def test_one_exchange_brings_every_shape_nearer_by_one_and_no_more() -> None:
    """There is a tile to draw and one to discard, for each shape that is not ready."""
    random = Random(6)
    for _ in range(3):
        hand = dealt(random, 13)
        before = shanten(hand)
        after = [
            shanten(Hand((*hand.concealed[:out], *hand.concealed[out + 1 :], tile)))
            for out in range(13)
            for tile in ALL_TILES
            if tile not in hand.concealed or hand.concealed.count(tile) < COPIES
        ]
        for shape, number in before.items():
            nearest = min(numbers[shape] for numbers in after)
            assert nearest == number - 1 if number else nearest >= 0, (hand, shape)
