"""A ledger process dies by SIGKILL inside a spend, cancelling, claim or purchase; the call is repeated."""

from __future__ import annotations

import asyncio
import json
import secrets
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import grpc
import pytest

from libs.pb.sparrow.ledger.v1 import ledger_pb2
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as pb
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2_grpc as pb_grpc
from libs.runtime.embedded.keys import ensure_keys
from libs.runtime.embedded.ports import free_port
from libs.runtime.tokens import Keys, access_token, service_token
from services.ledger.assets import Asset
from services.ledger.domain.purchases import Purchase, signed_receipt
from services.ledger.wire.messages import timestamp
from tests.support.edge import bearer
from tests.support.ledger_bench import ledger_bench, points_order
from tests.support.service_process import ServiceProcess

KEY = "match/1/joker/a/1"
SHOP_KEY = b"the shop's secret"
NOWHERE = json.dumps(dict.fromkeys(("match", "mcr", "account", "tournament"), "127.0.0.1:1"))
"""Where those services are that no test here needs."""


@dataclass
class Endpoint:
    """Where ledger processes listen one after the other, and who calls them."""

    database_url: str
    folder: Path
    port: int
    keys: Keys
    player: UUID

    @asynccontextmanager
    async def running(self, fault: str = "") -> AsyncIterator[tuple[ServiceProcess, Any]]:
        """Run the ledger; yield the process and a stub to it."""
        settings = {
            "SPARROW_DATABASE_URL": self.database_url,
            "SPARROW_KEYS_DIR": str(self.folder),
            "SPARROW_PORT": str(self.port),
            "SPARROW_SERVICE_ADDRESSES": NOWHERE,
            "SPARROW_PURCHASE_RECEIPT_KEY": SHOP_KEY.decode(),
            "SPARROW_LOG_LEVEL": "error",
            "SPARROW_FAULT": fault,
        }
        process = ServiceProcess(["ledger"], settings)
        channel = grpc.aio.insecure_channel(
            f"127.0.0.1:{self.port}",
            options=[("grpc.use_local_subchannel_pool", 1), ("grpc.max_reconnect_backoff_ms", 200)],
        )
        try:
            yield process, pb_grpc.LedgerServiceStub(channel)
        finally:
            await channel.close()
            await process.end()

    async def call(self, stub: Any, request: Any) -> Any:
        """Make a call as whoever may; waits until the process listens."""
        now = datetime.now(UTC)
        as_match = bearer(service_token(self.keys, "match", now))
        as_player = bearer(access_token(self.keys, self.player, uuid4(), now)[0])
        method, metadata = {
            pb.PostTransferRequest: (stub.PostTransfer, as_match),
            pb.CancelTransferRequest: (stub.CancelTransfer, as_match),
            pb.GetBalancesRequest: (stub.GetBalances, as_match),
            pb.ClaimDailyBonusRequest: (stub.ClaimDailyBonus, as_player),
            pb.DoubleDailyBonusRequest: (stub.DoubleDailyBonus, as_player),
            pb.ClaimChipsRequest: (stub.ClaimChips, as_player),
            pb.RedeemPurchaseRequest: (stub.RedeemPurchase, as_player),
        }[type(request)]
        return await method(request, metadata=metadata, wait_for_ready=True, timeout=30)

    async def welcome(self, chips: int) -> None:
        """Post what a new profile gets, as the ledger itself does when it hears of one."""
        async with ledger_bench(self.database_url, datetime.now(UTC)) as bench:
            order = points_order(self.player, chips, bench.clock.now(), key=f"chips/welcome/{self.player}")
            await bench.post(replace(order, asset=Asset.CHIP, debit="house/chips", reason="CHIPS_WELCOME"))

    def transfer(self, key: str, debit: str, credit: str, reason: str) -> pb.PostTransferRequest:
        """Return a request to move one joker."""
        return pb.PostTransferRequest(
            key=key,
            asset=ledger_pb2.ASSET_JOKER,
            debit=debit,
            credit=credit,
            amount=1,
            reason=reason,
            occurred_time=timestamp(datetime.now(UTC)),
            request_id=str(uuid4()),
        )


@pytest.fixture
def ledger(database_url: str, tmp_path: Path) -> Endpoint:
    """A ledger that has not started yet."""
    ensure_keys(tmp_path)
    port = free_port(secrets.token_hex(4))
    return Endpoint(database_url, tmp_path, port, Keys.load(tmp_path), uuid4())


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("step", "point"),
    [
        ("spend", "transfer.rows_in:kill:2"),
        ("spend", "transfer.committed:kill:2"),
        ("cancel", "cancel.rows_in:kill"),
        ("cancel", "cancel.committed:kill"),
        ("tombstone", "cancel.rows_in:kill"),
        ("tombstone", "cancel.committed:kill"),
        ("claim", "bonus.rows_in:kill"),
        ("claim", "bonus.committed:kill"),
        ("double", "bonus.rows_in:kill:2"),
        ("double", "bonus.committed:kill:2"),
        ("chips", "transfer.rows_in:kill:2"),
        ("chips", "transfer.committed:kill:2"),
        ("redeem", "transfer.rows_in:kill:2"),
        ("redeem", "transfer.committed:kill:2"),
    ],
)
async def test_a_call_whose_process_died_happened_once(ledger: Endpoint, step: str, point: str) -> None:
    """Grant, then the step dies; repeated on the next process it is done once, and answers the same again."""
    player = f"players/{ledger.player}"
    grant = ledger.transfer("shop/1", "house/jokers", player, "JOKER_PURCHASE")
    spend = ledger.transfer(KEY, player, "house/jokers", "JOKER_USED")
    cancel = pb.CancelTransferRequest(key=KEY, request_id=str(uuid4()))
    claim = pb.ClaimDailyBonusRequest(request_id=str(uuid4()))
    double = pb.DoubleDailyBonusRequest(request_id=str(uuid4()))
    receipt = signed_receipt(SHOP_KEY, Purchase("r1", ledger.player, 5))
    redeem = pb.RedeemPurchaseRequest(receipt=receipt, request_id=str(uuid4()))
    chips = pb.ClaimChipsRequest(request_id=str(uuid4()))
    plans: dict[str, tuple[list[Any], Any, int]] = {
        "spend": ([grant], spend, 0),
        "cancel": ([grant, spend], cancel, 1),
        "tombstone": ([grant], cancel, 1),
        "claim": ([grant], claim, 1),
        "double": ([grant, claim], double, 1),
        "chips": ([grant], chips, 1),
        "redeem": ([grant], redeem, 1 + 5),
    }
    earlier, request, jokers = plans[step]
    await ledger.welcome(50)
    async with ledger.running(point) as (doomed, stub):
        for each in earlier:
            await ledger.call(stub, each)
        with pytest.raises(grpc.aio.AioRpcError):
            await ledger.call(stub, request)
        assert await asyncio.wait_for(doomed.wait(), 20) == -signal.SIGKILL
    async with ledger.running() as (_, stub):
        first = await ledger.call(stub, request)
        again = await ledger.call(stub, request)
        reply = await ledger.call(stub, pb.GetBalancesRequest(player=player))

    assert first == again
    assert reply.balances[0].amount == jokers
    assert reply.balances[1].amount == (200 if step == "chips" else 50)
