"""The solver's answers from the compiled kernel.

The same functions, arguments, results and errors as `libs/rules/solitaire/solver.py`, which defines them and
answers instead where the kernel is not built. Only the number of nodes, and which answers are undecided, may
differ: they are with a small budget, and always where more than 64 tiles match each other.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import lru_cache
from struct import Struct
from typing import Final

from libs.kernel.library import PAIRS_MAX, PRESENT_BYTES, Workspace, board_of, boards, library
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
ASKED_YES, ASKED_NO, ASKED_BAD = YES - BAD_INPUT, NO - BAD_INPUT, 0
"""The lowest two bits of `sk_ask_...`; the pair, nine bits a tile, and the nodes are above them."""
ANSWER_MASK, TILE_MASK = 3, 511
LOWER_AT, HIGHER_AT, NODES_AT = 2, 11, 20
BUDGET_MAX: Final = 2**31 - 1
CRUCIAL_KEPT: Final = 4096
NO_POSITION: Final = "the kernel was asked about no position of the layout, or with a negative budget"

_KERNEL = library()
_OWN = Workspace() if _KERNEL is not None else None
_SOLVE = _KERNEL.sk_ask_solve if _KERNEL is not None else None
_CRUCIAL = _KERNEL.sk_ask_crucial if _KERNEL is not None else None
_PAIR: Final = Struct("hh")
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
    workspace, line_at, line = _OWN.search
    try:
        told = _SOLVE(
            board[5],
            present.to_bytes(PRESENT_BYTES, "little"),
            pairing is LIFT,
            node_budget if 0 <= node_budget <= BUDGET_MAX else _budget(node_budget),
            workspace,
            line_at,
        )
    except OverflowError as overflow:
        raise _refusal(faces, present) from overflow
    answer, nodes = told & ANSWER_MASK, told >> NODES_AT
    if answer == ASKED_YES:
        return Solved(tuple(_PAIR.iter_unpack(line[: 2 * present.bit_count()])), nodes)
    if answer == ASKED_NO:
        return Unsolvable(nodes)
    if answer == ASKED_BAD:
        raise _refusal(faces, present)
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
    board = boards.get((id(layout), id(faces), id(matching))) or board_of(_KERNEL, layout, faces, matching)
    try:
        told = _CRUCIAL(
            board[5],
            present.to_bytes(PRESENT_BYTES, "little"),
            pairing is LIFT,
            node_budget if 0 <= node_budget <= BUDGET_MAX else _budget(node_budget),
            _OWN.at,
        )
    except OverflowError as overflow:
        raise _refusal(faces, present) from overflow
    if told & ANSWER_MASK == ASKED_BAD:
        raise _refusal(faces, present)
    return _crucial_told(told)


@lru_cache(maxsize=CRUCIAL_KEPT)
def _crucial_told(told: int) -> Crucial | NothingCrucial | Undecided:
    """What the number means; making the object takes as long as finding a small answer."""
    answer, nodes = told & ANSWER_MASK, told >> NODES_AT
    if answer == ASKED_YES:
        return Crucial((told >> LOWER_AT & TILE_MASK, told >> HIGHER_AT & TILE_MASK), nodes)
    return NothingCrucial(nodes) if answer == ASKED_NO else Undecided(nodes)


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
        _budget(node_budget),
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
        raise ValueError(NO_POSITION)


def _refusal(faces: Sequence[Face], present: int) -> ValueError:
    """What is wrong with a question that the kernel calls bad."""
    return ValueError("a present tile has no face" if present >> len(faces) else NO_POSITION)


def _budget(nodes: int) -> int:
    """What the kernel can count to; any negative number as one that it refuses."""
    return max(-1, min(nodes, BUDGET_MAX))
