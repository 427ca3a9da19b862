"""A served ledger as other services and players call it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from libs.pb.sparrow.ledger.v1 import ledger_pb2
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as pb
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2_grpc as pb_grpc
from services.ledger.servicer import bind
from services.ledger.wire.messages import timestamp
from tests.support.edge import Edge, serving
from tests.support.ledger_bench import LedgerBench


@dataclass
class LedgerCalls:
    """The calls of services and players, and the ledger's work, driven by hand."""

    edge: Edge
    bench: LedgerBench
    stub: Any

    def order(
        self, asset: ledger_pb2.Asset.ValueType, debit: str, credit: str, amount: int, **changed: Any
    ) -> pb.PostTransferRequest:
        """Return a request that posts a transfer under a new key."""
        fields: dict[str, Any] = {
            "key": f"test/{uuid4()}",
            "asset": asset,
            "debit": debit,
            "credit": credit,
            "amount": amount,
            "reason": "TEST",
            "occurred_time": timestamp(self.edge.clock.now()),
            "request_id": str(uuid4()),
        }
        return pb.PostTransferRequest(**{**fields, **changed})

    async def post(self, request: pb.PostTransferRequest) -> ledger_pb2.Transfer:
        """Post as a service."""
        response = await self.stub.PostTransfer(request, metadata=self.edge.as_service())
        transfer: ledger_pb2.Transfer = response.transfer
        return transfer

    async def cancel(self, key: str) -> pb.CancelTransferResponse:
        """Cancel a key as a service."""
        request = pb.CancelTransferRequest(key=key, request_id=str(uuid4()))
        response: pb.CancelTransferResponse = await self.stub.CancelTransfer(
            request, metadata=self.edge.as_service()
        )
        return response

    async def held(self, player: UUID) -> dict[int, int]:
        """Return a player's jokers and chips."""
        request = pb.GetBalancesRequest(player=f"players/{player}")
        reply = await self.stub.GetBalances(request, metadata=self.edge.as_service())
        return {row.asset: row.amount for row in reply.balances}

    async def transfers(self, player: UUID) -> list[ledger_pb2.Transfer]:
        """Return a player's newest transfers."""
        request = pb.ListTransfersRequest(player=f"players/{player}", page_size=200)
        reply = await self.stub.ListTransfers(request, metadata=self.edge.as_service())
        return list(reply.transfers)


@asynccontextmanager
async def ledger_calls(database_url: str) -> AsyncIterator[LedgerCalls]:
    """Serve a ledger at noon of 2026-03-02."""
    async with serving([bind], database_url=database_url) as edge:
        bench = LedgerBench(edge.databases[0], edge.clock)
        yield LedgerCalls(edge, bench, pb_grpc.LedgerServiceStub(edge.channel))
