"""The gRPC edge of the tournament service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

import grpc
from google.protobuf.message import Message

from libs.eventsourcing.envelope import Part
from libs.eventstore.loops import event_core_loops
from libs.eventstore.wake import Wake
from libs.pb.sparrow.tournament.v1 import tournament_page_pb2 as page_pb
from libs.pb.sparrow.tournament.v1 import tournament_pb2
from libs.pb.sparrow.tournament.v1 import tournament_service_pb2 as pb
from libs.pb.sparrow.tournament.v1 import tournament_service_pb2_grpc as pb_grpc
from libs.pb.sparrow.tournament.v1.tournament_operations_service_pb2_grpc import (
    add_TournamentOperationsServiceServicer_to_server,
)
from libs.rules.pairing.table_points import Refusal, SeatResult, table_points
from libs.runtime.caller import CALLER, Player
from libs.runtime.clock import Clock
from libs.runtime.errors import invalid_field
from libs.runtime.languages.endings import ending_text
from libs.runtime.names import parse_player, parse_tournament
from libs.runtime.paging import PAGE_VALID_S, listing, page_size
from libs.runtime.request import current_player, write_request
from libs.runtime.service import Loop, Runtime, Service
from libs.runtime.tokens import OpaqueTokens
from services.tournament.domain.tournament.commands import Command, Register, Withdraw
from services.tournament.domain.tournament.page import Status
from services.tournament.operations_servicer import GRPC_NAME as OPERATIONS_GRPC_NAME
from services.tournament.operations_servicer import TournamentOperationsServicer
from services.tournament.tournaments.pages import OVER, Pages, View, view_of
from services.tournament.tournaments.parts import TournamentParts
from services.tournament.tournaments.tournaments import Tournaments
from services.tournament.tournaments.watch import TournamentWatch
from services.tournament.wire.pages import line_message, own_message, table_message, tournament_message
from services.tournament.wire.prize_points import PrizePointsLedger

Context = grpc.aio.ServicerContext[Any, Any]

FIELD_OF_REFUSAL: Final = {
    Refusal.SEATS: ("results", "two to four seats"),
    Refusal.PLAYER_TWICE: ("results", "every player once"),
    Refusal.NEGATIVE_SCORE: ("results.round_score", "0 or more"),
    Refusal.CLEARED_TWICE: ("results.cleared", "at most one seat clears the board"),
    Refusal.MULTIPLIER: ("multiplier", "1 to 6"),
}
UPCOMING: Final = (Status.SCHEDULED, Status.REGISTRATION)
PHASES: Final = {
    pb.TOURNAMENT_PHASE_UNSPECIFIED: UPCOMING,
    pb.TOURNAMENT_PHASE_UPCOMING: UPCOMING,
    pb.TOURNAMENT_PHASE_RUNNING: (Status.RUNNING, Status.COUNTING),
    pb.TOURNAMENT_PHASE_OVER: OVER,
}
PAGE_KIND: Final = "page.tournaments"
PAGE_SIZE: Final = 20
PAGE_SIZE_MAX: Final = 100
LINES_MAX: Final = 200
TABLES_MAX: Final = 128
RESUME_KIND: Final = "resume.tournament"
RESUME_VALID_S: Final = 24 * 60 * 60
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND: Final = timedelta(microseconds=1)


class TournamentServicer(pb_grpc.TournamentServiceServicer):
    """Translates, asks, translates back."""

    def __init__(
        self,
        tournaments: Tournaments,
        pages: Pages,
        watch: TournamentWatch,
        clock: Clock,
        opaque: OpaqueTokens,
    ) -> None:
        """Ask `tournaments`, and read `pages`."""
        self._tournaments = tournaments
        self._pages = pages
        self._watch = watch
        self._clock = clock
        self._opaque = opaque

    async def CalculateTablePoints(
        self, request: pb.CalculateTablePointsRequest, context: Context
    ) -> pb.CalculateTablePointsResponse:
        """Return place and points of every seat, in the order of places."""
        for index, result in enumerate(request.results):
            parse_player(f"results[{index}].player", result.player)
        seats = [SeatResult(result.player, result.cleared, result.round_score) for result in request.results]
        points = table_points(seats, request.multiplier)
        if isinstance(points, Refusal):
            raise invalid_field(*FIELD_OF_REFUSAL[points])
        return pb.CalculateTablePointsResponse(
            points=[
                tournament_pb2.TablePoints(
                    player=line.player, place=line.place, tournament_points=line.points
                )
                for line in points
            ]
        )

    async def ListTournaments(
        self, request: pb.ListTournamentsRequest, context: Context
    ) -> pb.ListTournamentsResponse:
        """Page through tournaments."""
        if request.phase not in PHASES:
            raise invalid_field("phase", "one of the phases, or none")
        size, token = page_size(request.page_size, PAGE_SIZE, PAGE_SIZE_MAX), self._page_of(request)
        after = None
        if token is not None:
            after = (EPOCH + token["starts_us"] * MICROSECOND, UUID(token["id"]))
        views = await self._pages.listed(
            PHASES[request.phase], after, size + 1, latest_first=request.phase == pb.TOURNAMENT_PHASE_OVER
        )
        response = pb.ListTournamentsResponse()
        for view in views[:size]:
            response.tournaments.append(await self._shown(view))
        if len(views) > size:
            plan = views[size - 1].state.field.plan
            last = {"starts_us": (plan.starts_at - EPOCH) // MICROSECOND, "id": str(plan.tournament_id)}
            response.next_page_token = self._page_token(request, last)
        return response

    async def GetTournament(
        self, request: pb.GetTournamentRequest, context: Context
    ) -> pb.GetTournamentResponse:
        """Read the page of a tournament."""
        view = await self._pages.view(parse_tournament("name", request.name))
        return pb.GetTournamentResponse(tournament=await self._shown(view))

    async def ListTournamentStanding(
        self, request: pb.ListTournamentStandingRequest, context: Context
    ) -> pb.ListTournamentStandingResponse:
        """Page through the standing."""
        size, first = page_size(request.page_size, PAGE_SIZE, LINES_MAX), self._first_of(request)
        view = await self._pages.view(parse_tournament("name", request.name))
        rows = view.page.standing[first : first + size]
        response = pb.ListTournamentStandingResponse(lines=[line_message(row, view.prizes) for row in rows])
        if first + size < len(view.page.standing):
            response.next_page_token = self._page_token(request, {"first": first + size})
        return response

    async def ListTournamentTables(
        self, request: pb.ListTournamentTablesRequest, context: Context
    ) -> pb.ListTournamentTablesResponse:
        """Page through the tables of a round."""
        size, first = page_size(request.page_size, PAGE_SIZE, TABLES_MAX), self._first_of(request)
        view = await self._pages.view(parse_tournament("name", request.name))
        field = view.state.field
        number = request.round_number or len(field.rounds)
        if not 1 <= number <= len(field.rounds):
            return pb.ListTournamentTablesResponse()
        tables = field.rounds[number - 1].tables
        response = pb.ListTournamentTablesResponse(
            tables=[
                table_message(field, table, row)
                for table, row in enumerate(tables[first : first + size], first)
            ],
            round_number=number,
        )
        if first + size < len(tables):
            following = pb.ListTournamentTablesRequest(name=request.name, round_number=number)
            response.next_page_token = self._page_token(following, {"first": first + size})
        return response

    async def RegisterForTournament(
        self, request: pb.RegisterForTournamentRequest, context: Context
    ) -> pb.RegisterForTournamentResponse:
        """Let the caller in."""
        command = Register(current_player().account_id, self._clock.now())
        return pb.RegisterForTournamentResponse(tournament=await self._order(request, context, command))

    async def WithdrawFromTournament(
        self, request: pb.WithdrawFromTournamentRequest, context: Context
    ) -> pb.WithdrawFromTournamentResponse:
        """Let the caller out."""
        command = Withdraw(current_player().account_id, self._clock.now())
        return pb.WithdrawFromTournamentResponse(tournament=await self._order(request, context, command))

    async def WatchTournament(
        self, request: pb.WatchTournamentRequest, context: Context
    ) -> AsyncIterator[pb.WatchTournamentResponse]:
        """Tell of a tournament as it stands."""
        tournament_id = parse_tournament("name", request.name)
        if request.line_count < 0:
            raise invalid_field("line_count", "not negative")
        lines = min(request.line_count or PAGE_SIZE, LINES_MAX)
        after, token = self._seen_by(tournament_id, request.resume_token), request.resume_token
        view = await self._pages.view(tournament_id)
        async with aclosing(self._watch.follow_tournament(tournament_id, after)) as told:
            async for news in told:
                if news is None:
                    heartbeat = pb.WatchTournamentResponse.Heartbeat()
                    yield pb.WatchTournamentResponse(heartbeat=heartbeat, resume_token=token)
                    continue
                view = news
                token = self._resume_token(tournament_id, view.mark)
                seen = pb.WatchTournamentResponse.Seen(
                    tournament=await self._shown(view),
                    lines=[line_message(row, view.prizes) for row in view.page.standing[:lines]],
                )
                yield pb.WatchTournamentResponse(seen=seen, resume_token=token)
        reason = view.page.status.name if view.is_over else "DRAINING"
        text = ending_text(reason, "TOURNAMENT")
        end = pb.WatchTournamentResponse.End(reason=reason, text=text)
        yield pb.WatchTournamentResponse(end=end, resume_token=token)

    async def _order(self, request: Message, context: Context, command: Command) -> page_pb.Tournament:
        key, tournament_id = write_request(context, request), parse_tournament("name", request.name)  # type: ignore[attr-defined]
        carried = await self._tournaments.carry_out(tournament_id, command, key)
        return await self._shown(view_of(carried.state, 0, is_begun=False))

    async def _shown(self, view: View) -> page_pb.Tournament:
        """The page; for a player with how that one stands to it."""
        message, caller = tournament_message(view.page, view.round), CALLER.get()
        if isinstance(caller, Player):
            message.own.CopyFrom(own_message(await self._pages.own(view, caller.account_id)))
        return message

    def _page_of(self, request: Any) -> dict[str, Any] | None:
        """Where a page of a list begins; None for the first."""
        if not request.page_token:
            return None
        now = self._clock.now()
        return self._opaque.open(PAGE_KIND, request.page_token, now, bound_to=listing(request))

    def _first_of(self, request: Any) -> int:
        token = self._page_of(request)
        return 0 if token is None else int(token["first"])

    def _page_token(self, request: Any, place: dict[str, Any]) -> str:
        now = self._clock.now()
        return self._opaque.seal(PAGE_KIND, place, now, PAGE_VALID_S, bound_to=listing(request))

    def _seen_by(self, tournament_id: UUID, resume_token: str) -> int | None:
        """What a reader has seen."""
        if not resume_token:
            return None
        now = self._clock.now()
        told = self._opaque.open(RESUME_KIND, resume_token, now, bound_to=tournament_id.bytes)
        return int(told["mark"])

    def _resume_token(self, tournament_id: UUID, mark: int) -> str:
        seen, now = {"mark": mark}, self._clock.now()
        return self._opaque.seal(RESUME_KIND, seen, now, RESUME_VALID_S, bound_to=tournament_id.bytes)


async def bind(runtime: Runtime) -> Service:
    """Compose the service."""
    database = await runtime.open_database("tournament")
    wake = Wake(runtime.bus, "tournament")
    prize_points = PrizePointsLedger(runtime.clients.channel("ledger"))
    parts = TournamentParts(runtime, database, wake, prize_points.of)
    servicer = TournamentServicer(parts.tournaments, parts.pages, parts.watch, runtime.clock, runtime.opaque)
    operations = TournamentOperationsServicer(parts.tournaments, parts.series, parts.pages, runtime.clock)

    def register(server: grpc.aio.Server) -> None:
        pb_grpc.add_TournamentServiceServicer_to_server(servicer, server)
        add_TournamentOperationsServiceServicer_to_server(operations, server)

    core = event_core_loops(
        database, runtime.bus, "tournament", runtime.holder, (Part.FACTS,), site=runtime.settings.site
    )
    return Service(
        name="tournament",
        grpc_names=("sparrow.tournament.v1.TournamentService", OPERATIONS_GRPC_NAME),
        register=register,
        serving=parts.serving,
        working=(*(Loop(name, body) for name, body in core), *parts.working),
        drain=parts.watch.drain,
        feed=database.feed,
    )
