"""What a handler knows about the write it serves."""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import UUID

from google.protobuf.message import Message

from libs.eventstore.port import Request
from libs.runtime.call import METHOD
from libs.runtime.caller import CALLER, Player, caller_id
from libs.runtime.errors import Refused, invalid_field

REQUEST_ID_CHARACTERS_MAX = 36


def current_player() -> Player:
    """Return the player who makes the running call; the method's audience lets nobody else through."""
    caller = CALLER.get()
    if not isinstance(caller, Player):
        raise Refused("AUDIENCE", "this is for players only")
    return caller


def check_request_id(request_id: str) -> str:
    """Return the id. Raises FIELD_INVALID unless it is 1 to 36 visible ASCII characters."""
    if not 1 <= len(request_id) <= REQUEST_ID_CHARACTERS_MAX:
        raise invalid_field("request_id", f"1 to {REQUEST_ID_CHARACTERS_MAX} characters")
    if not all("!" <= character <= "~" for character in request_id):
        raise invalid_field("request_id", "visible ASCII characters only; a UUID is advised")
    return request_id


def request_id_reused() -> Refused:
    """The error of a request_id that came with another body before."""
    return Refused("REQUEST_ID_REUSED", "this request_id was used before, with another request")


def write_request(context: Any, message: Message, *, caller: UUID | None = None) -> Request:
    """Return the key and hash that make a write repeat-safe. Raises FIELD_INVALID for a bad request_id.

    `context` is the handler's own, or the method's full name outside of one. `caller` stands in for the
    calling account where there is none yet (first contact).
    """
    method = context if isinstance(context, str) else METHOD.get()
    request_id = check_request_id(message.request_id)  # type: ignore[attr-defined]
    who = caller if caller is not None else caller_id(CALLER.get())
    digest = hashlib.sha256()
    for part in (method.encode(), who.bytes, message.SerializeToString(deterministic=True)):
        digest.update(len(part).to_bytes(4) + part)
    return Request(who, request_id, digest.digest())
