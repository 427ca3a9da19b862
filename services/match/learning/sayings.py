"""What the learning board says, in the player's language."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from libs.rules.solitaire.board import Closed, Covered
from libs.runtime.languages.catalogue import Catalogue
from libs.runtime.languages.negotiation import Language
from services.match.domain.learning.play import Outcome, Position
from services.match.domain.learning.script import Step

FOLDER: Final = Path(__file__).parent / "texts"
DOMAIN: Final = "learning"
COUNTED: Final = frozenset({"STEP_CLEAR"})
"""Texts that count the tiles that are left."""


@cache
def sayings() -> Catalogue:
    """Return the catalogue; it is read from its files once."""
    return Catalogue(FOLDER, DOMAIN)


def instruction(position: Position, language: Language) -> str:
    """Return what is asked at a position."""
    if position.step is not Step.CLEAR:
        return sayings().text(f"STEP_{position.step}", language)
    left = position.present.bit_count()
    return sayings().text("STEP_CLEAR", language, {"count": left}, count=left)


def explanation(outcome: Outcome, language: Language) -> str:
    """Return what came of an action, and where it was not what was asked, why."""
    values: dict[str, object] = {"tile": outcome.tile}
    match outcome.blocked:
        case Covered(by):
            values["tiles"] = _listed(by)
        case Closed(left, right):
            values |= {"left": _listed(left), "right": _listed(right)}
        case None:
            pass
    if outcome.pair is not None:
        values |= {"first": outcome.pair[0], "second": outcome.pair[1]}
    return sayings().text(f"NOTE_{outcome.note}", language, values)


def _listed(tiles: tuple[int, ...]) -> str:
    return ", ".join(map(str, tiles))
