"""The compiled kernel, and the memory it works in.

Everything here is for `front.py` and `mcr.py`: handles of layouts (shared, they never change), a workspace
for each thread, and match groups as the kernel reads them.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from libs.rules.solitaire.board import Matching, match_key
from libs.rules.solitaire.layouts import TILES_MAX, Layout
from libs.rules.tiles import Face

LIBRARY: Final = Path(__file__).with_name("_kernel.so")
PRESENT_BYTES: Final = 40
PAIRS_MAX: Final = TILES_MAX * (TILES_MAX - 1) // 2
LAYOUTS_KEPT: Final = 256
"""About 170 kB each."""
FACES_KEPT: Final = 4096

_POINTER = ctypes.c_void_p
_INT = ctypes.c_int32
_LONG = ctypes.c_int64
_POSITION: list[Any] = [_POINTER, ctypes.c_char_p, ctypes.c_char_p, _INT]


@cache
def library() -> ctypes.CDLL | None:
    """The compiled kernel, or None where it is not built, not for this machine or not of these sources."""
    try:
        kernel = ctypes.CDLL(str(LIBRARY))
        _declare(kernel)
    except (OSError, AttributeError):
        return None
    return kernel


def _declare(kernel: ctypes.CDLL) -> None:
    kernel.sk_layout_new.argtypes, kernel.sk_layout_new.restype = [_POINTER, _INT], _POINTER
    kernel.sk_layout_free.argtypes, kernel.sk_layout_free.restype = [_POINTER], None
    kernel.sk_workspace_new.argtypes, kernel.sk_workspace_new.restype = [], _POINTER
    kernel.sk_workspace_free.argtypes, kernel.sk_workspace_free.restype = [_POINTER], None
    searching: list[Any] = [*_POSITION, _LONG, _POINTER]
    # Called with ready references, bytes and small ints alone: declaring them would cost a third of a call.
    kernel.sk_ask_solve.restype = kernel.sk_ask_crucial.restype = _LONG
    kernel.sk_available.argtypes = [*_POSITION, _POINTER, _POINTER, _INT]
    kernel.sk_available.restype = _INT
    kernel.sk_judge.argtypes = [*searching, _INT, _POINTER, _INT, _INT, _POINTER, _POINTER]
    kernel.sk_judge.restype = _INT
    kernel.sk_mcr_score_batch.argtypes, kernel.sk_mcr_score_batch.restype = (
        [_POINTER, _INT, _INT, _POINTER],
        None,
    )
    kernel.sk_mcr_methods.argtypes, kernel.sk_mcr_methods.restype = [_POINTER], _POINTER


class LayoutHandle:
    """A layout as the kernel holds it, freed with the last reference."""

    __slots__ = ("address", "kernel", "layout")

    def __init__(self, kernel: ctypes.CDLL, layout: Layout) -> None:
        numbers = [number for tile in layout.tiles for number in tile]
        self.kernel, self.layout = kernel, layout
        self.address: int | None = kernel.sk_layout_new(
            (ctypes.c_int16 * len(numbers))(*numbers), len(layout.tiles)
        )
        if not self.address:
            raise ValueError(f"the kernel cannot hold layout {layout.name!r}")

    def __del__(self) -> None:
        self.kernel.sk_layout_free(self.address)


class Workspace(threading.local):
    """The memory one thread's questions are answered in."""

    def __init__(self) -> None:
        kernel = library()
        assert kernel is not None
        self.kernel = kernel
        self.address: int | None = kernel.sk_workspace_new()
        if not self.address:
            raise MemoryError
        self.nodes = ctypes.c_int64()
        self.nodes_at = ctypes.addressof(self.nodes)
        line = (ctypes.c_int16 * TILES_MAX)()
        self.pairs = (ctypes.c_int16 * (2 * PAIRS_MAX))()
        self.pairs_at = ctypes.addressof(self.pairs)
        self.verdicts = (ctypes.c_int8 * PAIRS_MAX)()
        self.verdicts_at = ctypes.addressof(self.verdicts)
        self.at = ctypes.byref(ctypes.c_char.from_address(self.address))
        self.line = memoryview(line).cast("B")
        self.search = (self.at, line, self.line)
        """What solving needs, found with one look."""

    def __del__(self) -> None:
        self.kernel.sk_workspace_free(self.address)


_handles: dict[int, LayoutHandle] = {}
_groups: dict[tuple[int, Matching], tuple[Sequence[Face], bytes]] = {}


def handle_of(kernel: ctypes.CDLL, layout: Layout) -> LayoutHandle:
    """The kernel's handle of this very object."""
    handle = _handles.get(id(layout))
    if handle is None or handle.layout is not layout:
        if len(_handles) >= LAYOUTS_KEPT:
            _handles.clear()
            boards.clear()
        handle = _handles[id(layout)] = LayoutHandle(kernel, layout)
    return handle


def groups_of(size: int, faces: Sequence[Face], matching: Matching) -> bytes:
    """The match group of every tile, two bytes each. Remembered for tuples, which cannot change."""
    key = (id(faces), matching)
    known = _groups.get(key)
    if known is not None and known[0] is faces and len(known[1]) >= 2 * size:
        return known[1]
    numbers: dict[str, int] = {}
    groups = b"".join(
        numbers.setdefault(match_key(matching, face), len(numbers)).to_bytes(2, "little")
        for face in faces[:size]
    ).ljust(2 * size, b"\0")
    if isinstance(faces, tuple):
        if len(_groups) >= FACES_KEPT:
            _groups.clear()
        _groups[key] = (faces, groups)
    return groups


class BoardStruct(ctypes.Structure):
    """`sk_board`."""

    _fields_ = (("layout", ctypes.c_void_p), ("group", ctypes.c_char_p), ("faced", ctypes.c_int32))


Board = tuple[Layout, Sequence[Face], LayoutHandle, int | None, bytes, Any]
"""A layout and its faces, which this keeps alive, and how the kernel gets them: apart, and by reference."""

boards: dict[tuple[int, int, int], Board] = {}


def board_of(kernel: ctypes.CDLL, layout: Layout, faces: Sequence[Face], matching: Matching) -> Board:
    """The handle, its address and the match groups of these very objects, found with one look later."""
    key = (id(layout), id(faces), id(matching))
    board = boards.get(key)
    if board is None:
        handle = handle_of(kernel, layout)
        size = len(layout.tiles)
        groups = groups_of(size, faces, matching)
        at = ctypes.byref(BoardStruct(handle.address, groups, min(size, len(faces))))
        board = (layout, faces, handle, handle.address, groups, at)
        if isinstance(faces, tuple):
            if len(boards) >= FACES_KEPT:
                boards.clear()
            boards[key] = board
    return board
