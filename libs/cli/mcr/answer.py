"""What is said about a hand, as documents."""

from __future__ import annotations

from typing import Any

from libs.cli.line_file import LineFault
from libs.cli.mcr.record import ScoreRecord, ShantenRecord
from libs.kernel import mcr
from libs.rules.mcr.decompose import Part, Reading
from libs.rules.mcr.hand import NotAHandError
from libs.rules.mcr.melds import Set
from libs.rules.mcr.profile import Profile
from libs.rules.mcr.score import Outcome
from libs.rules.mcr.shanten import in_reach
from libs.rules.mcr.tiles import NOTATION


def score_answer(record: ScoreRecord, profile: Profile) -> dict[str, Any]:
    """Outcome, total, fans and decomposition; the total of what is not complete is None. Raises LineFault."""
    try:
        best = mcr.score(record.hand, record.win, profile)
    except NotAHandError as error:
        raise LineFault(str(error)) from error
    if best is None:
        return {
            "id": record.name,
            "outcome": Outcome.NOT_WINNING,
            "total_without_flowers": None,
            "fans": {},
            "decomposition": None,
        }
    return {
        "id": record.name,
        "outcome": best.outcome,
        "total_without_flowers": best.total_without_flowers,
        "fans": best.fans,
        "decomposition": decomposition(best.reading(record.hand)),
    }


def shanten_answer(record: ShantenRecord) -> dict[str, Any]:
    """The shanten number of each shape and their least; what a ready hand waits for. Raises LineFault."""
    try:
        numbers: dict[str, int] = {str(shape): number for shape, number in mcr.shanten(record.hand).items()}
    except NotAHandError as error:
        raise LineFault(str(error)) from error
    least = min(numbers.values())
    told: dict[str, Any] = {"id": record.name, "shanten": numbers | {"min": least}}
    if least == 0:
        told["waits"] = [NOTATION[tile] for tile in in_reach(record.hand, mcr.completing(record.hand))]
    return told


def decomposition(reading: Reading) -> dict[str, Any]:
    """The reading: shape, sets, pair, knitted straight, and what the last tile completed."""
    return {
        "shape": reading.shape,
        "sets": [_set(one) for one in reading.sets],
        "pair": None if reading.pair is None else NOTATION[reading.pair],
        "knitted": [NOTATION[tile] for tile in reading.knitted],
        "completed": str(reading.completed) if isinstance(reading.completed, Part) else reading.completed,
    }


def _set(one: Set) -> dict[str, Any]:
    """A set as the score files write melds."""
    return {
        "type": one.kind,
        "tile": NOTATION[one.tile],
        "melded": one.melded,
        "concealed": one.concealed,
    }
