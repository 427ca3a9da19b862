"""How careful play fares on competitive deals: `python -m tests.bench.careful_play [SECONDS]`.

The thresholds of fair play stand on it: boards that were cleared, and crucial choices that were found, of
those that fair play counts (a board that was not cleared counts as one missed). Nearly all are the last
pair of a board that was cleared, so that the trials of the test are boards, one independent of the other.
"""

from __future__ import annotations

import json
import random
import sys
import time
from dataclasses import dataclass

from libs.kernel import available_pairs
from libs.rules.solitaire.board import free_mask
from libs.rules.solitaire.levels import MATCHING, PAIRING, is_hard
from services.match.domain.position import Position
from services.match.domain.rivals.dealing import deal_round, lending_levels
from services.match.domain.rivals.terms import RoundDeal
from services.match.rounds.referee import judge_position

SEED, NODES, WHIM = 5, 20_000, 0.5


@dataclass
class Fared:
    """Boards of one difficulty."""

    boards: int = 0
    cleared: int = 0
    found: int = 0


def play(deal: RoundDeal, rng: random.Random, into: Fared) -> None:
    """Take the pair that opens most, then the highest, now and then a little worse one, to the end."""
    present = deal.layout.full
    into.boards += 1
    while pairs := available_pairs(deal.layout, deal.faces, present, MATCHING, PAIRING):
        ranked = [(_worth(deal, present, pair) + WHIM * rng.random(), pair) for pair in pairs]
        first, second = max(ranked)[1]
        crucial = judge_position(Position(deal.layout, deal.faces, present), NODES).crucial
        into.found += crucial == (min(first, second), max(first, second))
        present &= ~(1 << first | 1 << second)
    into.cleared += present == 0


def _worth(deal: RoundDeal, present: int, pair: tuple[int, int]) -> float:
    after = present & ~(1 << pair[0] | 1 << pair[1])
    opened = (free_mask(deal.layout, after) & ~free_mask(deal.layout, present)).bit_count()
    return opened + 0.3 * sum(deal.layout.tiles[tile].z for tile in pair)


def main(seconds: float) -> None:
    """Play for so long; print a line of JSON a difficulty."""
    rng, levels = random.Random(SEED), lending_levels(144)
    fared = {False: Fared(), True: Fared()}
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        deal = deal_round(levels, rng.randbytes(32), rng.randbytes(32))
        play(deal, rng, fared[is_hard(deal.level)])
    for hard, one in fared.items():
        missed = one.boards - one.cleared
        share = one.found / max(1, one.found + missed)
        line = json.dumps({"hard": hard, **vars(one), "found_share": round(share, 3)})
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main(float(sys.argv[1]) if sys.argv[1:] else 30.0)
