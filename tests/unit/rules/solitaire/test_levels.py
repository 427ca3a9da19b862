"""The numbered levels: the same for everybody and for ever, rising in difficulty."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

import pytest

from libs.rules.solitaire.certificate import replay
from libs.rules.solitaire.difficulty import difficulty
from libs.rules.solitaire.levels import (
    LEVEL_COUNT,
    MATCHING,
    PAIRING,
    deal_recipe,
    is_hard,
    is_level,
    lends_recipe,
    level_deal,
    recipe,
)
from libs.rules.solitaire.prng import public_seed
from libs.rules.tiles import ORDINARY

GOLDEN_SHA256 = {
    1: "e7c304b5b12ae851fdc6c8a0b28908bbcb460337f64b9fce00cebf791a1b42e4",
    2: "92145d2ee8d08f66926bce1844065957651fe238f9e0ba0045f03e23a8c6de4e",
    10: "d9cd549db4243df969176f0c6959df5d80eacb6908f2a73856359f73f87c2f9a",
    30: "bcbb99d37ed664463f33e737233dcd8a5f549e67a6b2c99fdfb32fc076862a73",
    31: "7b2bf3f984f43d82029f23dfd2062435da305e944c2d200177a406d80d9b15f8",
    100: "32caadad3b9098eb7a30cd9af39a410069e1776f86b5d2cceb47685474fc01e0",
    777: "ec2d52a5a33154d3582a7c4d403aef231880b1b2e2a0948a1beb7626867eed08",
    2000: "c6b2252627c1f95b283392332bea35b93ef69017b7f11340dc707906c602efc6",
    5001: "17519b839adfc1b4675cd5edc80b464b103c54d3f3d428009ad74c2c0101566b",
    8888: "be45eeefbf8baabf1bf634ce0f718e40b5802a572954d7010d80cf56bb7b5400",
    10000: "83469919e1fbeb6c6fbd7c12ec74ada2a0ae6c65620ba4a12fdf9bea796df7c7",
    11000: "ec952806dc89f2efc4694759a01c88b95b17fc2e31a317219207863ac97ab136",
}
BLOCKS = (1, 101, 501, 2001, 5001, 8001)
"""First levels of the sampled blocks."""


def sha256_of(number: int) -> str:
    """A hash over everything that a level is."""
    level = level_deal(number)
    whole = [level.catalogue_version, [*map(list, level.layout.tiles)], level.faces, level.certificate]
    return hashlib.sha256(json.dumps(whole).encode()).hexdigest()


@pytest.mark.parametrize("number", GOLDEN_SHA256)
def test_a_level_is_the_same_for_ever(number: int) -> None:
    """Places, faces and certificate hash to the golden value."""
    assert sha256_of(number) == GOLDEN_SHA256[number]


@pytest.mark.parametrize("number", [1, 10, 99, 100, 1_234, 4_999, 5_000, 9_990, 10_001, 11_000])
def test_a_level_is_solvable_with_ordinary_faces(number: int) -> None:
    """The certificate clears it under the rules of the Rivals modes."""
    level = level_deal(number)

    assert replay(level.layout, level.faces, level.layout.full, level.certificate, MATCHING, PAIRING)
    assert set(level.faces) <= set(ORDINARY)


def test_there_are_11_000_levels() -> None:
    """From 1 to 11,000, without 0."""
    assert LEVEL_COUNT == 11_000
    assert [is_level(number) for number in (0, 1, 11_000, 11_001, -1)] == [False, True, True, False, False]


def test_numbers_divisible_by_10_are_hard() -> None:
    """1,100 of them."""
    assert [number for number in range(1, 31) if is_hard(number)] == [10, 20, 30]


def test_the_last_thousand_levels_lend_nothing_to_competitive_rounds() -> None:
    """10,001 to 11,000 belong to single player alone."""
    assert [lends_recipe(number) for number in (1, 10_000, 10_001, 11_000)] == [True, True, False, False]


def test_every_level_has_a_recipe_whose_layout_exists() -> None:
    """The table has no hole."""
    sizes = {recipe(number).layout_name for number in range(1, LEVEL_COUNT + 1)}

    assert len(sizes) >= 12


def test_the_first_thirty_levels_are_small_and_friendly() -> None:
    """34 tiles or fewer: cleared in under two minutes."""
    assert all(level_deal(number).layout.size <= 34 for number in range(1, 31))


def test_a_borrowed_recipe_never_gives_the_faces_of_its_level() -> None:
    """A level everybody can practise would give a competitive deal away."""
    fresh = deal_recipe(recipe(777), public_seed("a fresh seed"))

    assert fresh.faces != level_deal(777).faces
    assert len(fresh.faces) == len(level_deal(777).faces)


def mean_difficulty(numbers: Iterable[int], plays: int = 4) -> float:
    """The mean difficulty figure of these levels."""
    figures = []
    for number in numbers:
        level = level_deal(number)
        seed = public_seed("test/difficulty", number)
        figures.append(difficulty(level.layout, level.faces, MATCHING, PAIRING, plays, seed))
    return sum(figures) / len(figures)


def test_difficulty_rises_over_sampled_blocks_of_ordinary_levels() -> None:
    """From stage to stage ordinary levels get harder."""
    means = [mean_difficulty(n for n in range(first, first + 30) if not is_hard(n)) for first in BLOCKS]

    assert means == sorted(means)


@pytest.mark.parametrize("first", BLOCKS[1:])
def test_hard_levels_are_harder_than_the_ordinary_ones_around_them(first: int) -> None:
    """In every later stage the HARD levels stand above their neighbours."""
    ordinary = mean_difficulty((n for n in range(first, first + 140, 5) if not is_hard(n)), plays=3)
    hard = mean_difficulty(range(first + 9, first + 149, 10), plays=3)

    assert hard > ordinary


def test_the_first_hard_levels_are_harder_than_the_first_ordinary_ones() -> None:
    """Level 10, 20 and 30 against all others up to 30."""
    ordinary = mean_difficulty(n for n in range(1, 31) if not is_hard(n))

    assert mean_difficulty((10, 20, 30), plays=30) > ordinary + 0.05
