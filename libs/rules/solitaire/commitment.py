"""The commitment to a secret deal: published before it is played, opened afterwards.

It is the SHA-256 of five fields, one after the other, each as its length (4 bytes, big-endian) and its bytes:
the nonce (32 random bytes), the catalogue version (decimal digits), the layout's name (UTF-8), the number of
distinct faces (decimal digits), the seed (32 bytes). With seed and recipe anybody deals the same board
(`levels.deal_recipe`), and with all five anybody computes the same hash.
"""

from __future__ import annotations

import hashlib
from typing import Final

from libs.rules.solitaire.levels import Recipe
from libs.rules.solitaire.prng import SEED_BYTES

NONCE_BYTES: Final = 32


def commitment(nonce: bytes, catalogue_version: int, made: Recipe, seed: bytes) -> bytes:
    """The 32 bytes that bind whoever publishes them to this deal."""
    assert len(nonce) == NONCE_BYTES, "a nonce has 256 bits"
    assert len(seed) == SEED_BYTES, "a seed has 256 bits"
    digest = hashlib.sha256()
    for field in (
        nonce,
        str(catalogue_version).encode(),
        made.layout_name.encode(),
        str(made.distinct_faces).encode(),
        seed,
    ):
        digest.update(len(field).to_bytes(4) + field)
    return digest.digest()
