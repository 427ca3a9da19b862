"""The gRPC edge of the match service, and its composition root."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any, Final
from uuid import UUID

import grpc
from google.protobuf.message import Message

from libs.eventstore.faults import fault
from libs.eventstore.loops import event_core_loops
from libs.eventstore.port import Request
from libs.eventstore.postgres.database import Database
from libs.eventstore.repository import Repository
from libs.eventstore.wake import Wake
from libs.pb.sparrow.match.v1 import match_service_pb2 as pb
from libs.pb.sparrow.match.v1 import match_service_pb2_grpc as pb_grpc
from libs.pb.sparrow.solitaire.v1 import solitaire_service_pb2 as solitaire_pb
from libs.pb.sparrow.solitaire.v1 import solitaire_service_pb2_grpc as solitaire_grpc
from libs.runtime.clock import Clock
from libs.runtime.errors import invalid_field
from libs.runtime.names import parse_match
from libs.runtime.paging import PAGE_VALID_S, listing, page_size
from libs.runtime.request import current_player, write_request
from libs.runtime.service import Loop, Runtime, Service
from libs.runtime.tokens import OpaqueTokens
from services.match import store as rows
from services.match.attempts import AttemptRepository, Attempts
from services.match.commands import Deal, PutBack, Touch
from services.match.deals import Deals, check_level
from services.match.domain import evolve as evolution
from services.match.watch import WatchHub
from services.match.wire.boards import update_message
from services.match.wire.event_codec import EventCodec
from services.match.wire.layouts import deal_from_wire, warm_up
from services.match.wire.matches import bests_message, level_message, listed_match, match_message
from services.match.wire.streams import stream_message

Context = grpc.aio.ServicerContext[Any, Any]

GRPC_NAME: Final = "sparrow.match.v1.MatchService"
PAGE_KIND: Final = "page.matches"
PAGE_SIZE: Final = 20
PAGE_SIZE_MAX: Final = 100
RESUME_KIND: Final = "resume.match"
RESUME_VALID_S: Final = 24 * 60 * 60


class MatchServicer(pb_grpc.MatchServiceServicer):
    """Translates, asks, translates back."""

    def __init__(
        self,
        attempts: Attempts,
        deals: Deals,
        hub: WatchHub,
        database: Database,
        clock: Clock,
        opaque: OpaqueTokens,
    ) -> None:
        self._attempts = attempts
        self._deals = deals
        self._hub = hub
        self._database = database
        self._clock = clock
        self._opaque = opaque

    async def StartLevel(self, request: pb.StartLevelRequest, context: Context) -> pb.StartLevelResponse:
        """Start an attempt; the reply is the board as it was sent first, for repeats too."""
        write = _receive(context, request)
        deal = await self._deals.of(request.level)
        started = await self._attempts.start(current_player().account_id, deal, write, self._clock.now())
        return pb.StartLevelResponse(
            match=match_message(started.attempt_id, started.state, started.state.last_at)
        )

    async def RestartLevel(
        self, request: pb.RestartLevelRequest, context: Context
    ) -> pb.RestartLevelResponse:
        """End an attempt and start the next one."""
        write = _receive(context, request)
        started = await self._attempts.restart(
            parse_match("name", request.name), current_player().account_id, write, self._clock.now()
        )
        return pb.RestartLevelResponse(
            match=match_message(started.attempt_id, started.state, started.state.last_at)
        )

    async def Touch(self, request: pb.TouchRequest, context: Context) -> pb.TouchResponse:
        """Touch a tile."""
        write = _receive(context, request)
        command = Touch(
            current_player().account_id,
            request.tile,
            _board_version(request.expected_board_version),
            self._clock.now(),
        )
        played = await self._attempts.play(parse_match("name", request.name), command, write)
        return pb.TouchResponse(update=update_message(played.events, played.state))

    async def PutBack(self, request: pb.PutBackRequest, context: Context) -> pb.PutBackResponse:
        """Put the lifted tile back."""
        write = _receive(context, request)
        command = PutBack(
            current_player().account_id, _board_version(request.expected_board_version), self._clock.now()
        )
        played = await self._attempts.play(parse_match("name", request.name), command, write)
        return pb.PutBackResponse(update=update_message(played.events, played.state))

    async def LeaveMatch(self, request: pb.LeaveMatchRequest, context: Context) -> pb.LeaveMatchResponse:
        """End the attempt unfinished."""
        write = _receive(context, request)
        played = await self._attempts.leave(
            parse_match("name", request.name), current_player().account_id, write, self._clock.now()
        )
        return pb.LeaveMatchResponse(update=update_message(played.events, played.state))

    async def GetMatch(self, request: pb.GetMatchRequest, context: Context) -> pb.GetMatchResponse:
        """Read a match of the caller's."""
        attempt_id = parse_match("name", request.name)
        state = await self._attempts.read(attempt_id, current_player().account_id)
        return pb.GetMatchResponse(match=match_message(attempt_id, state, self._clock.now()))

    async def ListMatches(self, request: pb.ListMatchesRequest, context: Context) -> pb.ListMatchesResponse:
        """Page through the caller's attempts in the order of their ids, which is that of birth."""
        size = page_size(request.page_size, PAGE_SIZE, PAGE_SIZE_MAX)
        now, bound_to = self._clock.now(), listing(request)
        before = None
        if request.page_token:
            page = self._opaque.open(PAGE_KIND, request.page_token, now, bound_to=bound_to)
            before = UUID(page["before"])
        async with self._database.engine.connect() as connection:
            found = await rows.attempts_of(connection, current_player().account_id, before, size + 1)
        response = pb.ListMatchesResponse(matches=[listed_match(row, now) for row in found[:size]])
        if len(found) > size:
            response.next_page_token = self._opaque.seal(
                PAGE_KIND, {"before": str(found[size - 1].attempt_id)}, now, PAGE_VALID_S, bound_to=bound_to
            )
        return response

    async def Watch(self, request: pb.WatchRequest, context: Context) -> AsyncIterator[pb.WatchResponse]:
        """Follow a match of the caller's."""
        attempt_id, player = parse_match("name", request.name), current_player()
        bound_to = attempt_id.bytes
        after_version = None
        if request.resume_token:
            left_at = self._opaque.open(
                RESUME_KIND, request.resume_token, self._clock.now(), bound_to=bound_to
            )
            after_version = int(left_at["version"])
        await self._attempts.read(attempt_id, player.account_id)
        async with aclosing(self._hub.follow(attempt_id, player.session_id, after_version)) as stream:
            async for seen in stream:
                now = self._clock.now()
                token = self._opaque.seal(
                    RESUME_KIND, {"version": seen.version}, now, RESUME_VALID_S, bound_to=bound_to
                )
                yield stream_message(attempt_id, seen, token, now)

    async def GetLevel(self, request: pb.GetLevelRequest, context: Context) -> pb.GetLevelResponse:
        """Tell about a level and what the caller has done on it."""
        deal = await self._deals.of(request.level)
        async with self._database.engine.connect() as connection:
            own = await rows.best_of(connection, request.level, current_player().account_id)
        return pb.GetLevelResponse(level=level_message(deal, own))

    async def ListLevelBests(
        self, request: pb.ListLevelBestsRequest, context: Context
    ) -> pb.ListLevelBestsResponse:
        """Tell the ten best times of a level and the caller's own place."""
        check_level(request.level)
        async with self._database.engine.connect() as connection:
            bests = await rows.ten_bests(connection, request.level)
            own = await rows.best_of(connection, request.level, current_player().account_id)
        return bests_message(bests, own)


