"""Daily chips: whoever has fewer than 200 is topped up to 200 once a Romanian day. Chips are never bought."""

from __future__ import annotations

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

    CHIPS_CLAIMED = "CHIPS_CLAIMED"
    CHIPS_ENOUGH = "CHIPS_ENOUGH"


def top_up(account: UUID, held: int, now: datetime, *, is_claimed: bool) -> PostTransfer | ChipsRefusal:
    """Return what tops `held` chips up; `is_claimed`: whether chips were claimed on this Romanian day.

    Being refused for having enough is no claim: chips lost later on the same day can still be topped up.
    """
    if is_claimed:
        return ChipsRefusal.CHIPS_CLAIMED
    if held >= TOP_UP_TO:
        return ChipsRefusal.CHIPS_ENOUGH
    return PostTransfer(
        key=chips_key(account, ledger_day(now)),
        asset=Asset.CHIP,
        debit=HOUSE_CHIPS,
        credit=player_account(account),
        amount=TOP_UP_TO - held,
        reason="CHIPS_DAILY",
        occurred_at=now,
        recorded_at=now,
        cause="",
    )


def chips_key(account: UUID, day: date) -> str:
    """Return the key of the chips of a day."""
    return f"chips/daily/{account}/{day.isoformat()}"
