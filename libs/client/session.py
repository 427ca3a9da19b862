"""The signed-in session: opened with the device key, refreshed in time, opened anew when it is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

from libs.client.calls import LIST_DEADLINE_S, Anonymous, Calls, Retries
from libs.client.errors import SignInError
from libs.client.results import Profile
from libs.client.wire import profile_of
from libs.pb.sparrow.account.v1 import account_pb2 as account
from libs.pb.sparrow.account.v1 import account_service_pb2 as wire

if TYPE_CHECKING:
    from libs.pb.sparrow.account.v1.account_service_pb2_grpc import AccountServiceAsyncStub

REFRESH_BEFORE = timedelta(seconds=60)
Now = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the present instant by this machine's clock."""
    return datetime.now(UTC)


class Session:
    """The tokens of one signed-in device; hands out an access token that is good for a while.

    The machine's own clock only decides when to refresh early. Where it is wrong the server says
    TOKEN_EXPIRED, and the session is refreshed then.
    """

    def __init__(
        self,
        account_stub: AccountServiceAsyncStub,
        key: bytes,
        retries: Retries,
        now: Now,
        language: str = "",
    ) -> None:
        """Take the stub of the account service and the device key; nothing is called."""
        self.language = language
        """What the player reads, as `accept-language` tells it; "" leaves it to the server."""
        self._account = account_stub
        self._key = key
        self._calls = Calls(Anonymous(), retries, language)
        self._now = now
        self._session: account.Session | None = None
        self._refresh_at: datetime | None = None
        self._lock = asyncio.Lock()

    async def sign_in(self) -> tuple[Profile, bool]:
        """Open a session; return the player and whether this created the profile."""
        request = wire.SignInRequest(device_key=self._key, request_id=str(uuid4()))
        answer = await self._calls.unary(self._account.SignIn, request, LIST_DEADLINE_S)
        self._keep(answer.session)
        return profile_of(answer.profile), answer.created

    async def token(self) -> str:
        """Return an access token that is good for another minute; refreshes where it is not."""
        async with self._lock:
            session = self._session
            if session is None:
                await self.sign_in()
            elif self._expires_soon():
                await self._refresh(session)
            assert self._session is not None
            return self._session.access_token

    async def renew(self, refused: str) -> None:
        """Replace the token that the server refused, unless another call has done so already."""
        async with self._lock:
            session = self._session
            if session is None or session.access_token == refused:
                await self._refresh(session) if session is not None else await self.sign_in()

    def forget(self) -> None:
        """Drop the tokens; the next call signs in anew."""
        self._session = None

    def _keep(self, session: account.Session) -> None:
        """Keep the tokens, and when to refresh them: never early where this machine's clock must be wrong."""
        self._session = session
        now, expires = self._now(), session.access_expire_time.ToDatetime(UTC)
        self._refresh_at = expires - REFRESH_BEFORE if now + 2 * REFRESH_BEFORE < expires else None

    def _expires_soon(self) -> bool:
        return self._refresh_at is not None and self._now() >= self._refresh_at

    async def _refresh(self, session: account.Session) -> None:
        """Trade the refresh token; where the session is gone (revoked, expired), sign in again."""
        request = wire.RefreshSessionRequest(refresh_token=session.refresh_token, request_id=str(uuid4()))
        try:
            answer = await self._calls.unary(self._account.RefreshSession, request, LIST_DEADLINE_S)
        except SignInError:
            await self.sign_in()
        else:
            self._keep(answer.session)
