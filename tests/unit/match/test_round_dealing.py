"""Competitive deals: recipes that levels lend, faces from a fresh seed, a commitment that binds."""

from __future__ import annotations

import hashlib

from libs.rules.solitaire.catalogue import CATALOGUE_VERSION, layout
from libs.rules.solitaire.commitment import commitment
from libs.rules.solitaire.levels import LENDING_LEVELS_MAX, Recipe, deal_recipe, level_deal, recipe
from services.match.domain.rivals.dealing import deal_round, lending_levels

SEED, NONCE = bytes(range(32)), bytes(range(100, 132))


def test_levels_1_to_10000_lend_their_recipes() -> None:
    """HARD ones included, later ones never."""
    levels = lending_levels(144)

    assert levels == tuple(range(1, LENDING_LEVELS_MAX + 1))


def test_boards_can_be_limited() -> None:
    """Only layouts of at most so many tiles."""
    levels = lending_levels(36)

    assert {layout(recipe(level).layout_name).size for level in levels} == {18, 22, 24, 26, 28, 34}


def test_a_round_never_gets_a_levels_faces() -> None:
    """Its seed is not the public one, so neither is its board."""
    for number in (1, 10, 31):
        dealt = deal_round((number,), SEED, NONCE)
        assert dealt.level == number
        assert dealt.layout.name == recipe(number).layout_name
        assert dealt.faces != level_deal(number).faces


def test_the_seed_determines_the_deal() -> None:
    """The same seed deals the same, another seed another board."""
    levels = lending_levels(36)

    assert deal_round(levels, SEED, NONCE) == deal_round(levels, SEED, NONCE)
    assert deal_round(levels, SEED, NONCE).faces != deal_round(levels, bytes(32), NONCE).faces


def test_the_reveal_deals_the_same_board_again() -> None:
    """From recipe and seed alone."""
    dealt = deal_round(lending_levels(36), SEED, NONCE)

    assert deal_recipe(Recipe(dealt.layout.name, dealt.distinct_faces), SEED).faces == dealt.faces


def test_the_commitment_is_the_hash_of_its_five_fields() -> None:
    """Computed here by hand, as a player would."""
    fields = (NONCE, b"1", b"egg", b"4", SEED)
    by_hand = hashlib.sha256(b"".join(len(field).to_bytes(4) + field for field in fields)).digest()

    assert CATALOGUE_VERSION == 1
    assert commitment(NONCE, 1, Recipe("egg", 4), SEED) == by_hand


def test_the_commitment_binds_every_field() -> None:
    """Another nonce, version, layout, number of faces or seed is another hash."""
    hashes = {
        commitment(NONCE, 1, Recipe("egg", 4), SEED),
        commitment(SEED, 1, Recipe("egg", 4), SEED),
        commitment(NONCE, 2, Recipe("egg", 4), SEED),
        commitment(NONCE, 1, Recipe("nest", 4), SEED),
        commitment(NONCE, 1, Recipe("egg", 5), SEED),
        commitment(NONCE, 1, Recipe("egg", 4), NONCE),
    }
    assert len(hashes) == 6
