"""The 34 kinds of tile that hands are made of, by index, and the notation of the score files.

Characters `1m`-`9m` are 0-8, circles `1p`-`9p` 9-17, bamboos `1s`-`9s` 18-26, winds `E S W N` 27-30, dragons
`C F P` (red, green, white) 31-33. Flowers are never part of a hand: they are a number beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NewType

TileIndex = NewType("TileIndex", int)
"""0 to 33; many tiles are of one kind."""

KINDS: Final = 34
COPIES: Final = 4
RANKS: Final = 9
SUITS: Final = 3

NOTATION: Final = (*(f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)), *"ESWNCFP")
_BY_NOTATION: Final = {text: TileIndex(tile) for tile, text in enumerate(NOTATION)}


def parse_tile(text: str) -> TileIndex | None:
    """The tile that `text` names, or None: the notation is exact, nothing is trimmed or folded."""
    return _BY_NOTATION.get(text)


def tile(text: str) -> TileIndex:
    """The tile of this notation. Raises KeyError for what is none: for texts that a program wrote itself."""
    return _BY_NOTATION[text]


def tiles(text: str) -> tuple[TileIndex, ...]:
    """The tiles of a list like `1m 9m E`. Raises KeyError as `tile` does."""
    return tuple(tile(part) for part in text.split())


def counted(held: Iterable[TileIndex]) -> list[int]:
    """How many there are of each of the 34 kinds."""
    counts = [0] * KINDS
    for one in held:
        counts[one] += 1
    return counts


def rank_of(tile: TileIndex) -> int:
    """1 to 9 of a suit tile, 0 of an honour."""
    return tile % RANKS + 1 if tile < FIRST_HONOR else 0


def suit_of(tile: TileIndex) -> int | None:
    """0 characters, 1 circles, 2 bamboos; None of an honour."""
    return tile // RANKS if tile < FIRST_HONOR else None


FIRST_HONOR: Final = SUITS * RANKS
ALL_TILES: Final = tuple(TileIndex(number) for number in range(KINDS))
SUIT_TILES: Final = frozenset(ALL_TILES[:FIRST_HONOR])
EAST: Final = tile("E")
WINDS: Final = frozenset(tiles("E S W N"))
DRAGONS: Final = frozenset(tiles("C F P"))
HONORS: Final = WINDS | DRAGONS
TERMINALS: Final = frozenset(one for one in SUIT_TILES if rank_of(one) in {1, 9})
ORPHANS: Final = TERMINALS | HONORS
"""Terminals and honours, of which Thirteen Orphans is made."""
GREEN: Final = frozenset(tiles("2s 3s 4s 6s 8s F"))
"""Tiles that are printed in green alone."""
REVERSIBLE: Final = frozenset(tiles("1p 2p 3p 4p 5p 8p 9p 2s 4s 5s 6s 8s 9s P"))
"""Tiles that look the same upside down."""


def ranked(lowest: int, highest: int) -> frozenset[TileIndex]:
    """The suit tiles of these ranks, both included."""
    return frozenset(one for one in SUIT_TILES if lowest <= rank_of(one) <= highest)
