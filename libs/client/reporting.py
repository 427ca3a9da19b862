"""Reporting another player to the operators."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING
from uuid import uuid4

from libs.client.calls import MOVE_DEADLINE_S
from libs.client.link import Link
from libs.pb.sparrow.match.v1 import fair_play_pb2 as pb
from libs.pb.sparrow.match.v1 import fair_play_service_pb2 as wire

if TYPE_CHECKING:
    from libs.pb.sparrow.match.v1.fair_play_service_pb2_grpc import FairPlayServiceAsyncStub


class ReportReason(StrEnum):
    """What a player is reported for."""

    PERSONAL_INFORMATION = "personal-information"
    AUTOMATION = "automation"
    CONNECTION_EXPLOIT = "connection-exploit"
    ABUSE = "abuse"
    OTHER = "other"


_TO_WIRE = {
    ReportReason.PERSONAL_INFORMATION: pb.REPORT_REASON_PERSONAL_INFORMATION,
    ReportReason.AUTOMATION: pb.REPORT_REASON_AUTOMATION,
    ReportReason.CONNECTION_EXPLOIT: pb.REPORT_REASON_CONNECTION_EXPLOIT,
    ReportReason.ABUSE: pb.REPORT_REASON_ABUSE,
    ReportReason.OTHER: pb.REPORT_REASON_OTHER,
}


class Reporting:
    """A player's way to the operators."""

    def __init__(self, link: Link, stub: FairPlayServiceAsyncStub) -> None:
        """Ask through the signed-in connection."""
        self._calls = link.calls
        self._stub = stub

    async def report(self, player: str, reason: ReportReason, *, match: str = "", text: str = "") -> str:
        """Report a player, in a match or in none; return the report's name.

        Raises RefusedError: NOT_FOUND, or ALREADY_REPORTED; LimitError RATE_LIMIT.
        """
        request = wire.ReportPlayerRequest(
            player=player, match=match, reason=_TO_WIRE[reason], text=text, request_id=str(uuid4())
        )
        answer = await self._calls.unary(self._stub.ReportPlayer, request, MOVE_DEADLINE_S)
        return answer.name
