"""What transfers move, and the ledger accounts they run between."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final
from uuid import UUID

AMOUNT_MAX: Final = 10**12
"""The most that one transfer moves."""
PLAYER_PREFIX: Final = "players/"
HOUSE_PREFIX: Final = "house/"
HOUSE_POINTS: Final = "house/points"
"""Issues all points: the sum over all accounts stays 0."""
HOUSE_JOKERS: Final = "house/jokers"
"""Issues jokers and takes in the spent ones."""
HOUSE_CHIPS: Final = "house/chips"
"""Issues chips."""
HOUSE_RATINGS: Final = "house/ratings"
"""Issues ratings of races and takes in what they fall by."""
HOUSE_CUPS: Final = "house/cups"
"""Issues cups."""
CUP_KIND: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
"""What kinds of cups are named."""


class Asset(StrEnum):
    """What a transfer moves."""

    POINTS = "POINTS"
    JOKER = "JOKER"
    CHIP = "CHIP"
    CUP = "CUP"
    RATING = "RATING"


BALANCED: Final = frozenset({Asset.JOKER, Asset.CHIP})
"""A player's balance of these is kept and never falls below zero."""


def player_account(account_id: UUID | str) -> str:
    """Return the ledger account of a player."""
    return f"{PLAYER_PREFIX}{account_id}"


def player_of(account: str) -> str | None:
    """Return the account id behind a player's ledger account; None for the house."""
    return account.removeprefix(PLAYER_PREFIX) if account.startswith(PLAYER_PREFIX) else None
