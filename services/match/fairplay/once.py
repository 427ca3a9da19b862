"""Commands of fair play that append nothing: done once for a request, its answer kept with what they do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TypeAlias

from libs.eventstore.port import Request, Transaction
from libs.eventstore.postgres.database import Database
from libs.runtime.request import request_id_reused

Work: TypeAlias = Callable[[Transaction], Awaitable[bytes]]
"""What is to be done in a transaction; it returns the answer."""


async def once(database: Database, request: Request, work: Work, now: datetime) -> bytes:
    """Do it and keep the answer, in one transaction; of two copies at once one waits for the other's."""
    async with database.store.transaction() as transaction:
        await transaction.lock(f"request/{request.caller}/{request.request_id}")
        told = await earlier(database, request)
        if told is not None:
            return told
        reply = await work(transaction)
        kept = await transaction.keep_reply(request, reply, at=now)
        assert kept is None, "the request is locked and was looked for"
        return reply


async def earlier(database: Database, request: Request) -> bytes | None:
    """The answer that the same request got before. Raises Refused REQUEST_ID_REUSED for another one."""
    found = await database.store.find_request(request.caller, request.request_id)
    if found is None:
        return None
    if found.sha256 != request.sha256:
        raise request_id_reused()
    return found.reply or b""
