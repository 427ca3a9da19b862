"""The gRPC edge of the pool."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

import grpc
from google.protobuf.message import Message

from libs.eventstore.faults import fault
from libs.eventstore.outage import Outages
from libs.eventstore.port import Request
from libs.eventstore.postgres.database import Database
from libs.eventstore.repository import Repository
from libs.eventstore.wake import Wake
from libs.following.hub import WatchHub
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2_grpc as ledger_grpc
from libs.pb.sparrow.match.v1 import pool_pb2
from libs.pb.sparrow.match.v1 import pool_service_pb2 as pb
from libs.pb.sparrow.match.v1 import pool_service_pb2_grpc as pb_grpc
from libs.runtime.clock import Clock
from libs.runtime.errors import invalid_field
from libs.runtime.names import parse_match
from libs.runtime.request import current_player, write_request
from libs.runtime.service import Loop, Runtime
from libs.runtime.tokens import OpaqueTokens
from services.match.domain.pool import evolve as evolution
from services.match.domain.pool.commands import (
    Command,
    EndGame,
    Hint,
    LeavePool,
    RemovePair,
    Shuffle,
    Undo,
)
from services.match.domain.pool.terms import LIMIT, LIMIT_MAX
from services.match.pools.begin import PoolBeginnings
from services.match.pools.escrow import Escrow
from services.match.pools.play import POOL_KIND, PoolHub, PoolRepository, Pools
from services.match.pools.thinking import Runs, Thinking
from services.match.wire.pool_codec import PoolCodec
from services.match.wire.pool_games import game_message, stream_message, update_message
from services.match.wire.pool_ledger import PoolLedger

Context = grpc.aio.ServicerContext[Any, Any]

GRPC_NAME: Final = "sparrow.match.v1.PoolService"
RESUME_KIND: Final = "resume.pool"
RESUME_VALID_S: Final = 24 * 60 * 60
MINUTE: Final = timedelta(minutes=1)


class PoolServicer(pb_grpc.PoolServiceServicer):
    """Translates, asks, translates back."""

    def __init__(self, pools: Pools, hub: PoolHub, clock: Clock, opaque: OpaqueTokens) -> None:
        self._pools = pools
        self._hub = hub
        self._clock = clock
        self._opaque = opaque

    async def StartPoolTraining(
        self, request: pb.StartPoolTrainingRequest, context: Context
    ) -> pb.StartPoolTrainingResponse:
        """Begin a game of training; the reply is the board as it was sent first, for repeats too."""
        write, account_id = _receive(context, request), current_player().account_id
        limit = _limit(request.limit_minutes)
        begun = await self._pools.start_training(account_id, limit, write, self._clock.now())
        message = game_message(begun.game_id, begun.state, account_id, begun.state.last_at)
        return pb.StartPoolTrainingResponse(game=message)

    async def RestartPoolTraining(
        self, request: pb.RestartPoolTrainingRequest, context: Context
    ) -> pb.RestartPoolTrainingResponse:
        """End a game of training and begin the next one."""
        write, game_id = _receive(context, request), parse_match("name", request.name)
        account_id = current_player().account_id
        begun = await self._pools.restart_training(
            game_id, account_id, write, self._clock.now(), new_deal=request.new_deal
        )
        message = game_message(begun.game_id, begun.state, account_id, begun.state.last_at)
        return pb.RestartPoolTrainingResponse(game=message)

    async def RemovePoolPair(
        self, request: pb.RemovePoolPairRequest, context: Context
    ) -> pb.RemovePoolPairResponse:
        """Take a pair."""
        write, version = _receive(context, request), _board_version(request.expected_board_version)
        account_id, now = current_player().account_id, self._clock.now()
        command = RemovePair(account_id, request.first, request.second, version, now)
        return pb.RemovePoolPairResponse(update=await self._play(request.name, command, write))

    async def UndoPoolPair(
        self, request: pb.UndoPoolPairRequest, context: Context
    ) -> pb.UndoPoolPairResponse:
        """Take the last pair back."""
        write, version = _receive(context, request), _board_version(request.expected_board_version)
        command = Undo(current_player().account_id, version, self._clock.now())
        return pb.UndoPoolPairResponse(update=await self._play(request.name, command, write))

    async def ShufflePool(self, request: pb.ShufflePoolRequest, context: Context) -> pb.ShufflePoolResponse:
        """Lay the faces anew."""
        write, version = _receive(context, request), _board_version(request.expected_board_version)
        command = Shuffle(current_player().account_id, version, self._clock.now())
        return pb.ShufflePoolResponse(update=await self._play(request.name, command, write))

    async def GetPoolHint(self, request: pb.GetPoolHintRequest, context: Context) -> pb.GetPoolHintResponse:
        """Name a pair."""
        write, version = _receive(context, request), _board_version(request.expected_board_version)
        command = Hint(current_player().account_id, version, self._clock.now())
        return pb.GetPoolHintResponse(update=await self._play(request.name, command, write))

    async def EndPoolGame(self, request: pb.EndPoolGameRequest, context: Context) -> pb.EndPoolGameResponse:
        """End the caller's own game."""
        write = _receive(context, request)
        command = EndGame(current_player().account_id, self._clock.now())
        return pb.EndPoolGameResponse(update=await self._play(request.name, command, write))

    async def LeavePoolGame(
        self, request: pb.LeavePoolGameRequest, context: Context
    ) -> pb.LeavePoolGameResponse:
        """Leave a match."""
        write = _receive(context, request)
        command = LeavePool(current_player().account_id, self._clock.now())
        return pb.LeavePoolGameResponse(update=await self._play(request.name, command, write))

    async def GetPoolGame(self, request: pb.GetPoolGameRequest, context: Context) -> pb.GetPoolGameResponse:
        """Read a game of the caller's."""
        game_id, account_id = parse_match("name", request.name), current_player().account_id
        state = await self._pools.read(game_id, account_id)
        return pb.GetPoolGameResponse(game=game_message(game_id, state, account_id, self._clock.now()))

    async def WatchPoolGame(
        self, request: pb.WatchPoolGameRequest, context: Context
    ) -> AsyncIterator[pb.WatchPoolGameResponse]:
        """Follow a game of the caller's."""
        game_id, player = parse_match("name", request.name), current_player()
        left_at = self._left_at(game_id, request.resume_token)
        await self._pools.read(game_id, player.account_id)
        seen_by = self._hub.follow(game_id, player.account_id, player.session_id, left_at)
        async with aclosing(seen_by) as stream:
            async for seen in stream:
                now = self._clock.now()
                token = self._resume_token(game_id, seen.version, now)
                message = stream_message(game_id, player.account_id, seen, token, now)
                if message is not None:
                    yield message

    async def _play(self, name: str, command: Command, write: Request) -> pool_pb2.PoolUpdate:
        """Carry a command out and tell what it changed for its player."""
        played = await self._pools.play(parse_match("name", name), command, write)
        update = update_message(played.game_id, played.events, played.state, command.account_id)
        assert update is not None, "one's own command is seen"
        return update

    def _left_at(self, game_id: UUID, resume_token: str) -> int | None:
        if not resume_token:
            return None
        told = self._opaque.open(RESUME_KIND, resume_token, self._clock.now(), bound_to=game_id.bytes)
        return int(told["version"])

    def _resume_token(self, game_id: UUID, version: int, now: datetime) -> str:
        return self._opaque.seal(
            RESUME_KIND, {"version": version}, now, RESUME_VALID_S, bound_to=game_id.bytes
        )


