"""Tables at the match service: begun and cut by signed calls that may be made again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import grpc

from libs.pb.sparrow.match.v1 import tournament_match_service_pb2 as pb
from libs.pb.sparrow.match.v1.tournament_match_service_pb2_grpc import TournamentMatchServiceStub
from services.tournament.wire.words import duration, timestamp

TIMEOUT_S: Final = 20.0
"""A round of many tables is dealt in one call."""
AT_ONCE: Final = 128
"""How many tables one call names."""


class MatchTables:
    """What is asked of the match service. Every method raises grpc.aio.AioRpcError."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        """Ask over `channel`, which signs."""
        self._matches = TournamentMatchServiceStub(channel)

    async def begin(
        self,
        tournament_id: UUID,
        round_number: int,
        round_limit: timedelta,
        ends_at: datetime,
        tables: Mapping[UUID, Sequence[UUID]],
    ) -> None:
        """Begin the tables of a round: by match, the accounts by seat."""
        named = [
            pb.TournamentTableSeats(match_id=str(match_id), account_ids=map(str, accounts))
            for match_id, accounts in tables.items()
        ]
        for first in range(0, len(named), AT_ONCE):
            request = pb.BeginTournamentMatchesRequest(
                tournament_id=str(tournament_id),
                round_number=round_number,
                round_limit=duration(round_limit),
                end_time=timestamp(ends_at),
                tables=named[first : first + AT_ONCE],
            )
            await self._matches.BeginTournamentMatches(request, timeout=TIMEOUT_S)

    async def cut(self, match_ids: Sequence[UUID], at: datetime) -> list[UUID]:
        """End matches as they stand; return those that have not begun."""
        unknown: list[UUID] = []
        for first in range(0, len(match_ids), AT_ONCE):
            request = pb.CutTournamentMatchesRequest(
                match_ids=map(str, match_ids[first : first + AT_ONCE]), cut_time=timestamp(at)
            )
            reply = await self._matches.CutTournamentMatches(request, timeout=TIMEOUT_S)
            unknown += map(UUID, reply.unknown_match_ids)
        return unknown
