"""Deals and the difficulty figure from the compiled kernel.

The same functions, arguments and results as `libs/rules/solitaire/{deal,difficulty,levels}.py`, bit for bit;
those define them and answer instead where the kernel is not built.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from struct import Struct, unpack_from
from typing import Final

from libs.kernel.library import groups_of, handle_of, library
from libs.rules.solitaire import deal as definition
from libs.rules.solitaire import difficulty as figure
from libs.rules.solitaire import levels
from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.deal import FILLS_MAX, PLAYS_A_FILL, Deal, FacePair, NoDeal
from libs.rules.solitaire.layouts import TILES_MAX, Layout
from libs.rules.solitaire.levels import LevelDeal, Recipe
from libs.rules.solitaire.prng import SEED_BYTES, child_seed
from libs.rules.tiles import Face

YES, BAD_INPUT = 1, -2
PLAYS_MAX: Final = 2**31 - 1
FACES_KEPT: Final = 64

_Tiles = ctypes.c_int16 * TILES_MAX
_PAIR: Final = Struct("hh")


def _declared() -> ctypes.CDLL | None:
    """The kernel, when it is built and deals."""
    kernel = library()
    if kernel is None:
        return None
    where, number = ctypes.c_void_p, ctypes.c_int32
    try:
        kernel.sk_deal.argtypes = [
            where,
            ctypes.c_char_p,
            number,
            ctypes.c_char_p,
            number,
            number,
            where,
            where,
        ]
        kernel.sk_stuck.argtypes = [where, ctypes.c_char_p, number, ctypes.c_char_p, number]
    except AttributeError:
        return None
    kernel.sk_deal.restype = kernel.sk_stuck.restype = number
    return kernel


_KERNEL = _declared()


def deal(
    layout: Layout, face_pairs: Sequence[FacePair], matching: Matching, pairing: Pairing, seed: bytes
) -> Deal | NoDeal:
    """The deal of this seed (32 bytes): the same on every machine."""
    if _KERNEL is None:
        return definition.deal(layout, face_pairs, matching, pairing, seed)
    assert 2 * len(face_pairs) == layout.size, "the faces must fill the board"
    assert len(seed) == SEED_BYTES, "a seed has 256 bits"
    in_order, groups = _in_order(tuple(face_pairs), matching)
    order, line = _Tiles(), _Tiles()
    size = layout.size
    answer = _KERNEL.sk_deal(
        handle_of(_KERNEL, layout).address,
        groups,
        pairing is Pairing.LIFT,
        seed,
        FILLS_MAX,
        PLAYS_A_FILL,
        order,
        line,
    )
    if answer == YES:
        faces: tuple[Face, ...] = itemgetter(*unpack_from(f"{size}h", order))(in_order)
        return Deal(faces, tuple(_PAIR.iter_unpack(memoryview(line).cast("B")[: 2 * size])))
    assert answer != BAD_INPUT, "faces, layout and seed have been checked"
    return definition.constructed_deal(layout, face_pairs, pairing, child_seed(seed, "constructed"))


@lru_cache(maxsize=FACES_KEPT)
def _in_order(face_pairs: tuple[FacePair, ...], matching: Matching) -> tuple[tuple[Face, ...], bytes]:
    """The faces as the definition shuffles them, and their match groups."""
    faces = tuple(face for pair in face_pairs for face in pair)
    return faces, groups_of(len(faces), faces, matching)


def difficulty(
    layout: Layout, faces: Sequence[Face], matching: Matching, pairing: Pairing, plays: int, seed: bytes
) -> float:
    """The share, 0.0 to 1.0, of `plays` careful random plays of the whole board that get stuck."""
    if _KERNEL is None:
        return figure.difficulty(layout, faces, matching, pairing, plays, seed)
    assert len(seed) == SEED_BYTES, "a seed has 256 bits"
    assert 0 < plays <= PLAYS_MAX, "a share of plays"
    stuck = _KERNEL.sk_stuck(
        handle_of(_KERNEL, layout).address,
        groups_of(layout.size, faces, matching),
        pairing is Pairing.LIFT,
        seed,
        plays,
    )
    assert stuck != BAD_INPUT, "every tile has a face"
    return int(stuck) / plays


def deal_recipe(made: Recipe, seed: bytes) -> Deal:
    """The deal of a recipe with the faces of this seed (32 bytes)."""
    return levels.deal_recipe(made, seed, deal)


def level_deal(number: int) -> LevelDeal:
    """Level `number`, 1 to LEVEL_COUNT, as everybody gets it."""
    return levels.level_deal(number, deal)
