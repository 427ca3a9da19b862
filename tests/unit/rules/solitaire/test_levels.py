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
    2: "bbf965350aaf839dd2d83c58a80afc79a51586789871d93920be2457b353599b",
    10: "7f77ceda9cde62fa5749bcf649a4c7cff6a5f04d4ed18989c7bdfb7fe7b96296",
    30: "b20628f697c29a812767f23c1dbf0578eb2ec7e767cc2c32037d6a183510377d",
    31: "7b2bf3f984f43d82029f23dfd2062435da305e944c2d200177a406d80d9b15f8",
    100: "32caadad3b9098eb7a30cd9af39a410069e1776f86b5d2cceb47685474fc01e0",
    777: "ec2d52a5a33154d3582a7c4d403aef231880b1b2e2a0948a1beb7626867eed08",
    2000: "c6b2252627c1f95b283392332bea35b93ef69017b7f11340dc707906c602efc6",
    5001: "8c971e06e1a7f0014704e57d5bc64bf4ba1e17fc81fdebfec4da30b650b84d7f",
    8888: "d771b9bd02dd25c5a172140bbc50dc8f9474e043f7194362e9da56001d1daf77",
    10000: "000cee9b086211acbd9cc050dec36c09e821a71255bf43e012f5682c62dd49cc",
    11000: "f6c4f20bbfa13c6a30beda467d3e8b0a8925cc90658123f09bd6902ca9a30893",
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


def mean_difficulty(numbers: Iterable[int]) -> float:
    """The mean difficulty figure of these levels."""
    figures = []
    for number in numbers:
        level = level_deal(number)
        seed = public_seed("test/difficulty", number)
        figures.append(difficulty(level.layout, level.faces, MATCHING, PAIRING, 4, seed))
    return sum(figures) / len(figures)


def test_difficulty_rises_over_sampled_blocks_and_hard_levels_stand_out() -> None:
    """From stage to stage ordinary levels get harder, and HARD ones are harder than their neighbours."""
    ordinary = [mean_difficulty(n for n in range(first, first + 30) if not is_hard(n)) for first in BLOCKS]
    hard = [mean_difficulty(range(first + 9, first + 109, 10)) for first in BLOCKS[1:]]

    assert ordinary == sorted(ordinary)
    assert all(harder > usual + 0.1 for harder, usual in zip(hard, ordinary[1:], strict=True))
