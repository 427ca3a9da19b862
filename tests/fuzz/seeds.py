"""Recorded and random positions, as inputs of `drive.c`."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from libs.kernel import mcr, mcr_plan
from libs.rules.mcr.plan_terms import Rates
from libs.rules.mcr.tiles import KINDS
from libs.rules.solitaire.board import Matching, Pairing, match_key
from libs.rules.solitaire.layouts import Layout
from libs.rules.tiles import Face
from tests.property.kernel.agreement import small_positions
from tests.property.kernel.mcr_plans import questions
from tests.property.rules.mcr.random_hands import random_hands
from tests.unit.rules.solitaire.small_boards import OWN_DATA, SHARED_DATA, recorded

BUDGET = 20_000
UNKNOWN = -128
RANDOM_POSITIONS = 1_000
MCR_HANDS = 1_500
MIL_SWITCHES = 8 | 16 | 32
MCR_PLANS = 150
PLAN_AT = 25
PLAN_RATES = Rates([3_000] * KINDS, [5_000] * KINDS, [9_000] * KINDS)


def encoded(
    layout: Layout, faces: Sequence[Face], present: int, matching: Matching, pairing: Pairing
) -> bytes:
    """The position as `target.c` reads it, with room for eight pairs and a few deals."""
    numbers: dict[str, int] = {}
    groups = [numbers.setdefault(match_key(matching, face), len(numbers)) for face in faces]
    lift = pairing is Pairing.LIFT
    header = struct.pack("<HbbHbbHbb8s", layout.size, lift, 0, BUDGET, 2, 4, 8, 3, 2, b"sparrow!")
    tiles = b"".join(
        struct.pack("<bbbH", *tile, group) for tile, group in zip(layout.tiles, groups, strict=True)
    )
    return header + present.to_bytes(40, "little") + tiles


def records() -> Iterator[bytes]:
    """Every input with its size and the answer that is known for it."""
    for folder in (OWN_DATA, SHARED_DATA):
        for name in ("positions.jsonl", "lift.jsonl"):
            for p in recorded(folder / name) if (folder / name).exists() else []:
                data = encoded(p.layout, p.faces, p.present, p.matching, p.pairing)
                yield struct.pack("<Ib", len(data), p.solvable) + data
    wall = Layout.parse("wall", [(2 * x, 2 * y, z) for x in range(10) for y in range(5) for z in range(2)])
    one_face = (Face("1m"),) * wall.size  # beyond what the search can hold
    data = encoded(wall, one_face, wall.full, Matching.EXACT, Pairing.LIFT)
    yield struct.pack("<Ib", len(data), UNKNOWN) + data
    rules = [(matching, pairing) for matching in Matching for pairing in Pairing]
    for number, small in enumerate(small_positions(1, RANDOM_POSITIONS)):
        data = encoded(small.layout, small.faces, small.present, *rules[number % len(rules)])
        yield struct.pack("<Ib", len(data), UNKNOWN) + data
    for asked in random_hands(1, MCR_HANDS):
        data = mcr.batch([asked]) + bytes([MIL_SWITCHES])
        yield struct.pack("<Ib", len(data), UNKNOWN) + data
    for question in questions(1, MCR_PLANS):
        record, rates = mcr_plan.packed(question._replace(rates=PLAN_RATES))
        data = bytes(PLAN_AT) + record + struct.pack("<HHH", *rates[::KINDS])
        yield struct.pack("<Ib", len(data), UNKNOWN) + data
