"""Faces: the symbols on the tiles, and their notation.

34 ordinary faces (`1m`-`9m` characters, `1p`-`9p` circles, `1s`-`9s` bamboos, `We Ws Ww Wn` winds,
`Dr Dg Dw` dragons) and 8 bonus faces (`Fl1`-`Fl4` plum, orchid, chrysanthemum, bamboo; `Se1`-`Se4`
spring, summer, autumn, winter).
"""

from __future__ import annotations

from typing import Final, NewType

Face = NewType("Face", str)
"""One symbol in the notation above; many tiles show the same face."""

CHARACTERS: Final = tuple(Face(f"{rank}m") for rank in range(1, 10))
CIRCLES: Final = tuple(Face(f"{rank}p") for rank in range(1, 10))
BAMBOOS: Final = tuple(Face(f"{rank}s") for rank in range(1, 10))
WINDS: Final = tuple(Face(f"W{direction}") for direction in "eswn")
DRAGONS: Final = tuple(Face(f"D{colour}") for colour in "rgw")
FLOWERS: Final = tuple(Face(f"Fl{number}") for number in range(1, 5))
SEASONS: Final = tuple(Face(f"Se{number}") for number in range(1, 5))

ORDINARY: Final = CHARACTERS + CIRCLES + BAMBOOS + WINDS + DRAGONS
BONUS: Final = FLOWERS + SEASONS
ALL_FACES: Final = ORDINARY + BONUS


def is_flower(face: Face) -> bool:
    """Whether the face is one of the four flowers."""
    return face in FLOWERS


def is_season(face: Face) -> bool:
    """Whether the face is one of the four seasons."""
    return face in SEASONS


def parse_face(text: str) -> Face | None:
    """The face that `text` names, or None: the notation is exact, nothing is trimmed or folded."""
    return Face(text) if text in ALL_FACES else None
