"""From where on a board could not be cleared any more.

A pair never makes an unsolvable board solvable, a joker may. So play falls into stretches between jokers, and
in each of them the first unsolvable board is found by halving.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from libs.kernel import native, solve
from libs.rules.solitaire.levels import MATCHING, PAIRING
from libs.rules.solitaire.solver import Solved, Unsolvable
from libs.rules.tiles import Face
from services.match.domain.position import Position

NODES_MAX: Final = 50_000
"""Of one question to the kernel; a stretch takes at most eight."""
PLAIN_NODES_MAX: Final = 2_000

Asked = Callable[[int], Solved | Unsolvable | None]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Play on an unsolvable board."""

    after_pairs: int
    ended_by_pair: int | None
    """The seat's pair of this number was the joker that ended it; None to the end."""
    exact: bool
    """Whether the board before it was certainly solvable."""


@dataclass(frozen=True, slots=True)
class Spoiled:
    """What is known about a seat's boards."""

    stretches: tuple[Stretch, ...]
    undecided: bool
    """Whether the node budget ran out over the last board of a stretch."""


def spoiled(dealt: Position, boards: Sequence[tuple[int, bool]]) -> Spoiled:
    """Work it out: `boards` are what was left after each pair, and whether a joker took it."""
    lefts = [dealt.present, *(present for present, _by_joker in boards)]
    known: dict[int, Solved | Unsolvable | None] = {}

    def ask(number: int) -> Solved | Unsolvable | None:
        if number not in known:
            known[number] = _asked(dealt, lefts[number])
        return known[number]

    jokers = [number for number, (_present, by_joker) in enumerate(boards, 1) if by_joker]
    begins = [0, *jokers]
    found: list[Stretch] = []
    undecided = False
    for begin, following in zip(begins, [*jokers, None], strict=True):
        end = len(boards) if following is None else following - 1
        if not lefts[end]:
            continue
        last = ask(end)
        undecided = undecided or last is None
        if isinstance(last, Unsolvable):
            first, exact = _first(ask, begin, end)
            found.append(Stretch(first, following, exact))
    return Spoiled(tuple(found), undecided)


def _first(ask: Asked, begin: int, end: int) -> tuple[int, bool]:
    """The first board between them that is known to be unsolvable, as the last one is."""
    if begin == end or isinstance(ask(begin), Unsolvable):
        return begin, True
    low, high = begin, end
    while high - low > 1:
        middle = (low + high) // 2
        if isinstance(ask(middle), Unsolvable):
            high = middle
        else:
            low = middle
    return high, isinstance(ask(low), Solved)


def _asked(dealt: Position, present: int) -> Solved | Unsolvable | None:
    faces: tuple[Face, ...] = dealt.faces
    budget = NODES_MAX if native() else PLAIN_NODES_MAX
    answer = solve(dealt.layout, faces, present, MATCHING, PAIRING, budget)
    return answer if isinstance(answer, Solved | Unsolvable) else None
