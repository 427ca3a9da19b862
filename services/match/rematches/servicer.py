"""The gRPC edge of rematches, and what they need, composed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from functools import partial
from typing import Any, Final

import grpc

from libs.eventstore.postgres.database import Database
from libs.eventstore.wake import Wake
from libs.pb.sparrow.match.v1 import rematch_service_pb2 as pb
from libs.pb.sparrow.match.v1 import rematch_service_pb2_grpc as pb_grpc
from libs.queueing.forgetting import forget_rematches
from libs.queueing.rematch_watch import RematchWatch
from libs.rules.pairing.rematch import Answer
from libs.runtime.clock import Clock
from libs.runtime.names import parse_match
from libs.runtime.request import current_player, write_request
from libs.runtime.service import Loop, Runtime
from services.match.domain.queueing import Rematch
from services.match.rematches import store as rows
from services.match.rematches.rematches import BeginGame, Rematches
from services.match.wire.rematches import rematch_message, stream_message

Context = grpc.aio.ServicerContext[Any, Any]

GRPC_NAME: Final = "sparrow.match.v1.RematchService"


class RematchServicer(pb_grpc.RematchServiceServicer):
    """Translates, asks, translates back."""

    def __init__(self, rematches: Rematches, watch: RematchWatch, clock: Clock) -> None:
        """Translate for `rematches`."""
        self._rematches = rematches
        self._watch = watch
        self._clock = clock

    async def GetRematch(self, request: pb.GetRematchRequest, context: Context) -> pb.GetRematchResponse:
        """Read an offer."""
        match_id, account_id = parse_match("name", request.name), current_player().account_id
        rematch = await self._rematches.read(account_id, match_id, self._clock.now())
        return pb.GetRematchResponse(rematch=rematch_message(rematch))

    async def AcceptRematch(
        self, request: pb.AcceptRematchRequest, context: Context
    ) -> pb.AcceptRematchResponse:
        """Say yes."""
        rematch = await self._answer(request, context, Answer.ACCEPTED)
        return pb.AcceptRematchResponse(rematch=rematch_message(rematch))

    async def DeclineRematch(
        self, request: pb.DeclineRematchRequest, context: Context
    ) -> pb.DeclineRematchResponse:
        """Say no."""
        rematch = await self._answer(request, context, Answer.DECLINED)
        return pb.DeclineRematchResponse(rematch=rematch_message(rematch))

    async def WatchRematch(
        self, request: pb.WatchRematchRequest, context: Context
    ) -> AsyncIterator[pb.WatchRematchResponse]:
        """Tell what everybody says."""
        match_id, account_id = parse_match("name", request.name), current_player().account_id

        async def read() -> Rematch:
            return await self._rematches.read(account_id, match_id, self._clock.now())

        async with aclosing(self._watch.follow_offer(match_id, read)) as told:
            async for each in told:
                yield stream_message(each)

    async def _answer(
        self, request: pb.AcceptRematchRequest | pb.DeclineRematchRequest, context: Context, said: Answer
    ) -> Rematch:
        key, match_id = write_request(context, request), parse_match("name", request.name)
        account_id = current_player().account_id
        return await self._rematches.answer(account_id, match_id, said, key, self._clock.now())


class RematchParts:
    """The rematches of one process."""

    def __init__(self, runtime: Runtime, database: Database, begin: BeginGame, wake: Wake) -> None:
        """Begin games with `begin`."""
        clock = runtime.clock
        rematches = Rematches(database.store, begin, runtime.bus, runtime.randomness, clock, wake)
        self.or_else = rematches.or_else
        self.watch = RematchWatch(rows.OFFERS, database.store, runtime.bus, clock.now)
        self.servicer = RematchServicer(rematches, self.watch, clock)
        self.serving = (Loop("match.rematches", self.watch.run),)
        self.working = (Loop("match.rematches_forgotten", partial(forget_rematches, database, clock.now)),)
