"""Sessions: a refresh token is traded once for its successor; one that comes back ends the session."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID

SESSION_VALID: Final = timedelta(days=30)
"""From opening, and again from each refresh."""


@dataclass(frozen=True)
class Session:
    """A signed-in device. Its refresh token of the present generation is the only one worth something."""

    session_id: UUID
    account_id: UUID
    generation: int
    refreshed_by: str | None
    """The request that made this generation; None for the first."""
    expires_at: datetime
    revoked_at: datetime | None


@dataclass(frozen=True)
class Opened:
    """A session and how it was opened: with the account's first contact, or later."""

    session: Session
    created_account: bool


class Refusal(StrEnum):
    """Why a session is not renewed."""

    REVOKED = "revoked"
    EXPIRED = "expired"
    REUSED = "reused"
    """The token was traded before by another request: somebody else has a copy. The session must end."""
    REQUEST_REUSED = "request_reused"
    """The request traded the token before this one."""


def open_session(session_id: UUID, account_id: UUID, now: datetime) -> Session:
    """Return a new session."""
    return Session(session_id, account_id, 1, None, now + SESSION_VALID, None)


def check_open(session: Session, now: datetime) -> Refusal | None:
    """Return why the session is over, if it is."""
    if session.revoked_at is not None:
        return Refusal.REVOKED
    return Refusal.EXPIRED if session.expires_at <= now else None


def refresh(session: Session, shown_generation: int, request_id: str, now: datetime) -> Session | Refusal:
    """Return the session after a token of `shown_generation` was shown; unchanged for a repeated request."""
    if (over := check_open(session, now)) is not None:
        return over
    if shown_generation == session.generation:
        if request_id == session.refreshed_by:
            return Refusal.REQUEST_REUSED
        return replace(
            session,
            generation=session.generation + 1,
            refreshed_by=request_id,
            expires_at=now + SESSION_VALID,
        )
    if shown_generation == session.generation - 1 and request_id == session.refreshed_by:
        return session
    return Refusal.REUSED
