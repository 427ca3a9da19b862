"""How every call is made: with a deadline, with the caller's token, and again when the reply was lost."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import grpc
from google.protobuf.message import Message
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_delay
from tenacity.wait import wait_random_exponential

from libs.client.errors import SignInError, SparrowError, UnreachableError, error_of
from libs.telemetry.traceparent import KEY as TRACE_KEY
from libs.telemetry.traceparent import callers_own

Q = TypeVar("Q", bound=Message, contravariant=True)
A = TypeVar("A", bound=Message, covariant=True)

MOVE_DEADLINE_S = 2.0
LIST_DEADLINE_S = 5.0
_BACKOFF = wait_random_exponential(multiplier=0.05, max=1.0)


class Method(Protocol[Q, A]):
    """A unary method of a generated stub."""

    def __call__(self, request: Q, /, *, timeout: float, metadata: Any = None) -> Awaitable[A]:
        """Send the request."""
        ...


class Bearer(Protocol):
    """Knows the token that the calls carry."""

    async def token(self) -> str:
        """Return a token that has not expired, as far as the client knows."""
        ...

    async def renew(self, refused: str) -> None:
        """Get another token, because the server refused this one."""
        ...


class Anonymous:
    """Calls without a token: for methods that anybody may call."""

    async def token(self) -> str:
        """Return no token."""
        return ""

    async def renew(self, refused: str) -> None:  # noqa: ARG002 there is none
        """Nothing can be renewed."""
        raise SignInError("TOKEN_MISSING", grpc.StatusCode.UNAUTHENTICATED, "this method asks who is calling")


@dataclass(frozen=True)
class Retries:
    """How long the client goes on by itself when nothing answers or a reply is lost."""

    for_s: float = 10.0
    on_retry: Callable[[SparrowError], None] | None = None
    """Told of every try that failed and is followed by another."""


class Calls:
    """Makes unary calls. A request with a `request_id` is sent again unchanged, so it happens once."""

    def __init__(self, bearer: Bearer, retries: Retries, language: str = "") -> None:
        """Take the source of tokens, the patience, and what the player reads ("pl", or "pl, en;q=0.5")."""
        self._bearer = bearer
        self._retries = retries
        self._language = language

    async def unary(self, method: Method[Q, A], request: Q, deadline_s: float) -> A:
        """Return the answer. Raises SparrowError; UnreachableError once the patience has run out."""
        async for attempt in self._attempts():
            with attempt:
                return await self._signed(method, request, deadline_s)
        raise AssertionError("the attempts end with an answer or an error")

    async def _signed(self, method: Method[Q, A], request: Q, deadline_s: float) -> A:
        """Make one try; a token that the server refuses is renewed once."""
        token = await self._bearer.token()
        try:
            return await self._once(method, request, deadline_s, token)
        except SignInError:
            if not token:
                raise
        await self._bearer.renew(token)
        return await self._once(method, request, deadline_s, await self._bearer.token())

    async def _once(self, method: Method[Q, A], request: Q, deadline_s: float, token: str) -> A:
        metadata = bearer_metadata(token, self._language)
        try:
            return await method(request, timeout=deadline_s, metadata=metadata)
        except grpc.aio.AioRpcError as failure:
            raise error_of(failure) from None

    def _attempts(self) -> AsyncRetrying:
        return AsyncRetrying(
            retry=retry_if_exception_type(UnreachableError),
            stop=stop_after_delay(self._retries.for_s),
            wait=_pause_s,
            before_sleep=self._tell,
            reraise=True,
        )

    def _tell(self, state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome is not None else None
        if self._retries.on_retry is not None and isinstance(error, SparrowError):
            self._retries.on_retry(error)


def bearer_metadata(token: str, language: str = "") -> tuple[tuple[str, str], ...]:
    """Return the call metadata: the token, what the player reads, and the trace of the program that plays."""
    metadata = (("authorization", f"Bearer {token}"),) if token else ()
    if language:
        metadata = (*metadata, ("accept-language", language))
    running = callers_own()
    return metadata if running is None else (*metadata, (TRACE_KEY, running))


def _pause_s(state: RetryCallState) -> float:
    """Return the pause before the next try: random and growing, never shorter than the server asked for."""
    error = state.outcome.exception() if state.outcome is not None else None
    asked_ms = error.retry_after_ms if isinstance(error, SparrowError) else None
    return max(_BACKOFF(state), (asked_ms or 0) / 1000)
