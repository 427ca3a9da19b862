"""What the tiles of an MCR hand are worth for the complete hands that it can become, from the kernel.

The same answers and errors as `libs/rules/mcr/plan.py`, which defines them and answers instead where the
kernel is not built: a hundred times slower. A question takes up to some milliseconds and releases the
interpreter lock.
"""

from __future__ import annotations

import ctypes
from array import array
from typing import Final

from libs.kernel.library import library
from libs.kernel.mcr import code
from libs.rules.mcr import plan as definition
from libs.rules.mcr.plan_terms import NO_QUESTION, Plan, Question
from libs.rules.mcr.tiles import KINDS

NO_HAND: Final = -2
_UNSEEN_AT: Final = 20
_RATES: Final = 3 * KINDS

_KERNEL = library()
_PLAN = getattr(_KERNEL, "sk_mcr_plan", None)
if _PLAN is not None:
    _PLAN.argtypes, _PLAN.restype = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p], ctypes.c_int32


def plan(asked: Question) -> Plan:
    """Judge the tiles. Raises ValueError for what is no hand, and for rates that fall."""
    if _PLAN is None:
        return definition.plan(asked)
    record, rates = packed(asked)
    worth = array("q", bytes(8 * (KINDS + 2)))
    limit = _PLAN(record, rates.buffer_info()[0], worth.buffer_info()[0])
    if limit == NO_HAND:
        raise ValueError(NO_QUESTION)
    return Plan(tuple(worth[:KINDS]), worth[KINDS], worth[KINDS + 1], limit)


def packed(asked: Question) -> tuple[bytes, array[int]]:
    """The question as the kernel reads it, a record and the rates. Raises ValueError for what has no room."""
    concealed, melds, unseen, winds, rates, base, reach = asked
    try:
        head = bytes([*winds, base, reach, len(concealed), len(melds), *concealed, *map(code, melds)])
        record = head.ljust(_UNSEEN_AT, b"\0") + bytes(unseen)
        chances = array("H", (*rates.own, *rates.chow, *rates.any))
    except (ValueError, OverflowError):
        raise ValueError(NO_QUESTION) from None
    if len(head) > _UNSEEN_AT or len(record) != _UNSEEN_AT + KINDS or len(chances) != _RATES:
        raise ValueError(NO_QUESTION)
    return record, chances
