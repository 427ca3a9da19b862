"""Refresh tokens: session, generation and their HMAC, so that a generation always has the same token."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from uuid import UUID

GENERATION_BYTES = 4
MAC_BYTES = 32
TOKEN_BYTES = 16 + GENERATION_BYTES + MAC_BYTES


def make_refresh_token(secret: bytes, session_id: UUID, generation: int) -> str:
    """Return the token of a session's generation."""
    body = session_id.bytes + generation.to_bytes(GENERATION_BYTES)
    return base64.urlsafe_b64encode(body + hmac.digest(secret, body, hashlib.sha256)).decode().rstrip("=")


def read_refresh_token(secret: bytes, token: str) -> tuple[UUID, int] | None:
    """Return session and generation of a token of ours, else None."""
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    body, mac = raw[:-MAC_BYTES], raw[-MAC_BYTES:]
    if len(raw) != TOKEN_BYTES or not hmac.compare_digest(mac, hmac.digest(secret, body, hashlib.sha256)):
        return None
    return UUID(bytes=body[:16]), int.from_bytes(body[16:])
