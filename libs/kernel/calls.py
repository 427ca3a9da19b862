"""Functions of the kernel that the interpreter calls itself, without a foreign function's conversion.

A call by ctypes takes a third of a microsecond before anything is answered. So the library has functions as
extension modules have, in the stable ABI of CPython (`kernel/src/interpreter.h`); the interpreter's own ones
come to it in a table, so that it is built without headers and links against nothing. Interpreters without a
lock, those beside the main one of a process, and others than CPython have no such calls.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final

_FUNCTIONS: Final = (
    "PyLong_AsLongAndOverflow",
    "PyList_Size",
    "PyList_GetItem",
    "PyTuple_Size",
    "PyTuple_GetItem",
    "PyType_GetFlags",
    "PyLong_FromLongLong",
    "PyBytes_FromStringAndSize",
    "PyTuple_New",
    "PyTuple_SetItem",
    "Py_IncRef",
    "Py_DecRef",
)
"""In the order of `sk_interpreter`."""
_TP_NEW: Final = 65
_HEAD_BYTES: Final = 2 * ctypes.sizeof(ctypes.c_void_p)
"""Of an object: a count and a type. Interpreters without a lock, or made to trace references, have more."""


def calls(
    methods: Callable[[Any], int | None], count: int, unread: object, objects: Sequence[object]
) -> list[Any] | None:
    """The functions of the table that `methods` gives for the interpreter's; None in other interpreters.

    `objects`, for the library's own use, and `unread`, what it answers where it cannot, must live for ever.
    """
    if sys.implementation.name != "cpython" or object.__basicsize__ != _HEAD_BYTES:
        return None
    python = ctypes.PyDLL(None)
    try:
        functions = [ctypes.cast(getattr(python, name), ctypes.c_void_p).value for name in _FUNCTIONS]
        slot, made = python.PyType_GetSlot, python.PyCFunction_NewEx
        is_main = _is_main(python)
    except AttributeError:
        return None
    if not is_main:
        return None
    slot.argtypes, slot.restype = [ctypes.py_object, ctypes.c_int], ctypes.c_void_p
    made.argtypes, made.restype = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p], ctypes.py_object
    known = [id(one) for one in (int, bool, list, None, unread, *objects)]
    table = (ctypes.c_void_p * (len(functions) + 1 + len(known)))(*functions, slot(tuple, _TP_NEW), *known)
    first = methods(table)
    if first is None:
        return None
    size = 4 * ctypes.sizeof(ctypes.c_void_p)
    """A PyMethodDef is two pointers, an int and a pointer."""
    return [made(first + size * place, None, None) for place in range(count)]


def _is_main(python: ctypes.PyDLL) -> bool:
    """Whether this is the interpreter that the process began with: the library keeps objects of one alone."""
    present, number = python.PyInterpreterState_Get, python.PyInterpreterState_GetID
    present.argtypes, present.restype = [], ctypes.c_void_p
    number.argtypes, number.restype = [ctypes.c_void_p], ctypes.c_int64
    return bool(number(present()) == 0)
