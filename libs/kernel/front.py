"""The solver's answers from the compiled kernel.

The same functions, arguments, results and errors as `libs/rules/solitaire/solver.py`, which defines them and
answers instead where the kernel is not built. Only the number of nodes, and which answers are undecided, may
differ: they are with a small budget, and always where more than 64 tiles match each other.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Final

from libs.kernel.library import PAIRS_MAX, PRESENT_BYTES, Workspace, board_of, library
from libs.rules.solitaire import moves, solver
from libs.rules.solitaire.board import Matching, Pairing
from libs.rules.solitaire.layouts import Layout
from libs.rules.solitaire.solver import (
    NODE_BUDGET,
    Crucial,
    NothingCrucial,
    Pair,
    PairVerdicts,
    Solved,
    Undecided,
    Unsolvable,
)
from libs.rules.tiles import Face

YES, NO, UNDECIDED, BAD_INPUT = 1, 0, -1, -2
BUDGET_MAX: Final = 2**62

_KERNEL = library()
_OWN = Workspace() if _KERNEL is not None else None
_SOLVE = _KERNEL.sk_solve if _KERNEL is not None else None
_CRUCIAL = _KERNEL.sk_crucial if _KERNEL is not None else None
LIFT: Final = Pairing.LIFT


def native() -> bool:
    """Whether the compiled kernel answers; without it the definition does, a thousand times slower."""
    return _KERNEL is not None


def solve(
    layout: Layout,
    faces: Sequence[Face],
    present: int,
    matching: Matching,
    pairing: Pairing,
    node_budget: int = NODE_BUDGET,
) -> Solved | Unsolvable | Undecided:
    """Whether the present tiles can all be removed."""
    if _KERNEL is None or _OWN is None or _SOLVE is None:
        return solver.solve(layout, faces, present, matching, pairing, node_budget)
    board = board_of(_KERNEL, layout, faces, matching)
    workspace, line_at, nodes_at, line, used = _OWN.search
    answer = _SOLVE(
        board[3],
        board[4],
        _words(faces, present),
        pairing is LIFT,
        min(BUDGET_MAX, node_budget),
        workspace,
        line_at,
        nodes_at,
    )
    nodes = used.value
    if answer == YES:
        return Solved(_pairs(line, present.bit_count() // 2), nodes)
    if answer == NO:
        return Unsolvable(nodes)
    _refuse_bad(answer)
    return Undecided(nodes)


def available_pairs(
    layout: Layout, faces: Sequence[Face], present: int, matching: Matching, pairing: Pairing
) -> list[Pair]:
    """All available pairs as (lower, higher), sorted; under `lift` one order of touching is enough."""
    if _KERNEL is None or _OWN is None:
        return moves.available_pairs(layout, faces, present, matching, pairing)
    board, own = board_of(_KERNEL, layout, faces, matching), _OWN
    count = _KERNEL.sk_available(
        board[3],
        board[4],
        _words(faces, present),
        pairing is LIFT,
        own.address,
        own.pairs_at,
        PAIRS_MAX,
    )
    _refuse_bad(count)
    return list(_pairs(own.pairs, count))


def preserving_pairs(
    layout: Layout,
    faces: Sequence[Face],
    present: int,
    matching: Matching,
    pairing: Pairing,
    node_budget: int = NODE_BUDGET,
) -> PairVerdicts:
    """Of the available pairs, which keep the position solvable. The budget is for all of them together."""
    verdicts = _judge(layout, faces, present, matching, pairing, node_budget, 0, None)
    if verdicts is None:
        return solver.preserving_pairs(layout, faces, present, matching, pairing, node_budget)
    return verdicts


def crucial(
    layout: Layout,
    faces: Sequence[Face],
    present: int,
    matching: Matching,
    pairing: Pairing,
    node_budget: int = NODE_BUDGET,
) -> Crucial | NothingCrucial | Undecided:
    """The pair that is the only one to keep the position solvable, also when it is the only available one."""
    if _KERNEL is None or _OWN is None or _CRUCIAL is None:
        return solver.crucial(layout, faces, present, matching, pairing, node_budget)
    board = board_of(_KERNEL, layout, faces, matching)
    workspace, line_at, nodes_at, line, used = _OWN.search
    answer = _CRUCIAL(
        board[3],
        board[4],
        _words(faces, present),
        pairing is LIFT,
        min(BUDGET_MAX, node_budget),
        workspace,
        line_at,
        nodes_at,
    )
    nodes = used.value
    if answer == NO:
        return NothingCrucial(nodes)
    if answer == YES:
        return Crucial((line[0], line[1]), nodes)
    _refuse_bad(answer)
    return Undecided(nodes)


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
    if not pairs:
        return None
    if value is not None:
        worth = {pair: value(faces[pair[0]], faces[pair[1]]) for pair in pairs}
        best = max(worth.values())
        pairs = [pair for pair in pairs if worth[pair] == best]
    verdicts = _judge(layout, faces, present, matching, pairing, node_budget, 1, pairs)
    if verdicts is None:
        return solver.hint(layout, faces, present, matching, pairing, node_budget, value)
    return verdicts.preserving[0] if verdicts.preserving else pairs[0]


def _judge(
    layout: Layout,
    faces: Sequence[Face],
    present: int,
    matching: Matching,
    pairing: Pairing,
    node_budget: int,
    enough: int,
    pairs: Sequence[Pair] | None,
) -> PairVerdicts | None:
    """The kernel's verdicts on the pairs (None: all available); None where the definition has to answer."""
    if _KERNEL is None or _OWN is None:
        return None
    board, own = board_of(_KERNEL, layout, faces, matching), _OWN
    if pairs is not None:
        own.pairs[: 2 * len(pairs)] = [tile for pair in pairs for tile in pair]
    count = _KERNEL.sk_judge(
        board[3],
        board[4],
        _words(faces, present),
        pairing is LIFT,
        min(node_budget, BUDGET_MAX),
        own.address,
        enough,
        own.pairs_at,
        -1 if pairs is None else len(pairs),
        PAIRS_MAX,
        own.verdicts_at,
        own.nodes_at,
    )
    _refuse_bad(count)
    nodes = own.nodes.value
    judged = tuple(zip(_pairs(own.pairs, count), own.verdicts[:count], strict=True))
    undecided = tuple(pair for pair, verdict in judged if verdict == UNDECIDED)
    return PairVerdicts(
        preserving=tuple(pair for pair, verdict in judged if verdict == YES),
        ruining=tuple(pair for pair, verdict in judged if verdict == NO),
        undecided=undecided,
        nodes=nodes,
    )


def _words(faces: Sequence[Face], present: int) -> bytes:
    """The set as the kernel reads it. Raises ValueError for tiles that no layout has or that have no face."""
    if present >> len(faces):
        raise ValueError("a present tile has no face")
    try:
        return present.to_bytes(PRESENT_BYTES, "little")
    except OverflowError as overflow:
        raise ValueError("no set of tiles of a layout") from overflow


def _pairs(numbers: ctypes.Array[ctypes.c_int16], count: int) -> tuple[Pair, ...]:
    flat = numbers[: 2 * count]
    return tuple(zip(flat[::2], flat[1::2], strict=True))


def _refuse_bad(answer: int) -> None:
    if answer == BAD_INPUT:
        raise ValueError("the kernel was asked about no position of the layout, or with a negative budget")
