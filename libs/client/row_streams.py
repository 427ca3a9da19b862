"""Streams on what is told as a whole each time: a ticket, an offer. Broken ones are opened again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import grpc

from libs.client.calls import bearer_metadata
from libs.client.errors import LimitError, SignInError, UnreachableError, error_of
from libs.client.link import Link

SILENCE_S: Final = 40.0
"""A stream gives a sign of life every 15 s."""

T = TypeVar("T")
Metadata = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class RowStream(Generic[T]):
    """How something is followed."""

    open: Callable[[Metadata], grpc.aio.UnaryStreamCall[Any, Any]]
    """Open a stream with the metadata of a call."""
    told: Callable[[Any], T | None]
    """What a message says; none of the last one, which says why the stream ends."""
    is_over: Callable[[T], bool]
    """Whether nothing changes any more."""
    reconnects: Callable[[], None] = lambda: None
    """Called before a stream is opened again."""


async def follow_row(link: Link, stream: RowStream[T]) -> AsyncGenerator[T, None]:
    """Yield what is followed as it stands, whenever it is told of, until it is over.

    Raises UnreachableError once no stream could be opened for as long as retries go on.
    """
    failing_since: float | None = None
    while True:
        gone: UnreachableError | LimitError = UnreachableError(
            "STREAM_ENDED", grpc.StatusCode.UNAVAILABLE, "the stream ended before the wait"
        )
        try:
            async with aclosing(_one_stream(link, stream)) as rows:
                async for row in rows:
                    failing_since = None
                    yield row
                    if stream.is_over(row):
                        return
        except (UnreachableError, LimitError) as error:
            gone = error
        now = asyncio.get_running_loop().time()
        failing_since = now if failing_since is None else failing_since
        if now - failing_since > link.retries.for_s:
            raise gone
        stream.reconnects()
        pause_s = min(0.05 + (now - failing_since) / 2, 1.0)
        await asyncio.sleep(max(pause_s, (gone.retry_after_ms or 0) / 1000))


async def _one_stream(link: Link, stream: RowStream[T]) -> AsyncGenerator[T, None]:
    token = await link.session.token()
    call = stream.open(bearer_metadata(token, link.session.language))
    try:
        while (message := await _read(call)) is not None and (row := stream.told(message)) is not None:
            yield row
    except SignInError:
        await link.session.renew(token)
    finally:
        call.cancel()


async def _read(call: grpc.aio.UnaryStreamCall[Any, Any]) -> Any | None:
    """Return the next message; none where the stream ended or fell silent."""
    try:
        message = await asyncio.wait_for(call.read(), SILENCE_S)
    except TimeoutError:
        return None
    except grpc.aio.AioRpcError as failure:
        raise error_of(failure) from None
    return None if message is grpc.aio.EOF else message
