"""Watching matches of others: which there are, and one of them as it is played, a stated delay later."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from libs.client.calls import LIST_DEADLINE_S
from libs.client.link import Link
from libs.client.showing import Showing
from libs.client.spectated import MODE_OF, MODE_TO_WIRE, SpectatedMatch, SpectateMode, spectated_of
from libs.pb.sparrow.match.v1 import spectate_pb2 as wire
from libs.pb.sparrow.match.v1 import spectate_service_pb2 as calls

if TYPE_CHECKING:
    from libs.pb.sparrow.match.v1.spectate_service_pb2_grpc import SpectateServiceAsyncStub

PAGE_SIZE: Final = 100


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

        def open_stream(resume_token: str, metadata: Sequence[tuple[str, str]]) -> Any:
            request = calls.SpectateRequest(name=name, resume_token=resume_token, invitation_code=code)
            return self._stub.Spectate(request, metadata=metadata)

        async with aclosing(Showing(self._link, open_stream, spectated_of).values()) as values:
            async for seen in values:
                yield seen


def _live_of(match: wire.LiveMatch) -> LiveMatch:
    return LiveMatch(
        match.name,
        MODE_OF[match.mode],
        tuple(match.players),
        match.cpu_players,
        match.create_time.ToDatetime(UTC),
    )
