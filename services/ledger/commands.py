"""Orders to the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from services.ledger.assets import AMOUNT_MAX, Asset


@dataclass(frozen=True, slots=True)
class PostTransfer:
    """Move `amount` of `asset` from `debit` to `credit`, once for ever under `key`."""

    key: str
    asset: Asset
    debit: str
    credit: str
    amount: int
    reason: str
    occurred_at: datetime  # when what it is for occurred, UTC
    recorded_at: datetime  # when the owner of that fact stored it, UTC
    cause: str  # "<source>:<stream>/<version>" of that fact, or empty
    cup_kind: str = ""  # for CUP only
    is_caught_up: bool = False  # a stored deadline decided it: it is taken however late it was recorded

    def __post_init__(self) -> None:
        assert 0 < self.amount <= AMOUNT_MAX, f"amount {self.amount}"
        assert self.debit != self.credit, f"both sides are {self.debit}"
        assert bool(self.cup_kind) == (self.asset is Asset.CUP), f"{self.asset} of kind {self.cup_kind!r}"
        assert 0 < len(self.key) <= 200, f"key of {len(self.key)} characters"


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Take back what `order` paid; where it was not posted yet, keep its key from ever being posted."""

    order: PostTransfer
    """As it was told to be paid; its cause is the fact that takes it back."""


PrizeStep = PostTransfer | TakeBack
"""What facts of tournaments order, one after the other."""
