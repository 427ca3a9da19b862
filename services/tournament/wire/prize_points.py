"""What a player received as final tournament prizes in a week: asked of the ledger."""

from __future__ import annotations

from typing import Final
from uuid import UUID

import grpc

from libs.pb.sparrow.ledger.v1 import ledger_pb2
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as pb
from libs.pb.sparrow.ledger.v1.ledger_service_pb2_grpc import LedgerServiceStub
from libs.runtime.names import player_name
from services.tournament.domain.calendar.weeks import Week

PRIZE_REASON: Final = "TOURNAMENT_PRIZE"
"""Of transfers of prize points, and of their reversals."""
PAGE_SIZE: Final = 200


class PrizePointsLedger:
    """The ledger's word on weeks."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        """Ask over `channel`."""
        self._ledger = LedgerServiceStub(channel)

    async def of(self, account_id: UUID, week: Week) -> int:
        """Return the sum of what makes up the player's standing of that week and was a prize.

        Prizes stand in the week in which their tournament finished; what was taken back stands there too.
        """
        asked = pb.ExplainStandingRequest(
            player=player_name(account_id),
            board=ledger_pb2.BOARD_WEEKLY,
            day=week.monday.isoformat(),
            page_size=PAGE_SIZE,
        )
        points = 0
        while True:
            page = await self._ledger.ExplainStanding(asked)
            points += sum(each.points for each in page.contributions if each.transfer.reason == PRIZE_REASON)
            if not page.next_page_token:
                return points
            asked.page_token = page.next_page_token
