"""The gRPC edge of spectating."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import grpc

from libs.eventsourcing.following import End, Heartbeat
from libs.pb.sparrow.match.v1 import spectate_pb2
from libs.pb.sparrow.match.v1 import spectate_service_pb2 as pb
from libs.pb.sparrow.match.v1 import spectate_service_pb2_grpc as pb_grpc
from libs.runtime.clock import Clock
from libs.runtime.errors import invalid_field
from libs.runtime.languages.endings import ending_text
from libs.runtime.names import match_name, parse_match, player_name
from libs.runtime.paging import PAGE_VALID_S, listing, page_size
from libs.runtime.request import current_player
from libs.runtime.tokens import OpaqueTokens
from libs.spectating.hub import Snapshot
from libs.spectating.stages import LeftAt
from services.match.domain.spectating.modes import WatchedMode
from services.match.spectating.matches import MatchSeen, SpectatedMatches
from services.match.watching.live import LiveMatch
from services.match.wire.boards import timestamp
from services.match.wire.spectating import MODES

Context = grpc.aio.ServicerContext[Any, Any]

GRPC_NAME: Final = "sparrow.match.v1.SpectateService"
PAGE_KIND: Final = "page.live"
PAGE_SIZE: Final = 20
PAGE_SIZE_MAX: Final = 100
RESUME_KIND: Final = "resume.spectate"
RESUME_VALID_S: Final = 24 * 60 * 60
_MODE_OF: Final = {value: mode for mode, value in MODES.items()}
_MILLISECOND: Final = timedelta(milliseconds=1)


class SpectateServicer(pb_grpc.SpectateServiceServicer):
    """Translates, asks, translates back."""

    def __init__(
        self, matches: SpectatedMatches, clock: Clock, opaque: OpaqueTokens, delay: timedelta
    ) -> None:
        """State `delay` with everything that is shown."""
        self._matches = matches
        self._clock = clock
        self._opaque = opaque
        self._delay = delay

    async def ListLive(self, request: pb.ListLiveRequest, context: Context) -> pb.ListLiveResponse:
        """Page through the matches that can be watched."""
        size = page_size(request.page_size, PAGE_SIZE, PAGE_SIZE_MAX)
        now, bound_to = self._clock.now(), listing(request)
        before = None
        if request.page_token:
            page = self._opaque.open(PAGE_KIND, request.page_token, now, bound_to=bound_to)
            before = UUID(page["before"])
        found = await self._matches.listed(_mode(request.mode), current_player().account_id, before, size + 1)
        response = pb.ListLiveResponse(
            matches=map(_live_match, found[:size]),
            delay_ms=self._delay // _MILLISECOND,
            shown_time=timestamp(now - self._delay),
        )
        if len(found) > size:
            last = {"before": str(found[size - 1].match_id)}
            response.next_page_token = self._opaque.seal(
                PAGE_KIND, last, now, PAGE_VALID_S, bound_to=bound_to
            )
        return response

    async def Spectate(
        self, request: pb.SpectateRequest, context: Context
    ) -> AsyncIterator[pb.SpectateResponse]:
        """Follow a match that the caller does not sit in."""
        match_id, account_id = parse_match("name", request.name), current_player().account_id
        left_at = self._left_at(match_id, request.resume_token)
        found = await self._matches.open(match_id, account_id, request.invitation_code, left_at)
        async with aclosing(self._matches.follow(found, account_id, left_at)) as stream:
            async for stream_id, seen in stream:
                message = self._message(found.match_id, stream_id, seen)
                if message is not None:
                    yield message

    def _message(self, match_id: UUID, stream_id: UUID, seen: MatchSeen) -> pb.SpectateResponse | None:
        """One message; None where spectators see nothing of a change."""
        now = self._clock.now()
        shown_at = now - self._delay
        message = pb.SpectateResponse(
            resume_token=self._resume_token(match_id, stream_id, seen.version, now),
            delay_ms=self._delay // _MILLISECOND,
            shown_time=timestamp(shown_at),
            elapsed_ms=self._matches.elapsed_ms(stream_id, shown_at),
        )
        match seen:
            case Snapshot(match=told):
                message.snapshot.CopyFrom(told)
            case Heartbeat():
                message.heartbeat.time.CopyFrom(timestamp(now))
            case End(reason=reason):
                message.end.reason, message.end.text = reason, ending_text(reason)
            case _ if seen.update is None:
                return None
            case _:
                message.update.CopyFrom(seen.update)
        return message

    def _left_at(self, match_id: UUID, resume_token: str) -> LeftAt | None:
        """Where a reader left the match."""
        if not resume_token:
            return None
        now = self._clock.now()
        told = self._opaque.open(RESUME_KIND, resume_token, now, bound_to=match_id.bytes)
        return LeftAt(UUID(told["stream"]), int(told["version"]))

    def _resume_token(self, match_id: UUID, stream_id: UUID, version: int, now: datetime) -> str:
        left_at = {"stream": str(stream_id), "version": version}
        return self._opaque.seal(RESUME_KIND, left_at, now, RESUME_VALID_S, bound_to=match_id.bytes)


def _mode(told: spectate_pb2.SpectateMode.ValueType) -> WatchedMode | None:
    if told == spectate_pb2.SPECTATE_MODE_UNSPECIFIED:
        return None
    if told not in _MODE_OF:
        raise invalid_field("mode", "one of the modes, or none")
    return _MODE_OF[told]


def _live_match(match: LiveMatch) -> spectate_pb2.LiveMatch:
    return spectate_pb2.LiveMatch(
        name=match_name(match.match_id),
        mode=MODES[match.mode],
        players=map(player_name, match.accounts),
        cpu_players=match.cpu_players,
        create_time=timestamp(match.created_at),
    )