class PoolParts:
    """Everything the service needs for the pool, composed."""

    def __init__(
        self,
        runtime: Runtime,
        database: Database,
        run: Runs,
        outages: Outages,
        seen_by_workers: Outages,
        wake: Wake,
    ) -> None:
        """Think by `run`."""
        store, clock, randomness = database.store, runtime.clock, runtime.randomness
        codec, thinking = PoolCodec(), Thinking(run)
        repository: PoolRepository = Repository(evolution, codec, store)
        self.hub: PoolHub = WatchHub(POOL_KIND, codec, store, runtime.bus, clock)
        self.beginnings = PoolBeginnings(thinking, randomness, stake=runtime.settings.pool_stake)

        def pools(seen: Outages) -> Pools:
            return Pools(
                store, repository, self.beginnings, thinking, seen, randomness, clock, wake, self.hub
            )

        self.servicer = PoolServicer(pools(outages), self.hub, clock, runtime.opaque)
        self.at_work = pools(seen_by_workers)
        stub = ledger_grpc.LedgerServiceStub(runtime.clients.channel("ledger"))
        self.escrow = Escrow(self.at_work, PoolLedger(stub), clock)
        self.serving = (Loop("match.watch_pools", self.hub.run),)


def _limit(minutes: int) -> timedelta:
    limit = minutes * MINUTE if minutes else LIMIT
    if not MINUTE <= limit <= LIMIT_MAX:
        raise invalid_field("limit_minutes", "1 to 60, or 0 for 10", "RANGE", min=1, max=60)
    return limit


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
