"""Answers of repeated requests."""

from __future__ import annotations

from libs.eventstore.port import EventStore, Repeated, Request, RequestReused
from libs.eventstore.postgres.errors import unavailable_is_told
from libs.runtime.request import request_id_reused


async def answered(store: EventStore, request: Request) -> bytes | None:
    """The answer that a request got before; None: it is new. Raises Refused REQUEST_ID_REUSED."""
    with unavailable_is_told():
        found = await store.find_request(request.caller, request.request_id)
    if found is None:
        return None
    return reply_of(found if found.sha256 == request.sha256 else RequestReused())


def reply_of(repeated: Repeated | RequestReused) -> bytes:
    """The answer that was kept. Raises Refused REQUEST_ID_REUSED where the request was another one."""
    if isinstance(repeated, RequestReused) or repeated.reply is None:
        raise request_id_reused()
    return repeated.reply
