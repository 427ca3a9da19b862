"""How fast positions are decided: `sparrow bench solver [--json] [--boards N] [--repeats N]`.

One thread, its CPU time, medians of the repeats; the same positions in every run. Boards are the Turtle with
its faces in uniformly random places. Positions of the opening and of the mid-game come from random play of
such boards: what is left after 2, 6, 10 and 14, and after 18, 22 and so on up to 54 of the 72 pairs, as
far as the play got, solvable or not. Match groups are read once a deal, so that
is done before the clock starts. Prints one line of JSON per figure.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from statistics import mean, median
from typing import Final

from libs import kernel
from libs.cli.demo.journal import quantile
from libs.rules.solitaire.bitset import mask_of
from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.moves import available_pairs
from libs.rules.solitaire.solver import Undecided, Unsolvable
from libs.rules.tiles import BONUS, FLOWERS, ORDINARY, SEASONS, Face
from tests.bench.figures import print_figure

NODE_BUDGET: Final = 2_000_000
CALLS: Final = 20_000
OPENING: Final = range(2, 15, 4)
MID_GAME: Final = range(18, 55, 4)
"""How many pairs are gone."""
US: Final = 1_000
"""Nanoseconds."""

ROWS: Final = {
    0: {0: (2, 12), 2: (6, 8), 4: (4, 10), 6: (2, 12), 8: (2, 12), 10: (4, 10), 12: (6, 8), 14: (2, 12)},
    1: dict.fromkeys(range(2, 14, 2), (8, 6)),
    2: dict.fromkeys(range(4, 12, 2), (10, 4)),
    3: dict.fromkeys(range(6, 10, 2), (12, 2)),
}
"""For every level and y: the x of the first tile, and how many stand in the row."""
SINGLE: Final = ((0, 7, 0), (26, 7, 0), (28, 7, 0), (13, 7, 4))


@dataclass(frozen=True)
class Position:
    """What is asked about."""

    layout: Layout
    faces: tuple[Face, ...]
    present: int
    matching: Matching
    pairing: Pairing


def turtle() -> Layout:
    """The traditional 144 places that most programs begin with."""
    rows = [
        (x, y, z)
        for z, level in ROWS.items()
        for y, (first, size) in level.items()
        for x in range(first, first + 2 * size, 2)
    ]
    return Layout.parse("turtle", [*rows, *SINGLE])


def deck(matching: Matching) -> list[Face]:
    """Four of each ordinary face and eight bonus tiles that can be matched."""
    bonus = [FLOWERS[0], FLOWERS[2], SEASONS[0], SEASONS[2]] * 2 if matching is Matching.EXACT else [*BONUS]
    return [*ORDINARY * 4, *bonus]


def fresh(count: int, matching: Matching, pairing: Pairing, seed: int) -> Iterator[Position]:
    """Whole boards, filled at random."""
    random, layout, faces = Random(seed), turtle(), deck(matching)
    for _ in range(count):
        random.shuffle(faces)
        yield Position(layout, tuple(faces), layout.full, matching, pairing)


def played(count: int, matching: Matching, pairing: Pairing, seed: int, looks: range) -> Iterator[Position]:
    """Positions of random plays when so many pairs are gone, until there are enough."""
    random, found = Random(seed), 0
    boards = fresh(count, matching, pairing, seed + 1)
    while found < count:
        board = next(boards)
        present = board.present
        for gone in range(1, looks[-1] + 1):
            pairs = available_pairs(board.layout, board.faces, present, matching, pairing)
            if not pairs:
                break
            present &= ~mask_of(random.choice(pairs))
            if gone in looks and found < count:
                found += 1
                yield Position(board.layout, board.faces, present, matching, pairing)


def timed_us(question: Callable[[Position], object], positions: list[Position]) -> list[float]:
    """The CPU time of each answer."""
    taken = []
    for position in positions:
        begun = time.thread_time_ns()
        question(position)
        taken.append((time.thread_time_ns() - begun) / US)
    return taken


def solve(p: Position) -> object:
    """Whether it can be cleared."""
    return kernel.solve(p.layout, p.faces, p.present, p.matching, p.pairing, NODE_BUDGET)


def crucial(p: Position) -> object:
    """Whether one pair alone keeps it solvable."""
    return kernel.crucial(p.layout, p.faces, p.present, p.matching, p.pairing, NODE_BUDGET)


def measure(
    figure: str, question: Callable[[Position], object], positions: list[Position], repeats: int
) -> None:
    """Print mean and p99 of the answers' times."""
    for p in positions:
        kernel.available_pairs(p.layout, p.faces, p.present, p.matching, p.pairing)
    runs = [timed_us(question, positions) for _ in range(repeats)]
    print_figure(f"{figure}.mean_us", median(mean(run) for run in runs), "us")
    print_figure(f"{figure}.p99_us", median(quantile(run, 0.99) for run in runs), "us")


def measure_share(count: int) -> None:
    """Print how many fresh boards cannot be cleared, and how many stayed undecided."""
    boards = fresh(count, Matching.FLOWERS_SEASONS, Pairing.BOTH_FREE, seed=3)
    answers = Counter(type(solve(board)) for board in boards)
    print_figure("solver.turtle.fresh.boards", count, "1")
    print_figure("solver.turtle.fresh.unsolvable_percent", 100 * answers[Unsolvable] / count, "%")
    print_figure("solver.turtle.fresh.undecided", answers[Undecided], "1")


def measure_call(repeats: int) -> None:
    """Print what one call from Python costs, on the smallest position there is."""
    layout = Layout.parse("two", [(0, 0, 0), (4, 0, 0)])
    pair = Position(layout, (ORDINARY[0], ORDINARY[0]), layout.full, Matching.EXACT, Pairing.BOTH_FREE)
    runs = []
    for _ in range(repeats):
        begun = time.thread_time_ns()
        for _ in range(CALLS):
            kernel.crucial(pair.layout, pair.faces, pair.present, pair.matching, pair.pairing)
        runs.append((time.thread_time_ns() - begun) / US / CALLS)
    print_figure("solver.call.mean_us", median(runs), "us")


def main() -> None:
    """Measure the kernel."""
    parser = argparse.ArgumentParser(prog="sparrow bench solver", description=__doc__)
    parser.add_argument("--boards", type=int, default=2_000, help="how many positions of each kind are timed")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--share-boards", type=int, default=10_000, help="for the share of unsolvable boards")
    parser.add_argument("--json", action="store_true", help="lines of JSON; they are all there is")
    asked = parser.parse_args()
    if not kernel.native():
        parser.exit(1, "The kernel is not built: make setup says why.\n")
    seasons, exact, bonus = Matching.FLOWERS_SEASONS, Matching.EXACT, Matching.BONUS_ANY
    both_free, lift = Pairing.BOTH_FREE, Pairing.LIFT
    measure_call(asked.repeats)
    for name, matching, pairing in (
        ("solver.turtle", seasons, both_free),
        ("solver.turtle.lift_exact", exact, lift),
        ("solver.turtle.bonus_any", bonus, both_free),
    ):
        boards = list(fresh(asked.boards, matching, pairing, seed=1))
        measure(f"{name}.fresh", solve, boards, asked.repeats)
        opening = list(played(asked.boards, matching, pairing, 2, OPENING))
        measure(f"{name}.opening_crucial", crucial, opening, asked.repeats)
        middle = list(played(asked.boards, matching, pairing, 2, MID_GAME))
        measure(f"{name}.crucial", crucial, middle, asked.repeats)
    if asked.share_boards:
        measure_share(asked.share_boards)


if __name__ == "__main__":
    main()
