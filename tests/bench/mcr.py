"""How fast MCR hands are scored: `sparrow bench mcr [--json] [--repeats N]`, beside the package pymahjonggb.

One thread, its CPU time, the best of the repeats; the complete hands of tests/data/mcr, each once a round. A
call is counted from lists of numbers (tiles, melds, circumstances) to the total with its fans, so that both
sides build their arguments: ours a row of numbers, theirs tuples of texts. Both rounds alternate, and both
sides' totals are held against the recorded ones first. The package comes as C++ source without wheels: it is
built at the first run, into .tools, from the pinned source; where that cannot be, figures of our own are all
there is.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple

from libs import kernel
from libs.kernel import mcr
from libs.rules.mcr.melds import SetKind
from libs.rules.mcr.tiles import EAST, NOTATION
from libs.runtime.places import REPOSITORY
from tests.bench.figures import print_figure
from tests.support.mcr_hands import ScoredHand, scored_hands

PEERS: Final = REPOSITORY / ".tools" / "peers"
PIN: Final = REPOSITORY / "tests" / "bench" / "peers.lock"
BATCH: Final = 100_000
US: Final = 1e6


class Question(NamedTuple):
    """A complete hand in numbers."""

    concealed: list[int]
    melds: list[tuple[int, int]]
    """The kind, by its place in CODES and PACKS, and the lowest tile."""
    win: list[int]
    total: int


def question(case: ScoredHand) -> Question:
    """The recorded hand."""
    hand, win = case.asked.hand, case.asked.win
    melds = [(KINDS.index((meld.kind, meld.concealed)), int(meld.tile)) for meld in hand.melds]
    assert case.total is not None
    return Question(list(map(int, hand.concealed)), melds, list(map(int, win)), case.total)


KINDS: Final = [(SetKind.CHOW, False), (SetKind.PUNG, False), (SetKind.KONG, False), (SetKind.KONG, True)]
CODES: Final = [0, mcr.PUNG_CODE, mcr.KONG_CODE, mcr.CONCEALED_KONG_CODE]
SUITS: Final = {"m": "W", "p": "B", "s": "T"}
HONORS: Final = dict(zip("ESWNCFP", ["F1", "F2", "F3", "F4", "J1", "J2", "J3"], strict=True))
THEIRS: Final = [SUITS[name[1]] + name[0] if len(name) == 2 else HONORS[name] for name in NOTATION]
PACKS: Final = [("CHI", 1, 1), ("PENG", 0, 1), ("GANG", 0, 1), ("GANG", 0, 0)]
"""The name, from the lowest tile to the one that names it, and whose discard it was."""


def ours(asked: Question) -> mcr.Scored | None:
    """Total and fans from the kernel."""
    melds = [CODES[kind] | tile for kind, tile in asked.melds]
    return mcr.score_packed(asked.concealed, melds, asked.win)


def our_shanten(asked: Question) -> int:
    """The least number of all shapes."""
    return mcr.least_packed(asked.concealed, [CODES[kind] | tile for kind, tile in asked.melds])


class Peer:
    """The package, asked as its documentation says."""

    def __init__(self) -> None:
        package: Any = import_module("MahjongGB")
        self._score, self._shanten = package.MahjongFanCalculator, package.MahjongShanten

    def score(self, asked: Question) -> Sequence[tuple[int, str]]:
        """Points and name of each fan, flowers among them; their sum is the total."""
        tile, drawn, fourth, last, kong, seat, prevalent, flowers = asked.win
        fans: Sequence[tuple[int, str]] = self._score(
            _packs(asked),
            tuple([THEIRS[one] for one in asked.concealed]),
            THEIRS[tile],
            flowers,
            bool(drawn),
            bool(fourth),
            bool(kong),
            bool(last),
            seat - EAST,
            prevalent - EAST,
        )
        return fans

    def shanten(self, asked: Question) -> int:
        """The least number of all shapes."""
        number: int = self._shanten(_packs(asked), tuple([THEIRS[one] for one in asked.concealed]))
        return number


def _packs(asked: Question) -> tuple[tuple[str, str, int], ...]:
    packs = []
    for kind, tile in asked.melds:
        name, step, source = PACKS[kind]
        packs.append((name, THEIRS[tile + step], source))
    return tuple(packs)


def peer() -> Peer | None:
    """The package, built if it has to be and can be."""
    if not PEERS.exists():
        uv = REPOSITORY / ".tools" / "bin" / "uv"
        command = [str(uv), "pip", "install", "-q", "-p", sys.executable, "--target", str(PEERS)]
        done = subprocess.run([*command, "--require-hashes", "-r", str(PIN)], check=False, env=os.environ)
        if done.returncode:
            return None
    sys.path.append(str(PEERS))
    try:
        return Peer()
    except ImportError:
        return None


def round_us(ask: Callable[[Question], object], questions: Sequence[Question]) -> float:
    """The CPU time of an answer, in the mean of all questions."""
    begun = time.thread_time()
    for asked in questions:
        ask(asked)
    return (time.thread_time() - begun) / len(questions) * US


def measure_call(
    figure: str,
    our: Callable[[Question], object],
    their: Callable[[Question], object] | None,
    questions: Sequence[Question],
    repeats: int,
) -> None:
    """Print what a call costs on each side, and the ratio of the rates."""
    own, other = [], []
    for _ in range(repeats):
        own.append(round_us(our, questions))
        if their is not None:
            other.append(round_us(their, questions))
    print_figure(f"{figure}.call_us", min(own), "us")
    if other:
        print_figure(f"{figure}.peer_call_us", min(other), "us")
        print_figure(f"{figure}.call_ratio", min(other) / min(own), "1")


def measure_batch(cases: Sequence[ScoredHand], repeats: int) -> None:
    """Print how many hands a second a batch scores."""
    hands = [(case.asked.hand, case.asked.win) for case in cases]
    records = mcr.batch((hands * (BATCH // len(hands) + 1))[:BATCH])
    taken = []
    for _ in range(repeats):
        begun = time.thread_time()
        mcr.score_batch(records)
        taken.append(time.thread_time() - begun)
    print_figure("mcr.score.batch_per_s", BATCH / min(taken), "1/s")


def main() -> None:
    """Measure the kernel, beside the package where there is one."""
    parser = argparse.ArgumentParser(prog="sparrow bench mcr", description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--json", action="store_true", help="lines of JSON; they are all there is")
    asked = parser.parse_args()
    if not kernel.native():
        parser.exit(1, "The kernel is not built: make setup says why.\n")
    cases = [case for case in scored_hands() if case.total is not None]
    questions = [question(case) for case in cases]
    assert [one and one.total_without_flowers for one in map(ours, questions)] == [
        one.total for one in questions
    ]
    beside = peer()
    if beside is None:
        print("pymahjonggb cannot be built here: no ratios", file=sys.stderr)  # noqa: T201 said beside the figures
    else:
        totals = [sum(points for points, _ in beside.score(one)) for one in questions]
        assert totals == [one.total + one.win[-1] for one in questions]
        assert [beside.shanten(one) for one in questions] == [our_shanten(one) for one in questions]
    their_score, their_shanten = (beside.score, beside.shanten) if beside is not None else (None, None)
    measure_call("mcr.score", ours, their_score, questions, asked.repeats)
    measure_call("mcr.shanten", our_shanten, their_shanten, questions, asked.repeats)
    measure_batch(cases, asked.repeats)


if __name__ == "__main__":
    main()
