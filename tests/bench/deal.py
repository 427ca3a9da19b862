"""How fast boards are dealt and measured: `sparrow bench deal [--json] [--deals N]`.

One thread, its CPU time, from Python. Boards are the Turtle with the 144 tiles of the race, flowers and
seasons among them, and the same places under lift, where bonus faces match exactly. Every timed deal is let
go before the next: keeping thousands is no part of the figure. One line of JSON per figure.
"""

from __future__ import annotations

import argparse
import time
from typing import Final

from libs import kernel
from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.deal import Deal
from libs.rules.solitaire.prng import public_seed
from tests.bench.figures import print_figure
from tests.bench.solver import deck, turtle

US: Final = 1_000
"""Nanoseconds."""
PLAYS: Final = 64
RULES: Final = {
    "deal.144": (Matching.FLOWERS_SEASONS, Pairing.BOTH_FREE),
    "deal.144.lift": (Matching.EXACT, Pairing.LIFT),
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="sparrow bench deal")
    parser.add_argument("--json", action="store_true", help="what is printed is JSON with or without it")
    parser.add_argument("--deals", type=int, default=2_000)
    count = parser.parse_args().deals
    board = turtle()
    for name, rule in RULES.items():
        tiles = deck(rule[0])
        bonus = tiles[-8:]
        pairs = [
            *((face, face) for face in tiles[:-8][::2]),
            *zip(bonus[::2], bonus[1::2], strict=True),
        ]
        if rule[0] is Matching.EXACT:
            pairs[-4:] = [(face, face) for face in bonus[:4]]
        seeds = [public_seed("bench/deal", number) for number in range(count)]
        start = time.thread_time_ns()
        for seed in seeds:
            kernel.deal(board, pairs, *rule, seed)
        print_figure(f"{name}.mean_us", (time.thread_time_ns() - start) / US / count, "µs")
        deals = [kernel.deal(board, pairs, *rule, seed) for seed in seeds]
        start = time.thread_time_ns()
        figures = [
            kernel.difficulty(board, dealt.faces, *rule, PLAYS, seed)
            for dealt, seed in zip(deals, seeds, strict=True)
            if isinstance(dealt, Deal)
        ]
        print_figure(f"{name}.play_us", (time.thread_time_ns() - start) / US / count / PLAYS, "µs")
        print_figure(f"{name}.difficulty", sum(figures) / len(figures), "1")


if __name__ == "__main__":
    main()
