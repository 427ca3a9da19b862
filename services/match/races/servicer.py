"""The gRPC edge of races."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, suppress
from datetime import datetime
from typing import Any, Final, TypeAlias
from uuid import UUID, uuid4

import grpc

from libs.eventsourcing.following import End, Heartbeat
from libs.eventstore.faults import fault
from libs.eventstore.port import Request, StoreUnavailable
from libs.pb.sparrow.match.v1 import race_pb2
from libs.pb.sparrow.match.v1 import race_service_pb2 as pb
from libs.pb.sparrow.match.v1 import race_service_pb2_grpc as pb_grpc
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused, invalid_field
from libs.runtime.names import match_name, parse_match
from libs.runtime.request import current_player, write_request
from libs.runtime.tokens import OpaqueTokens
from services.match.domain.race.commands import (
    ComeBack,
    Command,
    GiveUp,
    GoAway,
    Hint,
    RemovePair,
    Shuffle,
    TouchTile,
)
from services.match.races.groups import Groups
from services.match.races.play import RaceHub, Races, stream_of
from services.match.races.records import Records
from services.match.wire.race_groups import group_message, parse_code, parse_group, plan_of
from services.match.wire.race_settings import DIFFICULTIES
from services.match.wire.race_views import own_update, race_message, race_stream_message

Context: TypeAlias = grpc.aio.ServicerContext[Any, Any]
GRPC_NAME: Final = "sparrow.match.v1.RaceService"
RESUME_KIND: Final = "resume.race"
RESUME_VALID_S: Final = 24 * 60 * 60
STAYING: Final = frozenset({"MATCH_ENDED", "SEAT_TAKEN_OVER"})
"""Ends of streams after which nobody is away."""
AWAY_METHOD: Final = "/sparrow.match.v1.RaceService/WatchRace"


class RaceServicer(pb_grpc.RaceServiceServicer):
    """Translates, asks, translates back."""

    def __init__(
        self, groups: Groups, races: Races, records: Records, hub: RaceHub, clock: Clock, opaque: OpaqueTokens
    ) -> None:
        self._groups = groups
        self._races = races
        self._records = records
        self._hub = hub
        self._clock = clock
        self._opaque = opaque
        self._streams: Counter[tuple[UUID, UUID]] = Counter()  # of a race and an account, in this process

    # -- groups

    async def CreateRaceGroup(
        self, request: pb.CreateRaceGroupRequest, context: Context
    ) -> pb.CreateRaceGroupResponse:
        """Make a group."""
        write = write_request(context, request)
        plan = plan_of(_settings(request), request.cpu_players, rated=request.rated)
        kept = await self._groups.create(current_player().account_id, plan, write, self._clock.now())
        return pb.CreateRaceGroupResponse(group=_group(kept))

    async def JoinRaceGroup(
        self, request: pb.JoinRaceGroupRequest, context: Context
    ) -> pb.JoinRaceGroupResponse:
        """Join by an invitation."""
        write, code = write_request(context, request), parse_code(request.code)
        kept = await self._groups.join(current_player().account_id, code, write, self._clock.now())
        return pb.JoinRaceGroupResponse(group=_group(kept))

    async def LeaveRaceGroup(
        self, request: pb.LeaveRaceGroupRequest, context: Context
    ) -> pb.LeaveRaceGroupResponse:
        """Leave a group."""
        return pb.LeaveRaceGroupResponse(group=await self._in_group(request, context, self._groups.leave))

    async def GetRaceGroup(
        self, request: pb.GetRaceGroupRequest, context: Context
    ) -> pb.GetRaceGroupResponse:
        """Read a group."""
        group = await self._groups.read(current_player().account_id, parse_group(request.name))
        return pb.GetRaceGroupResponse(group=group_message(group))

    async def WatchRaceGroup(
        self, request: pb.WatchRaceGroupRequest, context: Context
    ) -> AsyncIterator[pb.WatchRaceGroupResponse]:
        """Follow a group."""
        follow = self._groups.follow(current_player().account_id, parse_group(request.name))
        async with aclosing(follow) as groups:
            async for group in groups:
                yield pb.WatchRaceGroupResponse(group=group_message(group))

    async def UpdateRaceGroup(
        self, request: pb.UpdateRaceGroupRequest, context: Context
    ) -> pb.UpdateRaceGroupResponse:
        """Choose what is played."""
        write = write_request(context, request)
        plan = plan_of(_settings(request), request.cpu_players, rated=request.rated)
        kept = await self._groups.change(
            current_player().account_id, parse_group(request.name), plan, write, self._clock.now()
        )
        return pb.UpdateRaceGroupResponse(group=_group(kept))

    async def AskForAnotherRace(
        self, request: pb.AskForAnotherRaceRequest, context: Context
    ) -> pb.AskForAnotherRaceResponse:
        """Ask for another game."""
        return pb.AskForAnotherRaceResponse(group=await self._in_group(request, context, self._groups.ask))

    async def StartRace(self, request: pb.StartRaceRequest, context: Context) -> pb.StartRaceResponse:
        """Start a race."""
        return pb.StartRaceResponse(group=await self._in_group(request, context, self._groups.start))

    async def _in_group(
        self,
        request: Any,
        context: Context,
        act: Callable[[UUID, UUID | None, Request, datetime], Awaitable[bytes]],
    ) -> race_pb2.RaceGroup:
        write, group_id = write_request(context, request), parse_group(request.name)
        return _group(await act(current_player().account_id, group_id, write, self._clock.now()))

    # -- playing

    async def GetRace(self, request: pb.GetRaceRequest, context: Context) -> pb.GetRaceResponse:
        """Read a race."""
        account_id = current_player().account_id
        state = await self._races.read(parse_match("name", request.name), account_id)
        return pb.GetRaceResponse(race=race_message(state, account_id, self._clock.now()))

    async def RemovePair(self, request: pb.RemovePairRequest, context: Context) -> pb.RemovePairResponse:
        """Take two tiles."""
        version, now = _board_version(request), self._clock.now()
        command = RemovePair(current_player().account_id, request.first, request.second, version, now)
        return pb.RemovePairResponse(update=await self._play(request, context, command))

    async def TouchTile(self, request: pb.TouchTileRequest, context: Context) -> pb.TouchTileResponse:
        """Touch a tile."""
        version, now = _board_version(request), self._clock.now()
        command = TouchTile(current_player().account_id, request.tile, version, now)
        return pb.TouchTileResponse(update=await self._play(request, context, command))

    async def ShuffleBoard(
        self, request: pb.ShuffleBoardRequest, context: Context
    ) -> pb.ShuffleBoardResponse:
        """Shuffle a blocked board."""
        command = Shuffle(current_player().account_id, _board_version(request), self._clock.now())
        return pb.ShuffleBoardResponse(update=await self._play(request, context, command))

    async def ShowHint(self, request: pb.ShowHintRequest, context: Context) -> pb.ShowHintResponse:
        """Light a pair."""
        command = Hint(current_player().account_id, _board_version(request), self._clock.now())
        return pb.ShowHintResponse(update=await self._play(request, context, command))

    async def GiveUpRace(self, request: pb.GiveUpRaceRequest, context: Context) -> pb.GiveUpRaceResponse:
        """Give up."""
        command = GiveUp(current_player().account_id, self._clock.now())
        return pb.GiveUpRaceResponse(update=await self._play(request, context, command))

    async def LeaveRace(self, request: pb.LeaveRaceRequest, context: Context) -> pb.LeaveRaceResponse:
        """Go away for now."""
        command = GoAway(current_player().account_id, self._clock.now())
        return pb.LeaveRaceResponse(update=await self._play(request, context, command))

    async def _play(self, request: Any, context: Context, command: Command) -> race_pb2.RaceUpdate:
        fault("match.received")
        write, race_id = write_request(context, request), parse_match("name", request.name)
        played = await self._races.play(race_id, command, write)
        return own_update(played.events, played.state, current_player().account_id)

    # -- watching

    async def WatchRace(
        self, request: pb.WatchRaceRequest, context: Context
    ) -> AsyncIterator[pb.WatchRaceResponse]:
        """Follow a race of the caller's; who ends the stream is away."""
        race_id, player = parse_match("name", request.name), current_player()
        after = self._version_of(race_id, request.resume_token)
        await self._races.read(race_id, player.account_id)
        reason, seat = "", (race_id, player.account_id)
        self._streams[seat] += 1
        try:
            await self._move(race_id, ComeBack(player.account_id, self._clock.now()))
            stream = self._hub.follow(stream_of(race_id), player.account_id, player.session_id, after)
            async with aclosing(stream) as changes:
                async for seen in changes:
                    reason = seen.reason if isinstance(seen, End) else ""
                    if isinstance(seen, Heartbeat):  # another process may have seen an older stream end
                        await self._move(race_id, ComeBack(player.account_id, self._clock.now()))
                    now = self._clock.now()
                    token = self._opaque.seal(
                        RESUME_KIND, {"version": seen.version}, now, RESUME_VALID_S, bound_to=race_id.bytes
                    )
                    message = race_stream_message(player.account_id, seen, token, now)
                    if message is not None:
                        yield message
        finally:
            self._streams[seat] -= 1
            if not self._streams[seat]:
                del self._streams[seat]
                if reason not in STAYING:
                    await self._move(race_id, GoAway(player.account_id, self._clock.now()))

    async def _move(self, race_id: UUID, command: ComeBack | GoAway) -> None:
        message = pb.LeaveRaceRequest(name=match_name(race_id), request_id=str(uuid4()))
        with suppress(Refused, StoreUnavailable):  # over meanwhile, or nobody can be told now
            await self._races.play(race_id, command, write_request(AWAY_METHOD, message))

    def _version_of(self, race_id: UUID, resume_token: str) -> int | None:
        if not resume_token:
            return None
        told = self._opaque.open(RESUME_KIND, resume_token, self._clock.now(), bound_to=race_id.bytes)
        return int(told["version"])

    # -- records

    async def GetRacer(self, request: pb.GetRacerRequest, context: Context) -> pb.GetRacerResponse:
        """Tell the caller's rating and best times."""
        rating, bests = await self._records.of(current_player().account_id)
        response = pb.GetRacerResponse(
            bests=[
                race_pb2.RaceBest(
                    difficulty=DIFFICULTIES[best.difficulty],
                    flowers_and_seasons=best.flowers_and_seasons,
                    elapsed_ms=best.best_ms,
                    race=match_name(best.race_id),
                )
                for best in bests
            ]
        )
        if rating is not None:
            response.rating, response.rated_races = rating.number, rating.races
        return response


def _group(kept: bytes) -> race_pb2.RaceGroup:
    return race_pb2.RaceGroup.FromString(kept)


def _settings(request: pb.CreateRaceGroupRequest | pb.UpdateRaceGroupRequest) -> race_pb2.RaceSettings | None:
    return request.settings if request.HasField("settings") else None


def _board_version(request: Any) -> int:
    if request.expected_board_version < 0:
        raise invalid_field("expected_board_version", "not negative")
    return int(request.expected_board_version)
