"""The gRPC edge of the tournament service."""

from __future__ import annotations

from typing import Any, Final

import grpc

from libs.eventsourcing.envelope import Part
from libs.eventstore.loops import event_core_loops
from libs.eventstore.wake import Wake
from libs.pb.sparrow.tournament.v1 import tournament_pb2
from libs.pb.sparrow.tournament.v1 import tournament_service_pb2 as pb
from libs.pb.sparrow.tournament.v1 import tournament_service_pb2_grpc as pb_grpc
from libs.rules.pairing.table_points import Refusal, SeatResult, table_points
from libs.runtime.errors import invalid_field
from libs.runtime.names import parse_player
from libs.runtime.service import Loop, Runtime, Service
from services.tournament.tournaments.parts import TournamentParts
from services.tournament.wire.prize_points import PrizePointsLedger

Context = grpc.aio.ServicerContext[Any, Any]

FIELD_OF_REFUSAL: Final = {
    Refusal.SEATS: ("results", "two to four seats"),
    Refusal.PLAYER_TWICE: ("results", "every player once"),
    Refusal.NEGATIVE_SCORE: ("results.round_score", "0 or more"),
    Refusal.CLEARED_TWICE: ("results.cleared", "at most one seat clears the board"),
    Refusal.MULTIPLIER: ("multiplier", "1 to 6"),
}


class TournamentServicer(pb_grpc.TournamentServiceServicer):
    """Computes what tables are worth."""

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


async def bind(runtime: Runtime) -> Service:
    """Compose the service."""
    database = await runtime.open_database("tournament")
    wake = Wake(runtime.bus, "tournament")
    prize_points = PrizePointsLedger(runtime.clients.channel("ledger"))
    parts = TournamentParts(runtime, database, wake, prize_points.of)
    servicer = TournamentServicer()
    core = event_core_loops(
        database, runtime.bus, "tournament", runtime.holder, (Part.FACTS,), site=runtime.settings.site
    )
    return Service(
        name="tournament",
        grpc_names=("sparrow.tournament.v1.TournamentService",),
        register=lambda server: pb_grpc.add_TournamentServiceServicer_to_server(servicer, server),
        working=(*(Loop(name, body) for name, body in core), *parts.working),
        feed=database.feed,
    )
