"""Sets of small numbers as the bits of an int: tile sets here, sets of pairs in the solver."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def bits(mask: int) -> Iterator[int]:
    """The numbers of the set bits, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def mask_of(numbers: Iterable[int]) -> int:
    """The set that holds exactly these numbers."""
    mask = 0
    for number in numbers:
        mask |= 1 << number
    return mask
