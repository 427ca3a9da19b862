"""Daily chips: whoever has fewer than 200 is topped up to 200 once a Romanian day. Chips are never bought."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from services.ledger.assets import HOUSE_CHIPS, Asset, player_account
from services.ledger.commands import PostTransfer
from services.ledger.domain.calendar import ledger_day

TOP_UP_TO: Final = 200


class ChipsRefusal(StrEnum):
    """Why no chips are given."""

    WELCOME_PENDING = "WELCOME_PENDING"
    CHIPS_CLAIMED = "CHIPS_CLAIMED"
    CHIPS_ENOUGH = "CHIPS_ENOUGH"


@dataclass(frozen=True, slots=True)
class Stock:
    """A player's chips, and whether the new profile's and those of this Romanian day are among them."""

    held: int
    is_welcomed: bool
    is_claimed: bool


def top_up(account: UUID, stock: Stock, now: datetime) -> PostTransfer | ChipsRefusal:
    """Return what tops chips up.

    A new profile's 1,000 come first, or a quick claim would add to them. Being refused for having enough is
    no claim: chips lost later on the same day can still be topped up.
    """
    if not stock.is_welcomed:
        return ChipsRefusal.WELCOME_PENDING
    if stock.is_claimed:
        return ChipsRefusal.CHIPS_CLAIMED
    if stock.held >= TOP_UP_TO:
        return ChipsRefusal.CHIPS_ENOUGH
    return PostTransfer(
        key=chips_key(account, ledger_day(now)),
        asset=Asset.CHIP,
        debit=HOUSE_CHIPS,
        credit=player_account(account),
        amount=TOP_UP_TO - stock.held,
        reason="CHIPS_DAILY",
        occurred_at=now,
        recorded_at=now,
        cause="",
    )


def chips_key(account: UUID, day: date) -> str:
    """Return the key of the chips of a day."""
    return f"chips/daily/{account}/{day.isoformat()}"


def welcome_key(account: UUID) -> str:
    """Return the key of the chips of a new profile."""
    return f"chips/welcome/{account}"
