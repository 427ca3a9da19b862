"""Watching matches of others: which there are, and one of them as it is played, a stated delay later."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import grpc

from libs.client.calls import LIST_DEADLINE_S, bearer_metadata
from libs.client.errors import LimitError, RefusedError, SignInError, UnreachableError, error_of
from libs.client.link import Link
from libs.client.spectated import MODE_OF, MODE_TO_WIRE, SpectatedMatch, SpectateMode, spectated_of
from libs.pb.sparrow.match.v1 import spectate_pb2 as wire
from libs.pb.sparrow.match.v1 import spectate_service_pb2 as calls

if TYPE_CHECKING:
    from libs.pb.sparrow.match.v1.spectate_service_pb2_grpc import SpectateServiceAsyncStub

PAGE_SIZE: Final = 100
SILENCE_S: Final = 40.0
"""A stream sends a heartbeat every 15 s: one that is silent for longer is dead, whatever TCP believes."""
_STALE_TOKEN: Final = frozenset({"RESUME_EXPIRED", "RESUME_TOKEN_INVALID"})


@dataclass(frozen=True, slots=True)
class LiveMatch:
    """A match that can be watched."""

    name: str
    mode: SpectateMode
    players: tuple[str, ...]
    cpu_players: int
    create_time: datetime


@dataclass(frozen=True, slots=True)
class LiveMatches:
    """The matches that were played at `shown_time`, which is `delay_ms` ago; the newest first."""

    matches: tuple[LiveMatch, ...]
    delay_ms: int
    shown_time: datetime


class Spectating:
    """The matches of others."""

    def __init__(self, link: Link, stub: SpectateServiceAsyncStub) -> None:
        """Ask through the client's connection."""
        self._link = link
        self._stub = stub

    async def live(self, mode: SpectateMode | None = None, at_most: int = PAGE_SIZE) -> LiveMatches:
        """Return the matches that can be watched, of one mode or of all; private ones are not among them."""
        found: list[LiveMatch] = []
        token = ""
        while True:
            request = calls.ListLiveRequest(
                mode=wire.SPECTATE_MODE_UNSPECIFIED if mode is None else MODE_TO_WIRE[mode],
                page_size=min(PAGE_SIZE, at_most - len(found)),
                page_token=token,
            )
            answer = await self._link.calls.unary(self._stub.ListLive, request, LIST_DEADLINE_S)
            found += [_live_of(match) for match in answer.matches]
            token = answer.next_page_token
            if not token or len(found) >= at_most:
                return LiveMatches(tuple(found), answer.delay_ms, answer.shown_time.ToDatetime(UTC))

    async def watch(self, name: str, code: str = "") -> AsyncGenerator[SpectatedMatch, None]:
        """Yield a match, "matches/<uuid>", whenever what is shown of it changes, until its end was shown.

        A private one takes its invitation code. Streams that break are resumed: nothing is missed. Raises
        RefusedError: SPECTATOR_SEATED for whoever sits in it or takes a seat, INVITATION_NEEDED, NOT_FOUND;
        LimitError while too many watch; UnreachableError once the patience has run out.
        """
        watching = _Watching(self._link, self._stub, name, code)
        while not watching.is_over:
            async with aclosing(watching.one_stream()) as stream:
                async for seen in stream:
                    yield seen
            if not watching.is_over:
                await watching.pause()


class _Watching:
    """The joined stream of one match."""

    def __init__(self, link: Link, stub: SpectateServiceAsyncStub, name: str, code: str) -> None:
        self._link = link
        self._stub = stub
        self._name = name
        self._code = code
        self._token = ""
        self._seen: SpectatedMatch | None = None
        self._failing_since: float | None = None
        self._gone: UnreachableError | LimitError | None = None
        self.is_over = False

    async def one_stream(self) -> AsyncGenerator[SpectatedMatch, None]:
        """Yield what one stream brings."""
        bearer = await self._link.session.token()
        request = calls.SpectateRequest(name=self._name, resume_token=self._token, invitation_code=self._code)
        call: Any = self._stub.Spectate(
            request, metadata=bearer_metadata(bearer, self._link.session.language)
        )
        self._gone = None
        try:
            while (response := await _read(call)) is not None:
                self._failing_since = None
                self._token = response.resume_token or self._token
                if response.HasField("end"):
                    self._take_end(response.end.reason)
                    return
                seen = spectated_of(response, self._seen)
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

    async def pause(self) -> None:
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
        self.is_over = reason == "MATCH_ENDED"


async def _read(call: Any) -> calls.SpectateResponse | None:
    """Return the next message; none where the stream ended or fell silent."""
    try:
        response = await asyncio.wait_for(call.read(), SILENCE_S)
    except TimeoutError:
        return None
    except grpc.aio.AioRpcError as failure:
        raise error_of(failure) from None
    return response if isinstance(response, calls.SpectateResponse) else None


def _live_of(match: wire.LiveMatch) -> LiveMatch:
    return LiveMatch(
        match.name,
        MODE_OF[match.mode],
        tuple(match.players),
        match.cpu_players,
        match.create_time.ToDatetime(UTC),
    )
