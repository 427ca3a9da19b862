"""The generator: golden values anybody can recompute, and no bias."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from libs.rules.solitaire.prng import Prng, child_seed, public_seed

ZERO = bytes(32)
GOLDEN_WORDS = [741658141, 4063986572, 1522477695]
GOLDEN_BELOW = [0, 1, 3, 17, 101, 217, 3186738187]
GOLDEN_SHUFFLE = [8, 6, 0, 7, 9, 5, 4, 3, 1, 2]


def test_words_are_the_big_endian_quarters_of_counter_blocks() -> None:
    """Block i is SHA-256 of the seed and i in eight bytes."""
    prng = Prng(ZERO)
    blocks = b"".join(hashlib.sha256(ZERO + i.to_bytes(8, "big")).digest() for i in range(2))

    assert [prng.word() for _ in range(16)] == [
        int.from_bytes(blocks[i : i + 4], "big") for i in range(0, 64, 4)
    ]


def test_golden_values() -> None:
    """The same in every language and for ever."""
    words, numbers = Prng(ZERO), Prng(bytes(range(32)))

    assert [words.word() for _ in range(3)] == GOLDEN_WORDS
    assert [numbers.below(n) for n in (1, 2, 6, 34, 144, 1_000, 1 << 32)] == GOLDEN_BELOW
    assert Prng(bytes(range(32))).shuffled(range(10)) == GOLDEN_SHUFFLE
    assert public_seed("sparrow/level", 1, 7).hex() == hashlib.sha256(b"sparrow/level/1/7").hexdigest()
    assert child_seed(ZERO, "board").hex() == hashlib.sha256(ZERO + b"board").hexdigest()


def test_words_above_the_largest_multiple_are_rejected() -> None:
    """below(n) takes the first word under the largest multiple of n, modulo n."""
    n = (1 << 31) + 1
    words = Prng(ZERO)
    expected = next(word for word in iter(words.word, None) if word < n)

    assert Prng(ZERO).below(n) == expected


def test_every_order_of_three_is_equally_likely() -> None:
    """6,000 shuffles of three items give each order about a thousand times."""
    prng = Prng(ZERO)
    counts = Counter(tuple(prng.shuffled("abc")) for _ in range(6_000))

    assert len(counts) == 6
    assert all(850 < count < 1_150 for count in counts.values())


def test_a_seed_has_256_bits() -> None:
    """Anything else is a programmer's error."""
    with pytest.raises(AssertionError):
        Prng(b"short")
