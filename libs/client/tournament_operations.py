"""What only an operator does to tournaments: creating them, and stepping into them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from types import TracebackType
from typing import Self

from libs.client.calls import LIST_DEADLINE_S, Bearer, Calls, Retries
from libs.client.channel import open_channel
from libs.client.operator import fixed_bearer
from libs.client.tournament_views import OperatorGround, Tournament, TournamentSeries, TournamentTerms
from libs.client.tournament_wire import GROUND_TO_WIRE, moment, series_of, terms_message, tournament_of
from libs.client.tournaments import ReadTournaments
from libs.pb.sparrow.tournament.v1 import tournament_operations_service_pb2 as pb
from libs.pb.sparrow.tournament.v1.tournament_operations_service_pb2_grpc import (
    TournamentOperationsServiceStub,
)
from libs.pb.sparrow.tournament.v1.tournament_service_pb2_grpc import TournamentServiceStub


class TournamentOperator:
    """A connection for an operator's work on tournaments.

    Every act has a `request_id`: the same again is done once. Raises RefusedError.
    """

    def __init__(self, target: str, token: str | Bearer) -> None:
        """Take the endpoint and the token, or what mints tokens; the first call dials."""
        self._channel = open_channel(target)
        self._calls = Calls(fixed_bearer(token), Retries())
        self._stub = TournamentOperationsServiceStub(self._channel)
        self.read = ReadTournaments(self._calls, TournamentServiceStub(self._channel))
        """Pages, standings and tables."""

    async def __aenter__(self) -> Self:
        """Use it in `async with`."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        await self._channel.close()

    async def create(self, terms: TournamentTerms, start_time: datetime, request_id: str) -> Tournament:
        """Schedule a tournament. FIELD_INVALID names the field of the terms that is wrong."""
        request = pb.CreateTournamentRequest(
            terms=terms_message(terms), start_time=moment(start_time), request_id=request_id
        )
        answer = await self._calls.unary(self._stub.CreateTournament, request, LIST_DEADLINE_S)
        return tournament_of(answer.tournament)

    async def create_series(
        self, first_day: date, clock: str, recurrence: str, terms: TournamentTerms, request_id: str
    ) -> TournamentSeries:
        """Let a tournament take place on each date of a rule ("FREQ=WEEKLY;BYDAY=SU"), at "20:00"."""
        request = pb.CreateTournamentSeriesRequest(
            first_day=first_day.isoformat(),
            clock=clock,
            recurrence=recurrence,
            terms=terms_message(terms),
            request_id=request_id,
        )
        answer = await self._calls.unary(self._stub.CreateTournamentSeries, request, LIST_DEADLINE_S)
        return series_of(answer.series)

    async def stop_series(self, name: str, request_id: str) -> TournamentSeries:
        """Schedule no more of "series/<uuid>"."""
        request = pb.StopTournamentSeriesRequest(name=name, request_id=request_id)
        answer = await self._calls.unary(self._stub.StopTournamentSeries, request, LIST_DEADLINE_S)
        return series_of(answer.series)

    async def cancel(self, name: str, ground: OperatorGround, request_id: str) -> Tournament:
        """Let it not take place, or stop it without prizes. TOURNAMENT_OVER once it has finished."""
        request = pb.CancelTournamentRequest(name=name, ground=GROUND_TO_WIRE[ground], request_id=request_id)
        answer = await self._calls.unary(self._stub.CancelTournament, request, LIST_DEADLINE_S)
        return tournament_of(answer.tournament)

    async def end_early(self, name: str, ground: OperatorGround, request_id: str) -> Tournament:
        """Let the end come now, with prizes. TOURNAMENT_NOT_RUNNING, TOURNAMENT_CANCELLED."""
        request = pb.EndTournamentEarlyRequest(
            name=name, ground=GROUND_TO_WIRE[ground], request_id=request_id
        )
        answer = await self._calls.unary(self._stub.EndTournamentEarly, request, LIST_DEADLINE_S)
        return tournament_of(answer.tournament)

    async def void_result(
        self,
        name: str,
        round_number: int,
        table: int,
        ground: OperatorGround,
        request_id: str,
        *,
        players: Sequence[str] = (),
    ) -> Tournament:
        """Take results of a table out: those of `players`, or all. RESULT_UNKNOWN, RESULT_PENDING."""
        request = pb.VoidTournamentResultRequest(
            name=name,
            round_number=round_number,
            table=table,
            players=players,
            ground=GROUND_TO_WIRE[ground],
            request_id=request_id,
        )
        answer = await self._calls.unary(self._stub.VoidTournamentResult, request, LIST_DEADLINE_S)
        return tournament_of(answer.tournament)
