"""What earns a doubling of the daily bonus: nothing, or a receipt that the operator's key signed."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from datetime import date
from uuid import UUID

from services.ledger.domain.bonus import doubling_key


@dataclass(frozen=True, slots=True)
class Free:
    """Doubling asks for nothing."""


@dataclass(frozen=True, slots=True)
class ByReceipt:
    """Doubling asks for a receipt: proof that the player did what the operator pays for, on that day."""

    key: bytes = field(repr=False)


DoublingTerms = Free | ByReceipt


def receipt(key: bytes, account: UUID, day: date) -> str:
    """Return the receipt of an account and day: HMAC-SHA256 in hex over "daily/<account>/<day>/double"."""
    return hmac.new(key, doubling_key(account, day).encode(), hashlib.sha256).hexdigest()


def is_earned(terms: DoublingTerms, shown: str, account: UUID, day: date) -> bool:
    """Whether what a player shows earns the doubling of that day's bonus."""
    match terms:
        case Free():
            return True
        case ByReceipt(key):
            return hmac.compare_digest(shown.encode(), receipt(key, account, day).encode())
