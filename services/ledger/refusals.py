"""What a refusal says to a person or a program."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from libs.runtime.errors import Refused
from services.ledger.domain.bonus import BonusRefusal
from services.ledger.domain.chips import TOP_UP_TO, ChipsRefusal
from services.ledger.domain.journal import Refusal
from services.ledger.domain.purchases import PurchaseRefusal

AnyRefusal = Refusal | BonusRefusal | ChipsRefusal | PurchaseRefusal
_MESSAGES: Final[Mapping[AnyRefusal, str]] = {
    Refusal.KEY_CANCELLED: "this key was cancelled and is never posted again",
    Refusal.KEY_REUSED: "this key was posted with other contents",
    Refusal.OCCURRED_OUT_OF_RANGE: "occurred_time is over 24 hours ago or over 2 seconds ahead",
    Refusal.BALANCE_TOO_LOW: "the account that gives does not hold that much",
    Refusal.BALANCE_TOO_HIGH: "the account that receives would hold more than 2^53",
    BonusRefusal.ALREADY_CLAIMED: "today's bonus was claimed: the next one comes at midnight, Romanian time",
    BonusRefusal.NOTHING_TO_DOUBLE: "today's bonus was not claimed yet; yesterday's can no longer be doubled",
    BonusRefusal.ALREADY_DOUBLED: "today's bonus was doubled already",
    BonusRefusal.RECEIPT_INVALID: "this receipt does not earn the doubling of today's bonus",
    ChipsRefusal.WELCOME_PENDING: "the chips of the new profile are on their way",
    ChipsRefusal.CHIPS_CLAIMED: "today's chips were claimed: the next ones come at midnight, Romanian time",
    ChipsRefusal.CHIPS_ENOUGH: f"chips are given to those who have fewer than {TOP_UP_TO}",
    PurchaseRefusal.NO_SHOP: "this site sells nothing: it has no key for receipts",
    PurchaseRefusal.PURCHASE_INVALID: "this is no receipt that the shop signed",
    PurchaseRefusal.NOT_YOURS: "this receipt is for another player",
}
_NO_METADATA: Final[Mapping[str, str]] = MappingProxyType({})


def refused(refusal: AnyRefusal, metadata: Mapping[str, str] = _NO_METADATA) -> Refused:
    """The error of a refusal."""
    return Refused(refusal.value, _MESSAGES[refusal], metadata)


def request_id_reused() -> Refused:
    """The error of a request_id that came with another body before."""
    return Refused("REQUEST_ID_REUSED", "this request_id was used with another body")
