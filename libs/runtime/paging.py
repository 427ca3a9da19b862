"""Lists: page sizes, and what a page token is bound to."""

from __future__ import annotations

import hashlib

from google.protobuf.message import Message

from libs.runtime.call import METHOD
from libs.runtime.errors import invalid_field

PAGE_VALID_S = 15 * 60


def page_size(value: int, default: int, maximum: int) -> int:
    """Return how many rows to give: 0 asks for the default, too many get the maximum. May refuse."""
    if value < 0:
        raise invalid_field("page_size", "not negative")
    return min(value or default, maximum)


def listing(message: Message) -> bytes:
    """Return what identifies a listing: the running method and the request without its page.

    Given as `bound_to` to OpaqueTokens, it refuses a token when an argument changed between pages.
    """
    arguments = type(message)()
    arguments.CopyFrom(message)
    for field in ("page_size", "page_token"):
        arguments.ClearField(field)
    digest = hashlib.sha256(METHOD.get().encode() + b"\0")
    digest.update(arguments.SerializeToString(deterministic=True))
    return digest.digest()
