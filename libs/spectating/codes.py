"""Invitation codes of private matches: whoever gives too many wrong ones waits, as with joining."""

from __future__ import annotations

import hmac
from datetime import datetime
from uuid import UUID

from libs.eventstore.port import EventStore
from libs.queueing.guesses import check_guesses, enter_wrong_code
from libs.runtime.errors import Refused


async def check_code(store: EventStore, account_id: UUID, told: str, code: str | None, at: datetime) -> None:
    """Let pass whoever tells the code. Raises Refused INVITATION_NEEDED, or RATE_LIMIT after wrong ones."""
    given = as_code(told)
    if not given:
        raise Refused("INVITATION_NEEDED", "this match is private: it is watched with its invitation code")
    is_right = False
    async with store.transaction() as transaction:
        await check_guesses(transaction, account_id, at)
        is_right = code is not None and hmac.compare_digest(given.encode(), code.encode())
        if not is_right:
            await enter_wrong_code(transaction, account_id, at)
    if not is_right:
        raise Refused("INVITATION_NEEDED", "this is not the invitation code of this match")


def as_code(told: str) -> str:
    """A code as it is kept, of a code or a link: in capitals, without blanks and hyphens."""
    return "".join(letter for letter in told.rpartition("/")[2].upper() if letter not in " -")
