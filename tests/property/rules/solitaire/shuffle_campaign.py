"""Shuffle many stuck positions and prove every answer.

    python -m tests.property.rules.solitaire.shuffle_campaign --positions 10000 --layouts FOLDER

It tells what came out as JSON, and ends with 1 where an answer was wrong. A folder of layout files
(`{"name": ..., "tiles": [[x, y, z], ...]}`) is used beside the layouts of the catalogue.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, islice
from pathlib import Path
from typing import Final

from libs.kernel import solve
from libs.rules.solitaire.bitset import bits
from libs.rules.solitaire.board import Matching, Pairing, is_free, match_key
from libs.rules.solitaire.certificate import replay
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.shuffle import (
    Moved,
    NoPairPossible,
    Shuffled,
    ShuffledWithPair,
    shuffle_pool,
    shuffle_race,
)
from libs.rules.solitaire.solver import Solved
from tests.property.rules.solitaire.random_boards import Board, plainly_free
from tests.property.rules.solitaire.stuck_positions import Stuck, own_layouts, stuck_positions

BRUTE_TILES_MAX: Final = 14
"""Up to so many tiles every order of going is tried where no arrangement is said to be solvable."""


@dataclass
class Findings:
    """What came out so far."""

    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    tiles: int = 0
    refusals_tried_out: int = 0
    search_nodes_max: int = 0
    seconds_max: float = 0.0

    @property
    def moved(self) -> int:
        """Races whose tiles went to other places."""
        return self.outcomes["race moved, proved"] + self.outcomes["race moved, undecided"]

    @property
    def refused(self) -> int:
        """Pools without a possible pair."""
        return self.outcomes["pool impossible"]


def examine(position: Stuck, findings: Findings) -> None:
    """Shuffle a position as a race and as a pool, and check both answers."""
    findings.tiles += position.present.bit_count()
    began = time.perf_counter()
    race = shuffle_race(
        position.layout,
        position.faces,
        position.present,
        position.matching,
        position.pairing,
        position.deal_certificate,
        position.seed,
    )
    findings.seconds_max = max(findings.seconds_max, time.perf_counter() - began)
    pool = shuffle_pool(
        position.layout,
        position.faces,
        position.present,
        Matching.BONUS_ANY,
        Pairing.BOTH_FREE,
        position.seed,
    )
    wrong = [*_faults_of_race(position, race, findings), *_faults_of_pool(position, pool, findings)]
    findings.faults += [f"{position.layout.name} {position.present:x}: {fault}" for fault in wrong]


def _faults_of_race(position: Stuck, race: Shuffled | Moved, findings: Findings) -> list[str]:
    faults = []
    layout, before = position.layout, position.present
    present = race.present if isinstance(race, Moved) else before
    rules = position.matching, position.pairing
    if isinstance(race, Shuffled):
        findings.outcomes["race spread" if race.is_spread else "race laid along a line"] += 1
        if any(race.faces[tile] != position.faces[tile] for tile in bits(layout.full & ~before)):
            faults.append("a tile that has gone changed its face")
    else:
        proved = type(race.why).__name__ == "NoBlindLine"
        findings.outcomes["race moved, proved" if proved else "race moved, undecided"] += 1
        findings.search_nodes_max = max(findings.search_nodes_max, race.why.nodes)
        if proved and before.bit_count() <= BRUTE_TILES_MAX:
            findings.refusals_tried_out += 1
            if _clears(layout, before):
                faults.append("moved although an arrangement is solvable")
    if _faces(race.faces, present) != _faces(position.faces, before):
        faults.append("other faces than before")
    if not replay(layout, race.faces, present, race.certificate, *rules):
        faults.append("the certificate does not clear the position")
    if not isinstance(solve(layout, race.faces, present, *rules), Solved):
        faults.append("the solver does not call it solvable")
    return faults


def _faults_of_pool(
    position: Stuck, pool: ShuffledWithPair | NoPairPossible, findings: Findings
) -> list[str]:
    layout, present = position.layout, position.present
    if isinstance(pool, NoPairPossible):
        findings.outcomes["pool impossible"] += 1
        plain = Board(layout, position.faces, frozenset(bits(present)))
        free = [tile for tile in plain.tiles if plainly_free(plain, tile)]
        return ["refused although two tiles are free"] if len(free) > 1 else []
    findings.outcomes["pool shuffled"] += 1
    first, second = pool.pair
    faults = []
    if _faces(pool.faces, present) != _faces(position.faces, present):
        faults.append("pool: other faces than before")
    matching = match_key(Matching.BONUS_ANY, pool.faces[first]) == match_key(
        Matching.BONUS_ANY, pool.faces[second]
    )
    if not (matching and is_free(layout, present, first) and is_free(layout, present, second)):
        faults.append("pool: no pair where one is named")
    return faults


def _faces(faces: tuple[str, ...], present: int) -> Counter[str]:
    return Counter(faces[tile] for tile in bits(present))


def _clears(layout: Layout, position: int) -> bool:
    """Whether any order of going clears the places under both_free: all are tried, with nothing clever."""

    @cache
    def clears(present: int) -> bool:
        free = [tile for tile in bits(present) if is_free(layout, present, tile)]
        return not present or any(clears(present & ~(1 << a | 1 << b)) for a, b in combinations(free, 2))

    return clears(position)


def main() -> int:
    """Run the campaign and tell its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=10_000)
    parser.add_argument("--layouts", type=Path, help="a folder of further layouts")
    asked = parser.parse_args()
    layouts = own_layouts()
    for file in sorted(asked.layouts.glob("*.json")) if asked.layouts else ():
        told = json.loads(file.read_text())
        layouts += (Layout.parse(told["name"], [(x, y, z) for x, y, z in told["tiles"]]),)
    findings, began = Findings(), time.perf_counter()
    for number, position in enumerate(islice(stuck_positions(layouts), asked.positions), 1):
        examine(position, findings)
        if number % 1_000 == 0:
            sys.stderr.write(f"{number} positions, {len(findings.faults)} faults\n")
    figures = {
        "positions": asked.positions,
        "layouts": len(layouts),
        "tiles_mean": round(findings.tiles / asked.positions, 1),
        "outcomes": dict(sorted(findings.outcomes.items())),
        "moves_tried_out_in_full": findings.refusals_tried_out,
        "search_nodes_max": findings.search_nodes_max,
        "race_seconds_max": round(findings.seconds_max, 3),
        "seconds": round(time.perf_counter() - began, 1),
        "faults": findings.faults,
    }
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
    return 1 if findings.faults else 0


if __name__ == "__main__":
    sys.exit(main())
