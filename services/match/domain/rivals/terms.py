"""The words of a round: how pairs count, why seats go out, why rounds end, and what a deal is made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from libs.rules.solitaire.layouts import Layout
from libs.rules.tiles import Face

Pair = tuple[int, int]


class PairKind(StrEnum):
    """Why a pair is worth what it is worth."""

    PLAIN = "plain"
    PACE = "pace"
    """Faster than this seat's record."""
    CRUCIAL = "crucial"
    """The only available pair that kept the board solvable."""
    JOKER = "joker"


class OutReason(StrEnum):
    """Why a seat plays no further."""

    IDLE = "idle"
    """20 seconds without a pair."""
    LEFT = "left"


class EndReason(StrEnum):
    """Why a round is over for everybody."""

    CLEARED = "cleared"
    TIME = "time"
    ALL_OUT = "all_out"
    CUT = "cut"
    """The tournament ended: it counts as it stands."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What a solver says about a position: found outside, stored with the pair, never computed again."""

    present: int
    crucial: Pair | None
    """The crucial pair, lower tile first, if the position has one."""
    undecided: bool
    """The node budget ran out: it counts as not crucial."""
    nodes: int
    kernel: str
    """Which solver, and its version."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was judged about one pair that was removed."""

    crucial: bool
    undecided: bool
    nodes: int
    kernel: str


@dataclass(frozen=True, slots=True)
class RoundDeal:
    """A deal from a secret seed, on the recipe of a level; everything that the commitment covers."""

    level: int
    """Whose layout and number of distinct faces were borrowed."""
    catalogue_version: int
    layout: Layout
    layout_title: str
    distinct_faces: int
    faces: tuple[Face, ...]
    seed: bytes
    nonce: bytes
    commitment: bytes


@dataclass(frozen=True, slots=True)
class Reveal:
    """What the commitment of a deal covered."""

    catalogue_version: int
    layout_name: str
    distinct_faces: int
    seed: bytes
    nonce: bytes


def reveal_of(deal: RoundDeal) -> Reveal:
    """What there is to reveal of a deal."""
    return Reveal(deal.catalogue_version, deal.layout.name, deal.distinct_faces, deal.seed, deal.nonce)


@dataclass(frozen=True, slots=True)
class SeatEnd:
    """How one seat ended."""

    place: int
    """From 1; ties share it."""
    round_score: int
    cleared: bool
    tiles_left: int
