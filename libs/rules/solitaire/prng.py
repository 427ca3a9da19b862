"""The one source of chance: SHA-256 in counter mode over a 256-bit seed, the same in every language.

The byte stream is block 0, block 1, ... where block i = SHA-256(seed || i as 8 bytes, big-endian).
A word is the next 4 bytes of the stream, big-endian; words never straddle blocks, as 32 is a multiple
of 4. `below(n)` takes words until one is smaller than the largest multiple of n not above 2^32, and
returns it modulo n: unbiased by rejection. `shuffled` is Fisher-Yates from the end: for i = last ... 1
swap the items i and below(i + 1).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final, TypeVar

T = TypeVar("T")

SEED_BYTES: Final = 32
_WORD_RANGE: Final = 1 << 32


class Prng:
    """A stream of numbers that the seed alone determines. Every call moves it on."""

    def __init__(self, seed: bytes) -> None:
        """`seed` is exactly 32 bytes."""
        assert len(seed) == SEED_BYTES, "a seed has 256 bits"
        self._seed = seed
        self._counter = 0
        self._words: list[int] = []

    def word(self) -> int:
        """The next 32 bits, 0 to 2^32 - 1."""
        if not self._words:
            block = hashlib.sha256(self._seed + self._counter.to_bytes(8, "big")).digest()
            self._counter += 1
            self._words = [int.from_bytes(block[i : i + 4], "big") for i in range(28, -1, -4)]
        return self._words.pop()

    def below(self, n: int) -> int:
        """A number from 0 to n - 1, each equally likely; n is 1 to 2^32."""
        assert 1 <= n <= _WORD_RANGE, "the range must fit a word"
        limit = _WORD_RANGE - _WORD_RANGE % n
        while (word := self.word()) >= limit:
            pass
        return word % n

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """The items in a new order, each order equally likely."""
        result = list(items)
        for i in range(len(result) - 1, 0, -1):
            j = self.below(i + 1)
            result[i], result[j] = result[j], result[i]
        return result


def public_seed(purpose: str, *numbers: int) -> bytes:
    """A seed anybody can compute: SHA-256 of the UTF-8 text "purpose/1/2" for the numbers 1 and 2."""
    return hashlib.sha256("/".join([purpose, *map(str, numbers)]).encode()).digest()


def child_seed(seed: bytes, purpose: str) -> bytes:
    """An independent seed for one purpose out of another seed: SHA-256 of seed || purpose in UTF-8."""
    assert len(seed) == SEED_BYTES, "a seed has 256 bits"
    return hashlib.sha256(seed + purpose.encode()).digest()
