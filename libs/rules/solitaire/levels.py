"""The numbered levels: the same for everybody and for ever.

A level is its recipe, its number and its salt: the faces come from a public seed that the catalogue version,
the number and the salt determine. Competitive rounds borrow the recipe of a level from 1 to
LENDING_LEVELS_MAX, never its faces: they deal from a fresh seed with `deal_recipe`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.catalogue import CATALOGUE_VERSION, layout
from libs.rules.solitaire.certificate import Certificate
from libs.rules.solitaire.deal import Deal, FacePair, NoDeal, deal, rivals_face_pairs
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.level_salts import salt
from libs.rules.solitaire.level_stages import LEVEL_COUNT, is_hard, stage_board
from libs.rules.solitaire.prng import Prng, child_seed, public_seed
from libs.rules.tiles import ORDINARY, Face

__all__ = [
    "DIFFICULTY_PLAYS",
    "LENDING_LEVELS_MAX",
    "LEVEL_COUNT",
    "MATCHING",
    "PAIRING",
    "Dealer",
    "LevelDeal",
    "Recipe",
    "deal_recipe",
    "difficulty_seed",
    "is_hard",
    "is_level",
    "lends_recipe",
    "level_deal",
    "level_seed",
    "recipe",
]

LENDING_LEVELS_MAX: Final = 10_000
MATCHING: Final = Matching.EXACT
PAIRING: Final = Pairing.LIFT
DIFFICULTY_PLAYS: Final = 128
"""Careful random plays by which a level's difficulty is measured, with the seed `difficulty_seed`."""

Dealer = Callable[[Layout, Sequence[FacePair], Matching, Pairing, bytes], Deal | NoDeal]


@dataclass(frozen=True)
class Recipe:
    """What makes a level as hard as it is: everything but its faces."""

    layout_name: str
    distinct_faces: int
    """How many different faces the groups of four are drawn from: the more, the harder."""


@dataclass(frozen=True)
class LevelDeal:
    """A level ready to play."""

    level: int
    catalogue_version: int
    layout: Layout
    faces: tuple[Face, ...]
    certificate: Certificate


def is_level(number: int) -> bool:
    """Whether there is a level of this number."""
    return 1 <= number <= LEVEL_COUNT


def lends_recipe(number: int) -> bool:
    """Whether competitive rounds may borrow the recipe of the level."""
    return 1 <= number <= LENDING_LEVELS_MAX


def recipe(number: int) -> Recipe:
    """The recipe of level `number`, 1 to LEVEL_COUNT."""
    assert is_level(number), "level numbers are checked at the edge"
    return Recipe(*stage_board(number))


def level_deal(number: int, dealer: Dealer = deal) -> LevelDeal:
    """Level `number`, 1 to LEVEL_COUNT, as everybody gets it; `dealer` is `deal`, or the same but faster."""
    made = recipe(number)
    dealt = deal_recipe(made, level_seed(number, salt(number)), dealer)
    return LevelDeal(number, CATALOGUE_VERSION, layout(made.layout_name), dealt.faces, dealt.certificate)


def level_seed(number: int, attempt: int) -> bytes:
    """The public seed of a level's deal, for one of the attempts among which its salt chose."""
    return public_seed("sparrow/level", CATALOGUE_VERSION, number, attempt)


def difficulty_seed(number: int) -> bytes:
    """The public seed of the plays by which a level's difficulty is measured."""
    return public_seed("sparrow/difficulty", CATALOGUE_VERSION, number)


def deal_recipe(made: Recipe, seed: bytes, dealer: Dealer = deal) -> Deal:
    """The deal of a recipe with the faces of this seed (32 bytes)."""
    board = layout(made.layout_name)
    pairs = rivals_face_pairs(board.size, made.distinct_faces, ORDINARY, Prng(child_seed(seed, "faces")))
    dealt = dealer(board, pairs, MATCHING, PAIRING, child_seed(seed, "board"))
    assert not isinstance(dealt, NoDeal), "every layout of the catalogue can be dealt"
    return dealt
