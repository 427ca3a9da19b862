"""What a player received as final tournament prizes in a week: asked of the ledger."""

from __future__ import annotations

from typing import Final
from uuid import UUID

import grpc

from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as pb
from libs.pb.sparrow.ledger.v1.ledger_service_pb2_grpc import LedgerServiceStub
from libs.runtime.errors import Refused
from libs.runtime.names import player_name
from services.tournament.domain.calendar.weeks import Week
from services.tournament.wire.words import timestamp

RETRY_AFTER_MS: Final = 1_000


class PrizePointsLedger:
    """The ledger's word on weeks."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        """Ask over `channel`."""
        self._ledger = LedgerServiceStub(channel)

    async def of(self, account_id: UUID, week: Week) -> int:
        """Return the points of prizes whose tournament finished in that week; revoked ones are out.

        Raises Refused NOT_READY while the ledger does not answer.
        """
        asked = pb.GetPrizePointsRequest(player=player_name(account_id), week_time=timestamp(week.since))
        try:
            told = await self._ledger.GetPrizePoints(asked)
        except grpc.aio.AioRpcError as error:
            message = f"the ledger does not tell the prizes of the week: {error.code().name}"
            raise Refused("NOT_READY", message, retry_after_ms=RETRY_AFTER_MS) from error
        return told.points
