"""Invitation codes of private matches: whoever gives too many wrong ones waits, as with joining."""

from __future__ import annotations

import hmac
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from libs.eventstore.port import EventStore
from libs.runtime.errors import Refused
from services.match.queue import store as rows
from services.match.queue.rooms import WRONG_MAX, WRONG_WITHIN

_MILLISECOND: Final = timedelta(milliseconds=1)


async def check_code(store: EventStore, account_id: UUID, told: str, code: str | None, at: datetime) -> None:
    """Let pass whoever tells the code. Raises Refused INVITATION_NEEDED, or RATE_LIMIT after wrong ones."""
    given = as_code(told)
    if not given:
        raise Refused("INVITATION_NEEDED", "this match is private: it is watched with its invitation code")
    is_right = False
    async with store.transaction() as transaction:
        connection = transaction.connection
        await transaction.lock(f"guess/{account_id}")
        wrong = await rows.wrong_codes(connection, account_id, at - WRONG_WITHIN)
        if len(wrong) >= WRONG_MAX:
            retry_after_ms = max(1, (wrong[WRONG_MAX - 1] + WRONG_WITHIN - at) // _MILLISECOND)
            raise Refused("RATE_LIMIT", "too many wrong invitation codes", retry_after_ms=retry_after_ms)
        is_right = code is not None and hmac.compare_digest(given.encode(), code.encode())
        if not is_right:
            await rows.enter_wrong_code(connection, account_id, at, at - WRONG_WITHIN)
    if not is_right:
        raise Refused("INVITATION_NEEDED", "this is not the invitation code of this match")


def as_code(told: str) -> str:
    """A code as it is kept, of a code or a link: in capitals, without blanks and hyphens."""
    return "".join(letter for letter in told.rpartition("/")[2].upper() if letter not in " -")
