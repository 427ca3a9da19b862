"""How sessions are renewed and end."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from hypothesis import given
from hypothesis import strategies as st

from services.account.domain.refresh_tokens import make_refresh_token, read_refresh_token
from services.account.domain.sessions import SESSION_VALID, Refusal, Session, open_session, refresh

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
SECRET = b"s" * 32


def opened() -> Session:
    """A session that has just been opened."""
    return open_session(UUID(int=1), UUID(int=2), NOW)


def renewed(request_id: str = "r1") -> Session:
    """A session that was renewed once."""
    session = refresh(opened(), 1, request_id, LATER)
    assert isinstance(session, Session)
    return session


def test_a_refresh_makes_the_next_generation_and_moves_the_end() -> None:
    """Generation 2, by this request, valid 30 days from now."""
    assert renewed() == replace(opened(), generation=2, refreshed_by="r1", expires_at=LATER + SESSION_VALID)


def test_a_repeat_changes_nothing() -> None:
    """The same token under the same request gets the same successor."""
    assert refresh(renewed(), 1, "r1", LATER) == renewed()


def test_an_old_token_under_another_request_is_reuse() -> None:
    """Also one of two generations ago under the request that traded it, and one from the future."""
    twice = refresh(renewed(), 2, "r2", LATER)
    assert isinstance(twice, Session)

    assert refresh(renewed(), 1, "r2", LATER) is Refusal.REUSED
    assert refresh(twice, 1, "r1", LATER) is Refusal.REUSED
    assert refresh(opened(), 2, "r1", LATER) is Refusal.REUSED


def test_one_request_trades_one_token() -> None:
    """The newest token under the request that made it is a mistake, not a theft."""
    assert refresh(renewed(), 2, "r1", LATER) is Refusal.REQUEST_REUSED


def test_a_session_that_is_over_is_not_renewed() -> None:
    """Revoked comes before expired; expiry is to the instant."""
    ended = replace(opened(), revoked_at=NOW)

    assert refresh(opened(), 1, "r", NOW + SESSION_VALID) is Refusal.EXPIRED
    assert refresh(ended, 1, "r", NOW + SESSION_VALID) is Refusal.REVOKED


def test_a_generation_has_one_token() -> None:
    """A token names session and generation, and is the same each time."""
    session_id = uuid4()
    token = make_refresh_token(SECRET, session_id, 7)

    assert token == make_refresh_token(SECRET, session_id, 7)
    assert read_refresh_token(SECRET, token) == (session_id, 7)
    assert read_refresh_token(b"t" * 32, token) is None


@given(st.text(max_size=100))
def test_garbage_is_no_refresh_token(text: str) -> None:
    """Any text is refused without an error."""
    assert read_refresh_token(SECRET, text) is None
