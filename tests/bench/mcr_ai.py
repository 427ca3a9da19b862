"""How well the AI players of MCR play: `sparrow bench mcr-ai [--json] [--walls N]`.

Duplicate deals: two seats of one player and two of another, each wall in all six seatings of the two, so that
luck with tiles falls to both. What is told of a seat is the mean of its kind's seats; an interval of 95 % is
that of the walls' means. Levels are held against each other in the same way, the lowest against any legal
action. A deal with an action that the rules refuse is counted and goes for nothing. Decisions are timed by
the CPU time of their thread, those of the strongest player, wins that are taken among them; garbage is
collected between deals.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import combinations
from statistics import mean, quantiles, stdev
from typing import Final
from uuid import UUID

from libs import kernel
from libs.rules.mcr.wall import SEATS
from services.mcr.domain.deal.actions import Action
from services.mcr.domain.deal.autoplay import Chooser, IllegalAction, played_out
from services.mcr.domain.deal.scorer import rule_book
from services.mcr.domain.deal.terms import Ai, AiLevel, DealTerms, Outcome, Won, payments_of
from services.mcr.domain.deal.view import DealView
from services.mcr.domain.deal.walls import lay_wall
from services.mcr.domain.players import chooser
from services.mcr.domain.players.baseline import any_legal, fastest
from tests.bench.figures import print_figure

TERMS: Final = DealTerms(UUID(int=0xA1), 1, (Ai(),) * SEATS)
AT: Final = datetime(2026, 1, 1, tzinfo=UTC)
SEATINGS: Final = tuple(combinations(range(SEATS), 2))
SURE: Final = 1.96
"""Standard errors of an interval of 95 %."""
LEVELS_SHARE: Final = 5
"""So many times fewer walls show the order of the levels."""
MS: Final = 1e3
Maker = Callable[[bytes], Chooser]
"""A player of a seat, of a seed."""


class Match:
    """Deals of seats of one player among seats of another."""

    def __init__(self, one: Maker, other: Maker) -> None:
        self.one, self.other = one, other
        self.illegal = self.deals = 0

    def wall(self, number: int, seats: Sequence[int]) -> Outcome | None:
        """The outcome of a deal in which these seats are the first player's; None with an illegal action."""
        seed = number.to_bytes(32)
        makers = [self.one if seat in seats else self.other for seat in range(SEATS)]
        choosers = [make(bytes([seat, *seed[1:]])) for seat, make in enumerate(makers)]
        self.deals += 1
        gc.collect()
        try:
            return played_out(TERMS, lay_wall(seed, bytes(32)), choosers, rule_book, AT)[0].outcome
        except IllegalAction:
            self.illegal += 1
            return None

    def duplicate(self, number: int) -> tuple[float, float]:
        """Of a wall in all seatings: wins and score of the first player, per seat and deal."""
        wins = score = 0
        for seats in SEATINGS:
            outcome = self.wall(number, seats)
            if outcome is not None:
                payments = payments_of(outcome)
                wins += isinstance(outcome, Won) and outcome.winner in seats
                score += sum(payments[seat] for seat in seats)
        return wins / (2 * len(SEATINGS)), score / (2 * len(SEATINGS))


class Timed:
    """A maker of players whose decisions are timed."""

    def __init__(self, make: Maker) -> None:
        self.make = make
        self.taken_ms: list[float] = []

    def __call__(self, seed: bytes) -> Chooser:
        """The player, who is timed."""
        choose = self.make(seed)

        def timed(view: DealView) -> Action:
            begun = time.thread_time()
            action = choose(view)
            self.taken_ms.append((time.thread_time() - begun) * MS)
            return action

        return timed


def level(one: AiLevel) -> Maker:
    """The player of a level."""
    return lambda seed: chooser(one, seed)


def print_mean(figure: str, values: Sequence[float], unit: str) -> None:
    """Print a mean, and the ends of its interval."""
    middle, error = mean(values), SURE * stdev(values) / len(values) ** 0.5
    print_figure(figure, middle, unit)
    print_figure(f"{figure}.low_95", middle - error, unit)
    print_figure(f"{figure}.high_95", middle + error, unit)


def print_duel(figure: str, match: Match, walls: range) -> None:
    """Print what the first player's seats win and score."""
    told = [match.duplicate(number) for number in walls]
    print_mean(f"{figure}.win_rate_per_seat", [wins for wins, _ in told], "1")
    print_mean(f"{figure}.mean_score", [score for _, score in told], "points")


def main() -> None:
    """Play the walls, and print."""
    parser = argparse.ArgumentParser(prog="sparrow bench mcr-ai", description=__doc__)
    parser.add_argument("--walls", type=int, default=150, help="of the strongest against the fastest")
    parser.add_argument("--first", type=int, default=0, help="the number of the first wall")
    parser.add_argument("--json", action="store_true", help="lines of JSON; they are all there is")
    asked = parser.parse_args()
    if not kernel.native():
        parser.exit(1, "The kernel is not built: make setup says why.\n")
    walls = range(asked.first, asked.first + max(2, asked.walls))
    fewer = walls[: max(2, len(walls) // LEVELS_SHARE)]
    gc.freeze()
    gc.disable()
    strong = Timed(level(AiLevel.STRONG))
    quick: Maker = lambda _: fastest  # noqa: E731 a player without a seed
    duel, four = Match(strong, quick), Match(strong, quick)
    print_duel("mcr_ai.strong_vs_fastest", duel, walls)
    drawn = [not isinstance(four.wall(number, range(SEATS)), Won) for number in walls]
    print_mean("mcr_ai.strong_four.draw_rate", drawn, "1")
    order = {
        "strong_vs_middle": Match(level(AiLevel.STRONG), level(AiLevel.MIDDLE)),
        "middle_vs_easy": Match(level(AiLevel.MIDDLE), level(AiLevel.EASY)),
        "easy_vs_random": Match(level(AiLevel.EASY), any_legal),
    }
    for name, match in order.items():
        print_duel(f"mcr_ai.{name}", match, fewer)
    matches = (duel, four, *order.values())
    print_figure("mcr_ai.deals", sum(match.deals for match in matches), "1")
    print_figure("mcr_ai.illegal_actions", sum(match.illegal for match in matches), "1")
    print_figure("mcr_ai.decision_ms.mean", mean(strong.taken_ms), "ms")
    print_figure("mcr_ai.decision_ms.p99", quantiles(strong.taken_ms, n=100)[-1], "ms")
    print_figure("mcr_ai.decision_ms.max", max(strong.taken_ms), "ms")


if __name__ == "__main__":
    main()
