"""The wall: 144 tiles with identities, dealt from a secret seed that is committed to before."""

from __future__ import annotations

import hashlib
from collections import Counter

from libs.rules.mcr.commitment import wall_commitment
from libs.rules.mcr.tiles import COPIES, KINDS
from libs.rules.mcr.wall import (
    DEALT,
    SEATS,
    TILES,
    TileId,
    copies_of,
    dealt,
    face_of,
    first_dealer_of,
    is_bonus,
    kind_of,
    wall_of,
)
from libs.rules.tiles import ALL_FACES, BONUS

SEED, NONCE = bytes(range(32)), bytes(range(32, 64))
GOLDEN_WALL = [25, 109, 37, 143, 112, 31, 127, 52]
GOLDEN_DEALER = 0


def test_a_wall_has_144_tiles_each_with_an_identity_of_its_own() -> None:
    """Four of each of 34 kinds, eight flowers and seasons."""
    wall = wall_of(SEED)

    assert sorted(wall) == list(range(TILES))
    faces = Counter(map(face_of, wall))
    assert set(faces) == set(ALL_FACES)
    assert all(count == (1 if face in BONUS else COPIES) for face, count in faces.items())


def test_copies_of_a_face_are_told_apart() -> None:
    """Every kind has four tiles, and every tile that is no flower one kind."""
    copies = [copies_of(kind_of(TileId(tile))) for tile in range(COPIES * KINDS)]

    assert all(TileId(tile) in copies[tile] for tile in range(COPIES * KINDS))
    assert [is_bonus(TileId(tile)) for tile in (135, 136, 143)] == [False, True, True]


def test_a_seed_lays_the_same_wall_and_the_same_first_dealer_always() -> None:
    """These never change: a wall that was committed to can be laid again."""
    assert wall_of(SEED) == wall_of(SEED)
    assert wall_of(SEED) != wall_of(NONCE)
    assert list(wall_of(SEED)[:8]) == GOLDEN_WALL
    assert first_dealer_of(SEED) == GOLDEN_DEALER


def test_every_seat_is_first_dealer_for_about_as_many_seeds() -> None:
    """400 seeds; a quarter each, give or take."""
    dealers = Counter(first_dealer_of(number.to_bytes(32)) for number in range(400))

    assert set(dealers) == set(range(SEATS))
    assert max(dealers.values()) < 140


def test_the_dealer_gets_14_tiles_and_the_others_13() -> None:
    """From the dealer on; together the first 53 of the wall."""
    wall = wall_of(SEED)
    for dealer in range(SEATS):
        hands = dealt(wall, dealer)

        assert [len(hand) for hand in hands] == [13 + (seat == dealer) for seat in range(SEATS)]
        assert sorted(tile for hand in hands for tile in hand) == sorted(wall[:DEALT])
        assert hands[dealer][:4] == wall[:4]
        assert hands[(dealer + 1) % SEATS][:4] == wall[4:8]
        assert hands[dealer][-1] == wall[DEALT - 1]


def test_the_commitment_is_the_hash_of_nonce_version_and_seed() -> None:
    """Anybody can compute it once both are laid open; another seed or nonce gives another one."""
    fields = (NONCE, b"mcr", b"1", SEED)
    expected = hashlib.sha256(b"".join(len(field).to_bytes(4) + field for field in fields)).digest()

    assert wall_commitment(NONCE, SEED) == expected
    assert wall_commitment(SEED, SEED) != expected
    assert wall_commitment(NONCE, NONCE) != expected
