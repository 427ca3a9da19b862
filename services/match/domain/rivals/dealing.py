"""How a competitive round is dealt: a recipe that levels lend, faces from a fresh secret seed."""

from __future__ import annotations

import hashlib

from libs.kernel import deal_recipe
from libs.rules.solitaire.catalogue import CATALOGUE_VERSION, layout
from libs.rules.solitaire.commitment import commitment
from libs.rules.solitaire.levels import LENDING_LEVELS_MAX, recipe
from libs.rules.solitaire.prng import Prng, child_seed
from services.match.domain.rivals.terms import RoundDeal


def lending_levels(tiles_max: int) -> tuple[int, ...]:
    """The levels whose recipe a round may borrow, on boards of at most so many tiles."""
    numbers = range(1, LENDING_LEVELS_MAX + 1)
    return tuple(number for number in numbers if layout(recipe(number).layout_name).size <= tiles_max)


def deal_round(levels: tuple[int, ...], seed: bytes, nonce: bytes) -> RoundDeal:
    """The deal of a fresh seed, which also chooses the level; some milliseconds of work."""
    level = levels[Prng(child_seed(seed, "level")).below(len(levels))]
    made = recipe(level)
    return RoundDeal(
        level=level,
        catalogue_version=CATALOGUE_VERSION,
        layout=layout(made.layout_name),
        layout_title=made.layout_name.title(),
        distinct_faces=made.distinct_faces,
        faces=deal_recipe(made, seed).faces,
        seed=seed,
        nonce=nonce,
        commitment=commitment(nonce, CATALOGUE_VERSION, made, seed),
    )


def deal_sha256(deal: RoundDeal) -> bytes:
    """What is the same for two deals exactly when they lay the same faces on the same layout."""
    return hashlib.sha256("/".join((deal.layout.name, *deal.faces)).encode()).digest()
