"""The gRPC edge of the match service, and its composition root."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias
from uuid import UUID

import grpc
from google.protobuf.message import Message

from libs.eventstore.faults import fault
from libs.eventstore.loops import event_core_loops
from libs.eventstore.outage import Outages
from libs.eventstore.port import Request, Transaction
from libs.eventstore.postgres.database import Database
from libs.eventstore.repository import Repository
from libs.eventstore.wake import Wake
from libs.following.hub import WatchHub
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2_grpc as ledger_grpc
from libs.pb.sparrow.match.v1 import match_pb2 as match_pb
from libs.pb.sparrow.match.v1 import match_service_pb2 as pb
from libs.pb.sparrow.match.v1 import match_service_pb2_grpc as pb_grpc
from libs.pb.sparrow.match.v1.fair_play_service_pb2_grpc import add_FairPlayServiceServicer_to_server
from libs.pb.sparrow.match.v1.history_service_pb2_grpc import add_HistoryServiceServicer_to_server
from libs.pb.sparrow.match.v1.learning_service_pb2_grpc import add_LearningServiceServicer_to_server
from libs.pb.sparrow.match.v1.pool_service_pb2_grpc import add_PoolServiceServicer_to_server
from libs.pb.sparrow.match.v1.private_game_service_pb2_grpc import add_PrivateGameServiceServicer_to_server
from libs.pb.sparrow.match.v1.race_service_pb2_grpc import add_RaceServiceServicer_to_server
from libs.pb.sparrow.match.v1.rematch_service_pb2_grpc import add_RematchServiceServicer_to_server
from libs.pb.sparrow.match.v1.spectate_service_pb2_grpc import add_SpectateServiceServicer_to_server
from libs.pb.sparrow.match.v1.tournament_match_service_pb2_grpc import (
    add_TournamentMatchServiceServicer_to_server,
)
from libs.pb.sparrow.solitaire.v1 import solitaire_service_pb2 as solitaire_pb
from libs.pb.sparrow.solitaire.v1 import solitaire_service_pb2_grpc as solitaire_grpc
from libs.runtime.clock import Clock
from libs.runtime.errors import invalid_field
from libs.runtime.names import parse_match
from libs.runtime.paging import PAGE_VALID_S, listing, page_size
from libs.runtime.request import current_player, write_request
from libs.runtime.service import Loop, Runtime, Service
from libs.runtime.tokens import OpaqueTokens
from services.match.attempts import store as rows
from services.match.attempts.deals import Deals, check_level
from services.match.attempts.play import ATTEMPT_KIND, AttemptHub, AttemptRepository, Attempts
from services.match.commands import Deal, Leave, PutBack, Touch
from services.match.domain import evolve as evolution
from services.match.domain.queueing import Queue, Seating
from services.match.domain.refusal import Refusal
from services.match.domain.rivals.commands import UseJoker
from services.match.domain.rivals.dealing import lending_levels
from services.match.fairplay.parts import FairPlayParts
from services.match.fairplay.servicer import GRPC_NAME as FAIR_PLAY_GRPC_NAME
from services.match.history.servicer import GRPC_NAME as HISTORY_GRPC_NAME
from services.match.learning.servicer import GRPC_NAME as LEARNING_GRPC_NAME
from services.match.learning.servicer import LearningServicer
from services.match.parts import RoundParts
from services.match.pools.servicer import GRPC_NAME as POOL_GRPC_NAME
from services.match.queue.rooms import Rooms
from services.match.queue.servicer import (
    PRIVATE_GRPC_NAME,
    PrivateGameServicer,
    QueueParts,
    QueueServicer,
)
from services.match.races.servicer import GRPC_NAME as RACE_GRPC_NAME
from services.match.refusals import refused
from services.match.rematches.servicer import GRPC_NAME as REMATCH_GRPC_NAME
from services.match.rounds import store as round_rows
from services.match.rounds.referee import tiles_max
from services.match.rounds.routing import Place
from services.match.spectating.parts import SpectateParts
from services.match.spectating.servicer import GRPC_NAME as SPECTATE_GRPC_NAME
from services.match.tournaments.servicer import GRPC_NAME as TOURNAMENT_GRPC_NAME
from services.match.wire.boards import update_message
from services.match.wire.event_codec import EventCodec
from services.match.wire.joker_ledger import JokerLedger
from services.match.wire.layouts import deal_from_wire, warm_up
from services.match.wire.listed import listed_round
from services.match.wire.matches import bests_message, level_message, listed_match, match_message
from services.match.wire.rounds import own_round, own_update
from services.match.wire.streams import round_stream_message, stream_message

Move: TypeAlias = Touch | PutBack
Context = grpc.aio.ServicerContext[Any, Any]

GRPC_NAME: Final = "sparrow.match.v1.MatchService"
PAGE_KIND: Final = "page.matches"
PAGE_SIZE: Final = 20
PAGE_SIZE_MAX: Final = 100
RESUME_KIND: Final = "resume.match"
RESUME_VALID_S: Final = 24 * 60 * 60


class MatchServicer(QueueServicer):
    """Translates, asks, translates back. A match id names an attempt or a match of several seats."""

    def __init__(
        self,
        deals: Deals,
        hub: AttemptHub,
        rounds: RoundParts,
        queues: QueueParts,
        database: Database,
        clock: Clock,
        opaque: OpaqueTokens,
    ) -> None:
        super().__init__(queues.tickets, queues.watch, clock)
        self._attempts = rounds.attempts
        self._match_rounds = rounds.match_rounds
        self._attempt_jokers = rounds.attempt_jokers
        self._directory = rounds.directory
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
        self._directory.attempt_began(started.attempt_id)
        return pb.StartLevelResponse(
            match=match_message(started.attempt_id, started.state, started.state.last_at)
        )

    async def RestartLevel(
        self, request: pb.RestartLevelRequest, context: Context
    ) -> pb.RestartLevelResponse:
        """End an attempt and start the next one."""
        write, attempt_id = _receive(context, request), parse_match("name", request.name)
        if await self._match_rounds.find(attempt_id) is not None:
            raise refused(Refusal.NOT_IN_MODE, request.name)
        started = await self._attempts.restart(
            attempt_id, current_player().account_id, write, self._clock.now()
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
        return pb.TouchResponse(update=await self._play(request.name, command, write))

    async def PutBack(self, request: pb.PutBackRequest, context: Context) -> pb.PutBackResponse:
        """Put the lifted tile back."""
        write = _receive(context, request)
        command = PutBack(
            current_player().account_id, _board_version(request.expected_board_version), self._clock.now()
        )
        return pb.PutBackResponse(update=await self._play(request.name, command, write))

    async def UseJoker(self, request: pb.UseJokerRequest, context: Context) -> pb.UseJokerResponse:
        """Remove the lifted tile and its partner for a joker."""
        write, match_id = _receive(context, request), parse_match("name", request.name)
        account_id = current_player().account_id
        place = await self._match_rounds.find(match_id)
        command = UseJoker(account_id, _board_version(request.expected_board_version), self._clock.now())
        if place is None:
            used = await self._attempt_jokers.use(match_id, command, write)
            return pb.UseJokerResponse(update=update_message(used.events, used.state))
        played = await self._match_rounds.use_joker(place, command, write)
        return pb.UseJokerResponse(update=own_update(played.events, played.state, account_id))

    async def LeaveMatch(self, request: pb.LeaveMatchRequest, context: Context) -> pb.LeaveMatchResponse:
        """End the caller's part in a match."""
        write, match_id = _receive(context, request), parse_match("name", request.name)
        account_id, now = current_player().account_id, self._clock.now()
        place = await self._match_rounds.find(match_id)
        if place is not None:
            left = await self._match_rounds.play(place, Leave(account_id, now), write)
            return pb.LeaveMatchResponse(update=own_update(left.events, left.state, account_id))
        played = await self._attempts.leave(match_id, account_id, write, now)
        return pb.LeaveMatchResponse(update=update_message(played.events, played.state))

    async def GetMatch(self, request: pb.GetMatchRequest, context: Context) -> pb.GetMatchResponse:
        """Read a match of the caller's."""
        match_id, account_id = parse_match("name", request.name), current_player().account_id
        place = await self._match_rounds.find(match_id)
        if place is not None:
            played = await self._match_rounds.read(place, account_id)
            return pb.GetMatchResponse(match=own_round(played, account_id, self._clock.now()))
        state = await self._attempts.read(match_id, account_id)
        return pb.GetMatchResponse(match=match_message(match_id, state, self._clock.now()))

    async def _play(self, name: str, command: Move, write: Request) -> match_pb.MatchUpdate:
        """Carry a move out where it belongs."""
        match_id = parse_match("name", name)
        place = await self._match_rounds.find(match_id)
        if place is None:
            played = await self._attempts.play(match_id, command, write)
            return update_message(played.events, played.state)
        moved = await self._match_rounds.play(place, command, write)
        return own_update(moved.events, moved.state, command.account_id)

    async def ListMatches(self, request: pb.ListMatchesRequest, context: Context) -> pb.ListMatchesResponse:
        """Page through the caller's matches in the order of their ids, which is that of birth."""
        size = page_size(request.page_size, PAGE_SIZE, PAGE_SIZE_MAX)
        now, bound_to = self._clock.now(), listing(request)
        before = None
        if request.page_token:
            page = self._opaque.open(PAGE_KIND, request.page_token, now, bound_to=bound_to)
            before = UUID(page["before"])
        account_id = current_player().account_id
        async with self._database.engine.connect() as connection:
            attempts = await rows.attempts_of(connection, account_id, before, size + 1)
            rounds = await round_rows.matches_of(connection, account_id, before, size + 1)
        found = [
            (row.attempt_id, listed_match(await self._attempts.listed(row, now), now)) for row in attempts
        ]
        found += [(row.match_id, listed_round(row, account_id, now)) for row in rounds]
        found.sort(key=lambda each: each[0], reverse=True)
        response = pb.ListMatchesResponse(matches=[message for _id, message in found[:size]])
        if len(found) > size:
            response.next_page_token = self._opaque.seal(
                PAGE_KIND, {"before": str(found[size - 1][0])}, now, PAGE_VALID_S, bound_to=bound_to
            )
        return response

    async def Watch(self, request: pb.WatchRequest, context: Context) -> AsyncIterator[pb.WatchResponse]:
        """Follow a match of the caller's."""
        match_id, player = parse_match("name", request.name), current_player()
        left_at = self._left_at(match_id, request.resume_token)
        place = await self._match_rounds.find(match_id)
        if place is not None:
            if left_at.round_id is not None:
                place = Place(match_id, left_at.round_id)
            follow = self._match_rounds.follow(
                place, player.account_id, player.session_id, left_at.version, self._clock.now()
            )
            async with aclosing(follow) as changes:
                async for round_id, change in changes:
                    now = self._clock.now()
                    token = self._resume_token(match_id, change.version, now, round_id)
                    message = round_stream_message(player.account_id, change, token, now)
                    if message is not None:
                        yield message
            return
        await self._attempts.read(match_id, player.account_id)
        seen_by = self._hub.follow(match_id, player.account_id, player.session_id, left_at.version)
        async with aclosing(seen_by) as stream:
            async for seen in stream:
                now = self._clock.now()
                yield stream_message(match_id, seen, self._resume_token(match_id, seen.version, now), now)

    def _left_at(self, match_id: UUID, resume_token: str) -> _LeftAt:
        """Where a reader left the match."""
        if not resume_token:
            return _LeftAt(None, None)
        now = self._clock.now()
        told = self._opaque.open(RESUME_KIND, resume_token, now, bound_to=match_id.bytes)
        round_id = told.get("round")
        return _LeftAt(int(told["version"]), None if round_id is None else UUID(round_id))

    def _resume_token(self, match_id: UUID, version: int, now: datetime, round_id: UUID | None = None) -> str:
        left_at = {"version": version} | ({} if round_id is None else {"round": str(round_id)})
        return self._opaque.seal(RESUME_KIND, left_at, now, RESUME_VALID_S, bound_to=match_id.bytes)

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


