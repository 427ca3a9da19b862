"""Past facts of the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from services.ledger.assets import Asset


@dataclass(frozen=True, slots=True)
class TransferPosted:
    """An asset moved. A reversal swaps the sides and keeps the original's reason and day."""

    key: str
    asset: Asset
    debit: str
    credit: str
    amount: int
    reason: str
    occurred_at: datetime
    day: date  # the Romanian day it counts for
    time_zone_data: str  # version of the rules that computed the day
    cause: str
    reverses: str = ""  # the key of the transfer that this one takes back
    cup_kind: str = ""  # for CUP only


@dataclass(frozen=True, slots=True)
class TransferCancelled:
    """A key was cancelled before anything was posted under it, and never will be."""

    key: str
    at: datetime


@dataclass(frozen=True, slots=True)
class LedgerDayClosed:
    """A Romanian day is over."""

    day: date


LedgerEvent = TransferPosted | TransferCancelled | LedgerDayClosed
