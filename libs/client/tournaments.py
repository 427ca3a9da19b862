"""Tournaments: which there are, entering and leaving them, and how they stand."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from libs.client.calls import LIST_DEADLINE_S, Calls
from libs.client.link import Link
from libs.client.showing import Showing
from libs.client.tournament_views import (
    SeenTournament,
    Tournament,
    TournamentLine,
    TournamentPhase,
    TournamentTable,
)
from libs.client.tournament_wire import PHASE_TO_WIRE, line_of, table_of, tournament_of
from libs.pb.sparrow.tournament.v1 import tournament_service_pb2 as pb

if TYPE_CHECKING:
    from libs.pb.sparrow.tournament.v1.tournament_service_pb2_grpc import TournamentServiceAsyncStub

PAGE_SIZE: Final = 100
LINES: Final = 20
"""Of the standing, in a stream, unless more are asked for."""


class ReadTournaments:
    """What players and operators may read alike. Raises RefusedError NOT_FOUND where there is none."""

    def __init__(self, calls: Calls, stub: TournamentServiceAsyncStub) -> None:
        """Ask through `stub`."""
        self._calls = calls
        self._stub = stub

    async def list(self, phase: TournamentPhase = TournamentPhase.UPCOMING) -> AsyncIterator[Tournament]:
        """Yield tournaments by their starts; of those that are over, the latest first."""
        request = pb.ListTournamentsRequest(phase=PHASE_TO_WIRE[phase], page_size=PAGE_SIZE)
        while True:
            answer = await self._calls.unary(self._stub.ListTournaments, request, LIST_DEADLINE_S)
            for tournament in answer.tournaments:
                yield tournament_of(tournament)
            request.page_token = answer.next_page_token
            if not request.page_token:
                return

    async def get(self, name: str) -> Tournament:
        """Return the page of "tournaments/<uuid>"."""
        request = pb.GetTournamentRequest(name=name)
        answer = await self._calls.unary(self._stub.GetTournament, request, LIST_DEADLINE_S)
        return tournament_of(answer.tournament)

    async def standing(self, name: str) -> AsyncIterator[TournamentLine]:
        """Yield the standing in the order of places; it may change between pages."""
        request = pb.ListTournamentStandingRequest(name=name, page_size=2 * PAGE_SIZE)
        while True:
            answer = await self._calls.unary(self._stub.ListTournamentStanding, request, LIST_DEADLINE_S)
            for line in answer.lines:
                yield line_of(line)
            request.page_token = answer.next_page_token
            if not request.page_token:
                return

    async def tables(self, name: str, round_number: int = 0) -> AsyncIterator[TournamentTable]:
        """Yield the tables of a round, of the last one by default."""
        request = pb.ListTournamentTablesRequest(name=name, round_number=round_number, page_size=PAGE_SIZE)
        while True:
            answer = await self._calls.unary(self._stub.ListTournamentTables, request, LIST_DEADLINE_S)
            for table in answer.tables:
                yield table_of(table)
            request.round_number = answer.round_number
            request.page_token = answer.next_page_token
            if not request.page_token:
                return


class Tournaments(ReadTournaments):
    """This player's way into tournaments."""

    def __init__(self, link: Link, stub: TournamentServiceAsyncStub) -> None:
        """Ask through the client's connection."""
        super().__init__(link.calls, stub)
        self._link = link

    async def register(self, name: str) -> Tournament:
        """Enter; who is in stays in.

        Raises RefusedError REGISTRATION_NOT_OPEN, REGISTRATION_CLOSED, TOURNAMENT_FULL, ENTRY_CONDITION (with
        `points` and `min` in its metadata), TOURNAMENT_CANCELLED, TOURNAMENT_OVER.
        """
        request = pb.RegisterForTournamentRequest(name=name, request_id=str(uuid4()))
        answer = await self._calls.unary(self._stub.RegisterForTournament, request, LIST_DEADLINE_S)
        return tournament_of(answer.tournament)

    async def withdraw(self, name: str) -> Tournament:
        """Leave; after the start TP and place stay, and no more seats follow.

        Raises RefusedError NOT_REGISTERED, TOURNAMENT_CANCELLED, TOURNAMENT_OVER.
        """
        request = pb.WithdrawFromTournamentRequest(name=name, request_id=str(uuid4()))
        answer = await self._calls.unary(self._stub.WithdrawFromTournament, request, LIST_DEADLINE_S)
        return tournament_of(answer.tournament)

    async def watch(self, name: str, line_count: int = LINES) -> AsyncGenerator[SeenTournament, None]:
        """Yield a tournament as it stands, at once and whenever that changes, until it is over.

        `tournament.own.match` names the own table as soon as it is seated. Streams that break are resumed.
        Raises UnreachableError once the patience has run out.
        """

        def open_stream(resume_token: str, metadata: Sequence[tuple[str, str]]) -> Any:
            request = pb.WatchTournamentRequest(name=name, line_count=line_count, resume_token=resume_token)
            return self._stub.WatchTournament(request, metadata=metadata)

        async with aclosing(Showing(self._link, open_stream, _seen_of).values()) as values:
            async for seen in values:
                yield seen


def _seen_of(response: pb.WatchTournamentResponse, _before: SeenTournament | None) -> SeenTournament | None:
    """Translate a message; None: it tells nothing."""
    if not response.HasField("seen"):
        return None
    seen = response.seen
    return SeenTournament(tournament_of(seen.tournament), tuple(map(line_of, seen.lines)))
