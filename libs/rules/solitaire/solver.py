"""The solver: the definition of what is solvable, preserving, crucial and a good hint.

Every answer knows all faces. Any faster solver must give the same answers; only `Undecided`, when the
node budget (never a time budget) ran out, may differ. The search is in `search.py`, the independent
checker of its certificates in `certificate.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from libs.rules.solitaire.board import Matching, Pairing, match_groups
from libs.rules.solitaire.certificate import Certificate
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.moves import available_pairs
from libs.rules.solitaire.search import OutOfNodes, Search
from libs.rules.tiles import Face

NODE_BUDGET: Final = 200_000

Pair = tuple[int, int]


@dataclass(frozen=True)
class Solved:
    """The position can be cleared, like this."""

    certificate: Certificate
    nodes: int


@dataclass(frozen=True)
class Unsolvable:
    """No line of play clears the position."""

    nodes: int


@dataclass(frozen=True)
class Undecided:
    """The node budget ran out before an answer was certain."""

    nodes: int


@dataclass(frozen=True)
class PairVerdicts:
    """What taking each available pair does to a position; the three together are all available pairs."""

    preserving: tuple[Pair, ...]
    """The rest can be cleared."""
    ruining: tuple[Pair, ...]
    """The rest cannot be cleared."""
    undecided: tuple[Pair, ...]
    nodes: int


@dataclass(frozen=True)
class Crucial:
    """The only available pair that keeps the position solvable."""

    pair: Pair
    nodes: int


@dataclass(frozen=True)
class NothingCrucial:
    """No available pair keeps the position solvable, or at least two do."""

    nodes: int


def solve(
    layout: Layout,
    faces: Sequence[Face],
    present: int,
    matching: Matching,
    pairing: Pairing,
    node_budget: int = NODE_BUDGET,
) -> Solved | Unsolvable | Undecided:
    """Whether the present tiles can all be removed."""
    if _has_odd_group(matching, faces, present):
        return Unsolvable(0)
    search = Search(layout, faces, present, matching, pairing, node_budget)
    try:
        solution = search.solution_with()
    except OutOfNodes:
        return Undecided(node_budget)
    nodes = node_budget - search.nodes_left
    return Unsolvable(nodes) if solution is None else Solved(search.certificate(solution), nodes)


def preserving_pairs(
    layout: Layout,
    faces: Sequence[Face],
    present: int,
    matching: Matching,
    pairing: Pairing,
    node_budget: int = NODE_BUDGET,
) -> PairVerdicts:
    """Of the available pairs, which keep the position solvable. The budget is for all of them together."""
    return _judge_pairs(layout, faces, present, matching, pairing, node_budget, enough=None)


def crucial(
    layout: Layout,
    faces: Sequence[Face],
    present: int,
    matching: Matching,
    pairing: Pairing,
    node_budget: int = NODE_BUDGET,
) -> Crucial | NothingCrucial | Undecided:
    """The pair that is the only one to keep the position solvable, also when it is the only available one."""
    verdicts = _judge_pairs(layout, faces, present, matching, pairing, node_budget, enough=2)
    if len(verdicts.preserving) > 1:
        return NothingCrucial(verdicts.nodes)
    if verdicts.undecided:
        return Undecided(verdicts.nodes)
    if verdicts.preserving:
        return Crucial(verdicts.preserving[0], verdicts.nodes)
    return NothingCrucial(verdicts.nodes)


def hint(
    layout: Layout,
    faces: Sequence[Face],
    present: int,
    matching: Matching,
    pairing: Pairing,
    node_budget: int = NODE_BUDGET,
    value: Callable[[Face, Face], int] | None = None,
) -> Pair | None:
    """An available pair that keeps the position solvable if there is one, else any; None without pairs.

    With `value` (pool) only pairs of the highest value are considered. Ties go to the lowest tiles.
    """
    pairs = available_pairs(layout, faces, present, matching, pairing)
    if value is not None:
        worth = {pair: value(faces[pair[0]], faces[pair[1]]) for pair in pairs}
        pairs = [pair for pair in pairs if worth[pair] == max(worth.values())]
    if not pairs:
        return None
    verdicts = _judge_pairs(layout, faces, present, matching, pairing, node_budget, enough=1, pairs=pairs)
    return verdicts.preserving[0] if verdicts.preserving else pairs[0]


def _has_odd_group(matching: Matching, faces: Sequence[Face], present: int) -> bool:
    return any(group.bit_count() % 2 for group in match_groups(matching, faces, present))


def _judge_pairs(
    layout: Layout,
    faces: Sequence[Face],
    present: int,
    matching: Matching,
    pairing: Pairing,
    node_budget: int,
    enough: int | None,
    pairs: Sequence[Pair] | None = None,
) -> PairVerdicts:
    """Judge the pairs (default: all available), stopping once `enough` preserving ones are known.

    An available pair keeps the position solvable exactly when some solution contains it: it can be played
    first in that solution. So one solution settles every available pair in it.
    """
    if pairs is None:
        pairs = available_pairs(layout, faces, present, matching, pairing)
    if _has_odd_group(matching, faces, present):
        return PairVerdicts((), tuple(pairs), (), 0)
    search = Search(layout, faces, present, matching, pairing, node_budget)
    preserving: set[Pair] = set()
    ruining: set[Pair] = set()
    undecided: set[Pair] = set()
    for pair in pairs:
        if enough is not None and len(preserving) >= enough:
            undecided.update(other for other in pairs if other not in preserving | ruining)
            break
        if pair in preserving:
            continue
        try:
            solution = search.solution_with(pair)
        except OutOfNodes:
            undecided.add(pair)
            continue
        if solution is None:
            ruining.add(pair)
        else:
            preserving.update(p for p in pairs if solution >> search.edges.number[p] & 1)
    return PairVerdicts(
        preserving=tuple(sorted(preserving)),
        ruining=tuple(sorted(ruining)),
        undecided=tuple(sorted(undecided)),
        nodes=node_budget - search.nodes_left,
    )
