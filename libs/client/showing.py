"""Following a game of others over however many streams it takes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Any, Final, Generic, TypeAlias, TypeVar

import grpc

from libs.client.calls import bearer_metadata
from libs.client.errors import LimitError, RefusedError, SignInError, UnreachableError, error_of
from libs.client.link import Link

V = TypeVar("V")

SILENCE_S: Final = 40.0
"""A stream sends a heartbeat every 15 s: one that is silent for longer is dead, whatever TCP believes."""
_STALE_TOKEN: Final = frozenset({"RESUME_EXPIRED", "RESUME_TOKEN_INVALID"})
_ENDS: Final = frozenset({"MATCH_ENDED", "FINISHED", "CANCELLED"})
"""Why a stream ends when all was shown: of matches, of tournaments."""
OpenStream: TypeAlias = Callable[[str, Sequence[tuple[str, str]]], Any]
SeenOf: TypeAlias = Callable[[Any, V | None], V | None]
"""What a message makes of the value before it; None where it tells nothing."""


class Showing(Generic[V]):
    """The joined stream of one game, as the last value that its messages have made."""

    def __init__(self, link: Link, open_stream: OpenStream, seen_of: SeenOf[V]) -> None:
        """Open streams with a resume token and the metadata of a call; translate what they bring."""
        self._link = link
        self._open_stream = open_stream
        self._seen_of = seen_of
        self._token = ""
        self._seen: V | None = None
        self._failing_since: float | None = None
        self._gone: UnreachableError | LimitError | None = None
        self.is_over = False

    async def values(self) -> AsyncGenerator[V, None]:
        """Yield what is shown until its end was. Streams that break are resumed: nothing is missed."""
        while not self.is_over:
            async with aclosing(self._one_stream()) as stream:
                async for seen in stream:
                    yield seen
            if not self.is_over:
                await self._pause()

    async def _one_stream(self) -> AsyncGenerator[V, None]:
        """Yield what one stream brings."""
        bearer = await self._link.session.token()
        call = self._open_stream(self._token, bearer_metadata(bearer, self._link.session.language))
        self._gone = None
        try:
            while (response := await _read(call)) is not None:
                self._failing_since = None
                self._token = response.resume_token or self._token
                if response.HasField("end"):
                    self._take_end(response.end.reason)
                    return
                seen = self._seen_of(response, self._seen)
                if seen is not None:
                    self._seen = seen
                    yield seen
        except SignInError:
            await self._link.session.renew(bearer)
        except (UnreachableError, LimitError) as error:
            self._gone = error
        except RefusedError as refused:
            if refused.reason not in _STALE_TOKEN or not self._token:
                raise
            self._token = ""  # too old to go on from: a snapshot tells where the match stands
        finally:
            call.cancel()

    async def _pause(self) -> None:
        """Wait before the next stream, or raise where the patience has run out."""
        gone = self._gone or UnreachableError(
            "STREAM_ENDED", grpc.StatusCode.UNAVAILABLE, "the stream ended before the match"
        )
        now = asyncio.get_running_loop().time()
        self._failing_since = now if self._failing_since is None else self._failing_since
        failing_s = now - self._failing_since
        if failing_s > self._link.retries.for_s:
            raise gone
        await asyncio.sleep(max(min(0.05 + failing_s / 2, 1.0), (gone.retry_after_ms or 0) / 1000))

    def _take_end(self, reason: str) -> None:
        """Note whether all was shown: else another stream goes on. Raises where the player took a seat."""
        if reason == "SPECTATOR_SEATED":
            raise RefusedError(reason, grpc.StatusCode.PERMISSION_DENIED, "you have a seat in this match now")
        self.is_over = reason in _ENDS


async def _read(call: Any) -> Any:
    """Return the next message; none where the stream ended or fell silent."""
    try:
        response = await asyncio.wait_for(call.read(), SILENCE_S)
    except TimeoutError:
        return None
    except grpc.aio.AioRpcError as failure:
        raise error_of(failure) from None
    return None if response is grpc.aio.EOF else response