@dataclass(frozen=True, slots=True)
class _LeftAt:
    """The stream version where a reader left, None to begin with a snapshot; and in which round, if told."""

    version: int | None
    round_id: UUID | None


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
    codec = EventCodec()
    repository: AttemptRepository = Repository(evolution, codec, database.store)
    hub: AttemptHub = WatchHub(ATTEMPT_KIND, codec, database.store, runtime.bus, runtime.clock)
    wake = Wake(runtime.bus, "match")

    def attempts(outages: Outages) -> Attempts:
        randomness, clock = runtime.randomness, runtime.clock
        return Attempts(database.store, repository, randomness, wake, hub, outages, clock)

    engine = solitaire_grpc.SolitaireServiceStub(runtime.clients.channel("solitaire"))

    async def fetch_deal(level: int) -> Deal:
        return deal_from_wire(await engine.DealLevel(solitaire_pb.DealLevelRequest(level=level)))

    await asyncio.to_thread(warm_up)
    levels = await asyncio.to_thread(lending_levels, tiles_max(runtime.settings.quick_match_tiles_max))
    ledger = JokerLedger(ledger_grpc.LedgerServiceStub(runtime.clients.channel("ledger")))
    rounds = RoundParts(runtime, database, attempts, levels, wake, ledger)
    begin = {Queue.POOL: rounds.pools.beginnings.begin_all}

    async def begin_matches(transaction: Transaction, queue: Queue, seating: Seating, now: datetime) -> None:
        await begin.get(queue, rounds.matches.begin_all)(transaction, queue, seating, now)

    queues = QueueParts(runtime, database, begin_matches)
    stake = runtime.settings.pool_stake
    rooms = Rooms(database.store, queues.tickets, rounds.begin, runtime.randomness, wake, pool_stake=stake)
    fair_play = FairPlayParts(runtime, database)
    spectating = SpectateParts(runtime, database)
    servicer = MatchServicer(Deals(fetch_deal), hub, rounds, queues, database, runtime.clock, runtime.opaque)

    async def drain() -> None:
        await asyncio.gather(
            hub.drain(),
            rounds.hub.drain(),
            rounds.pools.hub.drain(),
            rounds.races.drain(),
            queues.watch.drain(),
            spectating.hub.drain(),
            rounds.rematches.watch.drain(),
        )

    def register(server: grpc.aio.Server) -> None:
        pb_grpc.add_MatchServiceServicer_to_server(servicer, server)
        add_HistoryServiceServicer_to_server(rounds.history.servicer, server)
        add_PrivateGameServiceServicer_to_server(PrivateGameServicer(rooms, runtime.clock), server)
        add_PoolServiceServicer_to_server(rounds.pools.servicer, server)
        add_RaceServiceServicer_to_server(rounds.races.servicer, server)
        add_RematchServiceServicer_to_server(rounds.rematches.servicer, server)
        learning = LearningServicer(runtime.clock, runtime.opaque, runtime.settings.default_language)
        add_LearningServiceServicer_to_server(learning, server)
        add_FairPlayServiceServicer_to_server(fair_play.servicer, server)
        add_SpectateServiceServicer_to_server(spectating.servicer, server)
        add_TournamentMatchServiceServicer_to_server(rounds.tournament_matches, server)

    core = event_core_loops(database, runtime.bus, "match", runtime.holder, site=runtime.settings.site)
    return Service(
        name="match",
        grpc_names=(
            GRPC_NAME,
            HISTORY_GRPC_NAME,
            PRIVATE_GRPC_NAME,
            POOL_GRPC_NAME,
            RACE_GRPC_NAME,
            REMATCH_GRPC_NAME,
            FAIR_PLAY_GRPC_NAME,
            SPECTATE_GRPC_NAME,
            LEARNING_GRPC_NAME,
            TOURNAMENT_GRPC_NAME,
        ),
        register=register,
        serving=(Loop("match.watch", hub.run), *rounds.serving, *queues.serving, *spectating.serving),
        working=(
            *(Loop(name, body) for name, body in core),
            *rounds.working,
            *queues.working,
            *fair_play.working,
        ),
        ready=rounds.outages.is_ready,
        drain=drain,
        close=rounds.solvers.close,
        feed=database.feed,
    )
