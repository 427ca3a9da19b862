"""The gRPC edge of tournaments for operators."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID, uuid5

import grpc

from libs.eventstore.port import Request
from libs.pb.sparrow.tournament.v1 import tournament_operations_service_pb2 as pb
from libs.pb.sparrow.tournament.v1 import tournament_operations_service_pb2_grpc as pb_grpc
from libs.pb.sparrow.tournament.v1 import tournament_page_pb2 as page_pb
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused
from libs.runtime.names import parse_player, parse_series, parse_tournament
from libs.runtime.request import write_request
from services.tournament.domain.series.commands import CreateSeries, StopSeries
from services.tournament.domain.series.state import NotCreated
from services.tournament.domain.series.state import State as SeriesState
from services.tournament.domain.tournament.commands import (
    CancelTournament,
    Command,
    EndEarly,
    ScheduleTournament,
    VoidResult,
)
from services.tournament.domain.tournament.words import Plan, Player
from services.tournament.tournaments.pages import Pages, view_of
from services.tournament.tournaments.series import AllSeries
from services.tournament.tournaments.tournaments import Tournaments
from services.tournament.wire.orders import ground_ordered, series_ordered, start_ordered, terms_ordered
from services.tournament.wire.pages import series_message, tournament_message

Context = grpc.aio.ServicerContext[Any, Any]

GRPC_NAME: Final = "sparrow.tournament.v1.TournamentOperationsService"


class TournamentOperationsServicer(pb_grpc.TournamentOperationsServiceServicer):
    """Translates, asks, translates back."""

    def __init__(self, tournaments: Tournaments, series: AllSeries, pages: Pages, clock: Clock) -> None:
        """Give orders to `tournaments` and `series`."""
        self._tournaments = tournaments
        self._series = series
        self._pages = pages
        self._clock = clock

    async def CreateTournament(
        self, request: pb.CreateTournamentRequest, context: Context
    ) -> pb.CreateTournamentResponse:
        """Schedule one."""
        key = write_request(context, request)
        terms, starts_at = terms_ordered(request.terms), start_ordered(request.start_time)
        plan = Plan(_named_by(key), terms, starts_at)
        command = ScheduleTournament(plan, self._clock.now())
        return pb.CreateTournamentResponse(tournament=await self._order(plan.tournament_id, command, key))

    async def CreateTournamentSeries(
        self, request: pb.CreateTournamentSeriesRequest, context: Context
    ) -> pb.CreateTournamentSeriesResponse:
        """Let one take place on each date of a rule."""
        key = write_request(context, request)
        series = series_ordered(request, _named_by(key))
        command = CreateSeries(series, self._clock.now())
        state = await self._series.carry_out(series.series_id, command, key)
        return pb.CreateTournamentSeriesResponse(series=_series(state))

    async def StopTournamentSeries(
        self, request: pb.StopTournamentSeriesRequest, context: Context
    ) -> pb.StopTournamentSeriesResponse:
        """Schedule no more of a series."""
        key, series_id = write_request(context, request), parse_series("name", request.name)
        state = await self._series.carry_out(series_id, StopSeries(self._clock.now()), key)
        return pb.StopTournamentSeriesResponse(series=_series(state))

    async def CancelTournament(
        self, request: pb.CancelTournamentRequest, context: Context
    ) -> pb.CancelTournamentResponse:
        """Let it not take place, or stop it without prizes."""
        key, tournament_id = write_request(context, request), parse_tournament("name", request.name)
        command = CancelTournament(ground_ordered(request.ground), self._clock.now())
        return pb.CancelTournamentResponse(tournament=await self._order(tournament_id, command, key))

    async def EndTournamentEarly(
        self, request: pb.EndTournamentEarlyRequest, context: Context
    ) -> pb.EndTournamentEarlyResponse:
        """Let the end come now."""
        key, tournament_id = write_request(context, request), parse_tournament("name", request.name)
        command = EndEarly(ground_ordered(request.ground), self._clock.now())
        return pb.EndTournamentEarlyResponse(tournament=await self._order(tournament_id, command, key))

    async def VoidTournamentResult(
        self, request: pb.VoidTournamentResultRequest, context: Context
    ) -> pb.VoidTournamentResultResponse:
        """Take results out."""
        key, tournament_id = write_request(context, request), parse_tournament("name", request.name)
        ground = ground_ordered(request.ground)
        players = await self._players(tournament_id, [*request.players])
        command = VoidResult(request.round_number, request.table, players, ground, self._clock.now())
        return pb.VoidTournamentResultResponse(tournament=await self._order(tournament_id, command, key))

    async def _order(self, tournament_id: UUID, command: Command, key: Request) -> page_pb.Tournament:
        carried = await self._tournaments.carry_out(tournament_id, command, key)
        view = view_of(carried.state, 0, is_begun=False)
        return tournament_message(view.page, view.round)

    async def _players(self, tournament_id: UUID, names: list[str]) -> tuple[Player, ...] | None:
        """The players of these names; None for none."""
        field = (await self._pages.view(tournament_id)).state.field
        players = [field.player_of(parse_player("players", name)) for name in names]
        found = tuple(player for player in players if player is not None)
        if len(found) < len(players):
            raise Refused("RESULT_UNKNOWN", "one of the players is not in the tournament")
        return found or None


def _named_by(key: Request) -> UUID:
    """The id of what a call creates: the same for a repeat of it."""
    return uuid5(key.caller, f"tournament/{key.request_id}")


def _series(state: SeriesState) -> page_pb.TournamentSeries:
    assert not isinstance(state, NotCreated), "it was created"
    return series_message(state)
