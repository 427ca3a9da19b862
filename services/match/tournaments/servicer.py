"""The gRPC edge of tournaments' tables: for the tournament service alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from typing import Any, Final
from uuid import UUID

import grpc

from libs.pb.sparrow.match.v1 import tournament_match_service_pb2 as pb
from libs.pb.sparrow.match.v1 import tournament_match_service_pb2_grpc as pb_grpc
from libs.runtime.errors import invalid_field
from libs.runtime.names import CANONICAL_UUID
from services.match.domain.queueing import Seating
from services.match.domain.rivals.stage import TournamentStage
from services.match.tournaments.tables import TournamentTables

Context = grpc.aio.ServicerContext[Any, Any]

GRPC_NAME: Final = "sparrow.match.v1.TournamentMatchService"
TABLES_MAX: Final = 128
SEATS: Final = range(2, 5)
VERSION: Final = 7
"""Of the UUIDs of matches."""
LIMIT_MIN_MS: Final = 1
LIMIT_MAX_MS: Final = 24 * 60 * 60 * 1_000


class TournamentMatchServicer(pb_grpc.TournamentMatchServiceServicer):
    """Translates, asks, translates back."""

    def __init__(self, tables: TournamentTables) -> None:
        """Begin and cut `tables`."""
        self._tables = tables

    async def BeginTournamentMatches(
        self, request: pb.BeginTournamentMatchesRequest, context: Context
    ) -> pb.BeginTournamentMatchesResponse:
        """Begin the tables of a round."""
        await self._tables.begin(_laid_down(request), _seating(request.tables))
        return pb.BeginTournamentMatchesResponse()

    async def CutTournamentMatches(
        self, request: pb.CutTournamentMatchesRequest, context: Context
    ) -> pb.CutTournamentMatchesResponse:
        """End matches as they stand."""
        _check_bounds("match_ids", len(request.match_ids))
        match_ids = [_uuid("match_ids", told) for told in request.match_ids]
        unknown = await self._tables.cut(dict.fromkeys(match_ids), request.cut_time.ToDatetime(UTC))
        return pb.CutTournamentMatchesResponse(unknown_match_ids=map(str, unknown))


def _laid_down(request: pb.BeginTournamentMatchesRequest) -> TournamentStage:
    if request.round_number < 1:
        raise invalid_field("round_number", "from 1")
    if not LIMIT_MIN_MS <= request.round_limit.ToMilliseconds() <= LIMIT_MAX_MS:
        raise invalid_field("round_limit", "a millisecond to a day")
    return TournamentStage(
        _uuid("tournament_id", request.tournament_id),
        request.round_number,
        request.round_limit.ToTimedelta(),
        request.end_time.ToDatetime(UTC),
    )


def _seating(tables: Sequence[pb.TournamentTableSeats]) -> Seating:
    _check_bounds("tables", len(tables))
    seating = {
        _match_id(table.match_id): tuple(
            _uuid("tables.account_ids", account) for account in table.account_ids
        )
        for table in tables
    }
    seats = [account_id for accounts in seating.values() for account_id in accounts]
    if any(len(accounts) not in SEATS for accounts in seating.values()):
        raise invalid_field("tables.account_ids", "two to four")
    if len(seating) < len(tables) or len(set(seats)) < len(seats):
        raise invalid_field("tables", "each match once, and nobody at two tables or twice at one")
    return seating


def _check_bounds(field: str, count: int) -> None:
    if not 1 <= count <= TABLES_MAX:
        raise invalid_field(field, f"1 to {TABLES_MAX}", "RANGE", min=1, max=TABLES_MAX)


def _match_id(text: str) -> UUID:
    """Lists of matches go by the order of their ids, which is that of their birth."""
    match_id = _uuid("tables.match_id", text)
    if match_id.version != VERSION:
        raise invalid_field("tables.match_id", "a UUIDv7")
    return match_id


def _uuid(field: str, text: str) -> UUID:
    if CANONICAL_UUID.fullmatch(text) is None:
        raise invalid_field(field, "a UUID in lower case")
    return UUID(text)
