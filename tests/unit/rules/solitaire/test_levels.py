"""The numbered levels: the same for everybody and for ever, rising in difficulty."""

from __future__ import annotations

import hashlib
import json

import pytest

from libs.rules.solitaire.certificate import replay
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
    1: "7d83db7a1d7889729b7394e4f5f3c86ab658057963d0582bc749245d87f4a030",
    2: "59564b24273680ebd36fa8da0c3203eed0f880c4d024895c42b6d350a83d0a71",
    10: "da69830339011cb0b1ec65bed19ef93ce06a26d992ab9cb36ba94a51cd07e6b3",
    30: "8d1889c822a3f9223dbb12bb4dc5ed3bf4acb39341b597df17ff93c315ecea04",
    31: "6f9078945f44682b79afeebd6710f6989b20637f87e8aa18a94ca6dec674adc7",
    100: "9134f2bd641890dfae251a5808b6b7c32494f29e77957261cf78cdc46f725dc4",
    777: "2dc28968757b02bd19b60e8ca046b6064aa285445077ffcfe3088d97301cd9bc",
    2000: "5c7df8e5a8abfbfbe7606941106fd9f4521223d1eb7dc599e99b274797174f82",
    5001: "befb0944db04dc2ea5d705bed9573da02a346ab913cfafddf915a6b30d0c691b",
    8888: "6faf4bed87c83a23db1aa92aec76ca2a22f0ef0144d1f2a08137033a2e960075",
    10000: "64db5d2425bd8139ff28d651460d74050be779c7699debbe2f0429e5716a902c",
    11000: "a128ca30660698d2493bfabda33232b3a24668f552eb8401ea21356a8c3ecb58",
}


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
