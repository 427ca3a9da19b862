"""How the wall of a deal comes about: from a secret seed, bound by a hash that is published before."""

from __future__ import annotations

from libs.rules.mcr.commitment import wall_commitment
from libs.rules.mcr.wall import SEATS, first_dealer_of, wall_of
from services.mcr.domain.deal.terms import Wall


def lay_wall(seed: bytes, nonce: bytes, number: int = 1, first_dealer: int | None = None) -> Wall:
    """The wall of a fresh seed for a table's deal of this number (from 1).

    The seed of the first deal also chooses its dealer; the dealer then moves on every deal.
    """
    first = first_dealer_of(seed) if first_dealer is None else first_dealer
    return Wall(
        tiles=wall_of(seed),
        dealer=(first + number - 1) % SEATS,
        seed=seed,
        nonce=nonce,
        commitment=wall_commitment(nonce, seed),
    )
