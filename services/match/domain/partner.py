"""Which tile a joker takes with the lifted one: the same in every mode that has jokers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from libs.rules.solitaire.bitset import bits
from services.match.domain.position import Position

JOKERS_MAX: Final = 2
"""Jokers of one attempt, or of one seat in one round; a pending one counts."""

JOKER_DEADLINE: Final = timedelta(seconds=5)
"""After this a request that the ledger has not answered is given up."""


@dataclass(frozen=True, slots=True)
class Partner:
    """The tile that a joker removes with the lifted one, chosen by a solver."""

    present: int
    first: int
    second: int


@dataclass(frozen=True, slots=True)
class NeedsPartner:
    """A joker may take one of several partners. Ask a solver which is best, and decide again."""

    position: Position
    first: int
    candidates: tuple[int, ...]


def partner_of(position: Position, first: int, partner: Partner | None) -> int | NeedsPartner:
    """The partner: the only one there is, or the solver's choice for this very position."""
    face = position.faces[first]
    same = tuple(tile for tile in bits(position.present) if tile != first and position.faces[tile] == face)
    assert same, "a face is there an even number of times"
    if len(same) == 1:
        return same[0]
    if partner is None or (partner.present, partner.first) != (position.present, first):
        return NeedsPartner(position, first, same)
    return partner.second
