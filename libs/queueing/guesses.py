"""Wrong invitation codes: whoever gives too many waits, so that no code is found by trying."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from sqlalchemy import text

from libs.eventstore.port import Transaction
from libs.rules.pairing.invitations import WRONG_MAX, WRONG_WITHIN
from libs.runtime.errors import Refused

_MILLISECOND: Final = timedelta(milliseconds=1)


async def check_guesses(transaction: Transaction, account_id: UUID, at: datetime) -> None:
    """Let an account guess, one at a time. Raises Refused RATE_LIMIT after too many wrong guesses."""
    await transaction.lock(f"guess/{account_id}")
    result = await transaction.connection.execute(
        text("SELECT at FROM wrong_code WHERE account_id = :account_id AND at > :since ORDER BY at DESC"),
        {"account_id": account_id, "since": at - WRONG_WITHIN},
    )
    wrong: list[datetime] = list(result.scalars())
    if len(wrong) >= WRONG_MAX:
        retry_after_ms = max(1, (wrong[WRONG_MAX - 1] + WRONG_WITHIN - at) // _MILLISECOND)
        raise Refused("RATE_LIMIT", "too many wrong invitation codes", retry_after_ms=retry_after_ms)


async def enter_wrong_code(transaction: Transaction, account_id: UUID, at: datetime) -> None:
    """Enter that an account gave a code that nobody has; forget what is too old to count."""
    await transaction.connection.execute(
        text("DELETE FROM wrong_code WHERE account_id = :account_id AND at <= :before"),
        {"account_id": account_id, "before": at - WRONG_WITHIN},
    )
    await transaction.connection.execute(
        text("INSERT INTO wrong_code (account_id, at) VALUES (:account_id, :at)"),
        {"account_id": account_id, "at": at},
    )