def _board_version(expected: int) -> int:
    if expected < 0:
        raise invalid_field("expected_board_version", "not negative")
    return expected


def _receive(context: Context, request: Message) -> Request:
    """What makes this write repeat-safe; marks for fault tests that it came, and that it was answered."""
    fault("match.received")

    def replied(_context: Context) -> None:
        fault("match.replied")

    context.add_done_callback(replied)  # type: ignore[arg-type]  # the stub names a class that is not there
    return write_request(context, request)


async def bind(runtime: Runtime) -> Service:
    """Compose the service."""
    database = await runtime.open_database("match")
    repository: AttemptRepository = Repository(evolution, EventCodec(), database.store)
    hub = WatchHub(database.store, runtime.bus, runtime.clock)
    wake = Wake(runtime.bus, "match")
    attempts = Attempts(database.store, repository, runtime.randomness, wake, hub)
    engine = solitaire_grpc.SolitaireServiceStub(runtime.clients.channel("solitaire"))

    async def fetch_deal(level: int) -> Deal:
        return deal_from_wire(await engine.DealLevel(solitaire_pb.DealLevelRequest(level=level)))

    servicer = MatchServicer(attempts, Deals(fetch_deal), hub, database, runtime.clock, runtime.opaque)
    await asyncio.to_thread(warm_up)
    return Service(
        name="match",
        grpc_names=(GRPC_NAME,),
        register=lambda server: pb_grpc.add_MatchServiceServicer_to_server(servicer, server),
        serving=(Loop("match.watch", hub.run),),
        working=tuple(
            Loop(name, body)
            for name, body in event_core_loops(
                database, runtime.bus, "match", runtime.holder, site=runtime.settings.site
            )
        ),
        drain=hub.drain,
        feed=database.feed,
    )
