"""What cancelling a key does: a posted transfer is taken back by one of its own, another key is kept empty.

A spend and its cancelling may come in either order, and both are repeated until answered. Whichever is first,
the end is the same: the player has what was spent, and the key is refused from then on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from services.ledger.domain.journal import BALANCE_MAX, Holding, Refusal, balances_after, holdings
from services.ledger.events import TransferCancelled, TransferPosted

REVERSAL_PREFIX: Final = "reversal/"


@dataclass(frozen=True, slots=True)
class Unused:
    """Nothing was ever posted under the key, and it was not cancelled."""


@dataclass(frozen=True, slots=True)
class Posted:
    """The key has a transfer that stands."""

    transfer: TransferPosted


KeyState = Unused | Posted


def reversal_key(key: str) -> str:
    """Return the key of the transfer that takes back the one under `key`."""
    return REVERSAL_PREFIX + key


def cancel(
    key: str, state: KeyState, balances: Mapping[Holding, int], now: datetime
) -> TransferPosted | TransferCancelled | Refusal:
    """Return the fact that cancels a key: the reversal of its transfer, or the key's tombstone.

    A reversal is refused where the player who received no longer holds that much (jokers, chips), or the one
    who gave holds too much by now.
    """
    match state:
        case Unused():
            return TransferCancelled(key, now)
        case Posted(transfer):
            reversal = reversed_(transfer)
            amounts = balances_after(reversal, balances).values()
            if any(amount < 0 for amount in amounts):
                return Refusal.BALANCE_TOO_LOW
            if any(amount > BALANCE_MAX for amount in amounts):
                return Refusal.BALANCE_TOO_HIGH
            return reversal


def reversed_(transfer: TransferPosted) -> TransferPosted:
    """Return what takes a transfer back: sides swapped; reason, instant and ledger day are the original's."""
    assert not transfer.reverses, "a reversal stands"
    reversal = replace(
        transfer,
        key=reversal_key(transfer.key),
        debit=transfer.credit,
        credit=transfer.debit,
        reverses=transfer.key,
    )
    assert holdings(reversal) == holdings(transfer)[::-1], "the same balances move back"
    return reversal
