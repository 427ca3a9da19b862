"""How a race is dealt: a layout of the right size, whole groups of four of random faces, a secret seed."""

from __future__ import annotations

import hashlib
from functools import cache

from libs.kernel import deal
from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.catalogue import CATALOGUE_VERSION, layout, layout_names
from libs.rules.solitaire.commitment import commitment
from libs.rules.solitaire.deal import FacePair, NoDeal, rivals_face_pairs
from libs.rules.solitaire.levels import Recipe
from libs.rules.solitaire.prng import Prng, child_seed
from libs.rules.tiles import FLOWERS, ORDINARY, SEASONS, Face
from services.match.domain.race.settings import BONUS_TILES, Difficulty, Settings
from services.match.domain.race.terms import RaceDeal

PAIRING = Pairing.BOTH_FREE


@cache
def layouts_of(tiles: int) -> tuple[str, ...]:
    """The layouts of the catalogue with so many tiles."""
    return tuple(name for name in layout_names() if layout(name).size == tiles)


def deal_race(settings: Settings, difficulty: Difficulty, seed: bytes, nonce: bytes) -> RaceDeal:
    """The deal of a fresh seed, which also chooses the layout; some milliseconds of work."""
    names = layouts_of(settings.tiles(difficulty))
    name = names[Prng(child_seed(seed, "layout")).below(len(names))]
    board, distinct = layout(name), distinct_faces(difficulty)
    pairs = face_pairs(settings, difficulty, Prng(child_seed(seed, "faces")))
    dealt = deal(board, pairs, settings.matching, PAIRING, child_seed(seed, "board"))
    assert not isinstance(dealt, NoDeal), "every layout of the catalogue can be dealt"
    return RaceDeal(
        difficulty=difficulty,
        catalogue_version=CATALOGUE_VERSION,
        layout=board,
        layout_title=name.title(),
        distinct_faces=distinct,
        faces=dealt.faces,
        certificate=dealt.certificate,
        seed=seed,
        nonce=nonce,
        commitment=commitment(nonce, CATALOGUE_VERSION, Recipe(name, distinct), seed),
    )


def distinct_faces(difficulty: Difficulty) -> int:
    """Groups of four, and one of two where the count needs it."""
    return -(-difficulty.tiles // 4)


def face_pairs(settings: Settings, difficulty: Difficulty, prng: Prng) -> list[FacePair]:
    """The faces of a board, two matching ones together; with flowers and seasons one of each of the eight."""
    pairs = rivals_face_pairs(difficulty.tiles, len(ORDINARY), ORDINARY, prng)
    if settings.flowers_and_seasons:
        pairs += [*_twos(prng.shuffled(FLOWERS)), *_twos(prng.shuffled(SEASONS))]
    assert 2 * len(pairs) == difficulty.tiles + (BONUS_TILES if settings.flowers_and_seasons else 0)
    return pairs


def deal_sha256(dealt: RaceDeal) -> bytes:
    """What is the same for two deals exactly when they lay the same faces on the same layout."""
    return hashlib.sha256("/".join((dealt.layout.name, *dealt.faces)).encode()).digest()


def matching_of(dealt: RaceDeal) -> Matching:
    """Which faces make a pair on this board: its size tells whether it has flowers and seasons."""
    plain = dealt.layout.size == dealt.difficulty.tiles
    return Matching.EXACT if plain else Matching.FLOWERS_SEASONS


def _twos(faces: list[Face]) -> list[FacePair]:
    return list(zip(faces[::2], faces[1::2], strict=True))
