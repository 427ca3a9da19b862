"""The commitment to a secret wall: published before it is played, opened afterwards.

As for boards (`solitaire.commitment`) it is the SHA-256 of fields one after the other, each as its length
(4 bytes, big-endian) and its bytes: the nonce (32 random bytes), the word "mcr", the version of the wall
(decimal digits), the seed (32 bytes). With the seed anybody lays the same wall, and with all of them computes
the same hash.
"""

from __future__ import annotations

import hashlib
from typing import Final

from libs.rules.mcr.wall import WALL_VERSION
from libs.rules.solitaire.prng import SEED_BYTES

NONCE_BYTES: Final = 32


def wall_commitment(nonce: bytes, seed: bytes, wall_version: int = WALL_VERSION) -> bytes:
    """The 32 bytes that bind whoever publishes them to this wall."""
    assert len(nonce) == NONCE_BYTES, "a nonce has 256 bits"
    assert len(seed) == SEED_BYTES, "a seed has 256 bits"
    digest = hashlib.sha256()
    for field in (nonce, b"mcr", str(wall_version).encode(), seed):
        digest.update(len(field).to_bytes(4) + field)
    return digest.digest()
