"""Purchases: a receipt that the shop signed brings jokers, once for ever. Nothing else is bought.

A receipt is the text `purchase/<receipt id>/<account>/<jokers>/<signature>`: the shop's own id of the
purchase (1 to 100 of A-Z a-z 0-9 . _ : -), the player's UUID in lower case, how many jokers (1 to 1,000,000,
no leading zero), and HMAC-SHA256 in hex, lower case, under the shop's key over all before the last slash.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from services.ledger.assets import HOUSE_JOKERS, Asset, player_account
from services.ledger.commands import PostTransfer

JOKERS_MAX: Final = 1_000_000
SIGNED: Final = re.compile(
    r"purchase/([A-Za-z0-9._:-]{1,100})"
    r"/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"
    r"/([1-9][0-9]{0,6})"
)


class PurchaseRefusal(StrEnum):
    """Why a receipt brings nothing."""

    NO_SHOP = "NO_SHOP"
    PURCHASE_INVALID = "PURCHASE_INVALID"
    NOT_YOURS = "NOT_YOURS"


@dataclass(frozen=True, slots=True)
class NoShop:
    """The site sells nothing: every receipt is refused."""


@dataclass(frozen=True, slots=True)
class Shop:
    """Whoever holds this key sells jokers."""

    key: bytes = field(repr=False)


PurchaseTerms = NoShop | Shop


@dataclass(frozen=True, slots=True)
class Purchase:
    """What a shop says was bought."""

    receipt_id: str
    account: UUID
    jokers: int


def signed_receipt(key: bytes, purchase: Purchase) -> str:
    """Return the receipt that a shop gives for a purchase."""
    signed = f"purchase/{purchase.receipt_id}/{purchase.account}/{purchase.jokers}"
    return f"{signed}/{_signature(key, signed)}"


def judge(terms: PurchaseTerms, receipt: str, account: UUID) -> Purchase | PurchaseRefusal:
    """Return what a receipt that `account` shows was given for. Its signature is looked at first."""
    match terms:
        case NoShop():
            return PurchaseRefusal.NO_SHOP
        case Shop(key):
            signed, _, signature = receipt.rpartition("/")
            fields = SIGNED.fullmatch(signed)
            is_ours = hmac.compare_digest(signature.encode(), _signature(key, signed).encode())
            if not is_ours or fields is None or int(fields[3]) > JOKERS_MAX:
                return PurchaseRefusal.PURCHASE_INVALID
            purchase = Purchase(fields[1], UUID(fields[2]), int(fields[3]))
            return purchase if purchase.account == account else PurchaseRefusal.NOT_YOURS


def purchase_order(purchase: Purchase, now: datetime) -> PostTransfer:
    """Return what a purchase brings, as redeemed at `now`."""
    return PostTransfer(
        key=purchase_key(purchase.receipt_id),
        asset=Asset.JOKER,
        debit=HOUSE_JOKERS,
        credit=player_account(purchase.account),
        amount=purchase.jokers,
        reason="JOKER_PURCHASE",
        occurred_at=now,
        recorded_at=now,
        cause="",
    )


def purchase_key(receipt_id: str) -> str:
    """Return the key of what a receipt brings."""
    return f"purchase/{receipt_id}"


def _signature(key: bytes, signed: str) -> str:
    return hmac.new(key, signed.encode(), hashlib.sha256).hexdigest()
