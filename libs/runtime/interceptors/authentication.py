"""Who calls: the bearer token of a call, and the sessions that ended before their tokens did."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from libs.runtime.caller import Anybody, Caller, Player
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused
from libs.runtime.tokens import ACCESS_VALID, TokenVerifier

SIGN_OUT = "/sparrow.account.v1.AccountService/SignOut"
"""Judges a revoked session by itself: a repeat of the call that revoked it gets its first answer."""


class Revocations:
    """Sessions whose access tokens are refused before they expire.

    The account service's processes broadcast what was revoked lately; see `services.account`.
    """

    def __init__(self) -> None:
        self._until: dict[UUID, datetime] = {}

    @property
    def count(self) -> int:
        """How many sessions are refused."""
        return len(self._until)

    def revoke(self, session_ids: Iterable[UUID], at: datetime) -> None:
        """Refuse the sessions' tokens from now on; no token of theirs is valid `ACCESS_VALID` after `at`."""
        for session_id in session_ids:
            self._until.setdefault(session_id, at + ACCESS_VALID)

    def is_revoked(self, session_id: UUID) -> bool:
        """Whether tokens of the session are refused."""
        return session_id in self._until

    def forget_expired(self, now: datetime) -> None:
        """Drop sessions all of whose tokens have expired by themselves, with a minute to spare."""
        spare = timedelta(minutes=1)
        for session_id in [key for key, until in self._until.items() if until + spare < now]:
            del self._until[session_id]


class Authenticator:
    """Turns the metadata of a call into its caller."""

    def __init__(self, verifier: TokenVerifier, revocations: Revocations, clock: Clock) -> None:
        self._verifier = verifier
        self._revocations = revocations
        self._clock = clock

    def caller(self, path: str, metadata: Iterable[tuple[str, str | bytes]] | None) -> Caller:
        """Return who calls. Raises Refused TOKEN_INVALID, TOKEN_EXPIRED or SESSION_REVOKED."""
        header = next((value for key, value in metadata or () if key == "authorization"), None)
        if header is None:
            return Anybody()
        text = header if isinstance(header, str) else header.decode("ascii", "replace")
        scheme, _, token = text.partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise Refused("TOKEN_INVALID", 'expected "authorization: Bearer <token>"')
        caller = self._verifier.caller(token.strip(), self._clock.now())
        if isinstance(caller, Player) and path != SIGN_OUT:
            self._check_session(caller)
        return caller

    def _check_session(self, player: Player) -> None:
        if self._revocations.is_revoked(player.session_id):
            raise Refused("SESSION_REVOKED", "this session was signed out")
