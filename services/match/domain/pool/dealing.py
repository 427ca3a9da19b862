"""How a game of the pool is dealt: 144 tiles, four of each ordinary face and one of each bonus face.

The seed, 256 secret bits, chooses the layout and lays the faces so that the board can be cleared. It also
decides every shuffle: what is published before and opened afterwards binds them too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from typing import Final

from libs.kernel import deal as lay_faces
from libs.rules.solitaire.catalogue import CATALOGUE_VERSION, layout, layout_names
from libs.rules.solitaire.commitment import commitment
from libs.rules.solitaire.deal import Deal, FacePair, NoDeal
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.levels import Recipe
from libs.rules.solitaire.prng import Prng, child_seed
from libs.rules.solitaire.shuffle import NoPairPossible, ShuffledWithPair, shuffle_pool
from libs.rules.tiles import ALL_FACES, BONUS, ORDINARY
from services.match.domain.pool.board import PoolBoard
from services.match.domain.pool.terms import MATCHING, PAIRING, TILES, PoolDeal

DISTINCT_FACES: Final = len(ALL_FACES)


@cache
def pool_layouts() -> tuple[str, ...]:
    """The layouts of the catalogue that hold all 144 tiles, by name."""
    return tuple(sorted(name for name in layout_names() if layout(name).size == TILES))


def layout_of(seed: bytes) -> Layout:
    """The layout that a seed chooses."""
    names = pool_layouts()
    return layout(names[Prng(child_seed(seed, "layout")).below(len(names))])


def pool_face_pairs(seed: bytes) -> list[FacePair]:
    """The faces of all tiles, two matching ones together; which bonus tiles go together is chance."""
    ordinary = [(face, face) for face in ORDINARY for _ in range(2)]
    bonus = Prng(child_seed(seed, "bonus")).shuffled(BONUS)
    return [*ordinary, *zip(bonus[::2], bonus[1::2], strict=True)]


def lay(seed: bytes) -> tuple[Layout, Deal]:
    """The layout of a seed and the faces on it, with pairs that clear it; some milliseconds of work."""
    board = layout_of(seed)
    dealt = lay_faces(board, pool_face_pairs(seed), MATCHING, PAIRING, child_seed(seed, "board"))
    assert not isinstance(dealt, NoDeal), "every layout of the pool can be dealt"
    return board, dealt


def deal_pool(seed: bytes, nonce: bytes) -> PoolDeal:
    """The deal of a fresh seed, bound by the hash over seed and nonce."""
    board, dealt = lay(seed)
    return PoolDeal(
        catalogue_version=CATALOGUE_VERSION,
        layout=board,
        layout_title=board.name.title(),
        faces=dealt.faces,
        seed=seed,
        nonce=nonce,
        commitment=commitment(nonce, CATALOGUE_VERSION, Recipe(board.name, DISTINCT_FACES), seed),
    )


def deal_sha256(deal: PoolDeal) -> bytes:
    """What is the same for two deals exactly when they lay the same faces on the same layout."""
    return hashlib.sha256("/".join((deal.layout.name, *deal.faces)).encode()).digest()


def shuffle(board: PoolBoard, seed: bytes, number: int) -> ShuffledWithPair | NoPairPossible:
    """The shuffle of this number (from 1) of a game: of equal boards the same for every seat."""
    chance = child_seed(seed, f"shuffle/{number}")
    return shuffle_pool(board.layout, board.faces, board.present, MATCHING, PAIRING, chance)


def certificate_of(seed: bytes) -> Sequence[tuple[int, int]]:
    """Pairs that clear the deal of a seed."""
    return lay(seed)[1].certificate
