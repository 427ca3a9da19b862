"""Processes that are killed at a table: whatever the point, nothing that was acknowledged is lost or doubled.

One process serves and works; it dies at a point, and the next one goes on with what is stored. The person
sends again what was not answered. In the end all facts are those of the rules, deal after deal.
"""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import grpc
import pytest

from libs.eventstore.postgres.database import Database
from libs.pb.sparrow.mcr.v1 import deal_pb2, deal_view_pb2, table_pb2
from libs.pb.sparrow.mcr.v1 import table_service_pb2 as pb
from libs.pb.sparrow.mcr.v1.table_service_pb2_grpc import TableServiceStub
from libs.runtime.embedded.keys import ensure_keys
from libs.runtime.embedded.ports import free_port
from libs.runtime.systemclock import SystemClock
from libs.runtime.tokens import Keys, access_token
from services.mcr.domain.deal.events import ClaimAnswered, DealEnded, Event, TileDiscarded
from services.mcr.domain.deal.scorer import rule_book
from services.mcr.domain.deal.terms import By
from services.mcr.domain.deal.verifying import differences
from services.mcr.domain.session.events import DealFinished, DealStarted, TableClosed
from services.mcr.wire.deal_codec import DealCodec
from services.mcr.wire.table_codec import TableCodec
from tests.support.edge import bearer, refusal_of
from tests.support.mcr_hall import QUICK, id_of, quietly
from tests.support.service_process import ServiceProcess

pytestmark = pytest.mark.timeout(180)
READY_S = 40
POINTS = ("mcr.append_sent:kill:3", "mcr.committed:kill:9", "timer.claimed:kill:6", "mcr.next_dealt:kill")


@dataclass
class Table:
    """Where processes run, one after the other, and the person who plays there."""

    database_url: str
    keys_dir: Path
    port: int
    account_id: UUID = field(default_factory=uuid4)
    stub: Any = None
    died: int = 0
    acted: list[tuple[int, deal_view_pb2.Action]] = field(default_factory=list)
    """Deal and action of what was acknowledged."""
    unanswered: pb.ActRequest | None = None

    @property
    def metadata(self) -> list[tuple[str, str]]:
        """Who calls."""
        keys = Keys.load(self.keys_dir)
        return bearer(access_token(keys, self.account_id, self.account_id, SystemClock().now())[0])

    @asynccontextmanager
    async def process(self, fault: str = "") -> AsyncIterator[ServiceProcess]:
        """Run a process, armed or not; it is gone afterwards."""
        settings = {
            "SPARROW_DATABASE_URL": self.database_url,
            "SPARROW_KEYS_DIR": str(self.keys_dir),
            "SPARROW_PORT": str(self.port),
            "SPARROW_LOG_LEVEL": "error",
            "SPARROW_FAULT": fault,
            **{f"SPARROW_{name.upper()}": str(value) for name, value in QUICK.items()},
        }
        child = ServiceProcess(["mcr"], settings)
        channel = grpc.aio.insecure_channel(
            f"127.0.0.1:{self.port}", options=[("grpc.use_local_subchannel_pool", 1)]
        )
        self.stub = TableServiceStub(channel)
        try:
            await asyncio.wait_for(channel.channel_ready(), READY_S)
            yield child
        finally:
            await channel.close()
            await child.end()

    async def call(self, method: Any, request: Any) -> Any:
        """Ask; None where the process died of it."""
        try:
            return await method(request, metadata=self.metadata, timeout=10)
        except grpc.aio.AioRpcError as error:
            if error.code() == grpc.StatusCode.UNAVAILABLE:
                return None
            raise

    async def play(self, name: str) -> bool:
        """Act until the table has closed; False where the process died before."""
        while True:
            read = await self.call(self.stub.GetTable, pb.GetTableRequest(name=name))
            if read is None:
                return False
            if read.table.summary.closing:
                return True
            request = self.unanswered or _asked(name, read.table)
            if request is None:
                await asyncio.sleep(0.01)
                continue
            self.unanswered = request
            if not await self._act(request):
                return False

    async def _act(self, request: pb.ActRequest) -> bool:
        try:
            reply = await self.call(self.stub.Act, request)
        except grpc.aio.AioRpcError as error:
            if refusal_of(error).reason not in {"STALE_DECISION", "MATCH_ENDED"}:
                raise
        else:
            if reply is None:
                return False
            self.acted.append((request.deal_number, request.action))
        self.unanswered = None
        return True

    async def facts(self, name: str) -> tuple[list[Any], list[list[Event]]]:
        """The facts of the table, and of each of its deals."""
        database = await Database.open(self.database_url, "mcr")
        try:
            told = [TableCodec().decode(each) for each in await database.store.load(id_of(name))]
            deals = [each.deal_id for each in told if isinstance(each, DealStarted)]
            recorded = [await database.store.load(deal_id) for deal_id in deals]
            assert await database.pool.fetchval("SELECT count(*) FROM live_seat") == 0
            return told, [[DealCodec().decode(each) for each in events] for events in recorded]
        finally:
            await database.close()


def _asked(name: str, table: table_pb2.TableView) -> pb.ActRequest | None:
    if not table.deal.HasField("open_decision"):
        return None
    return pb.ActRequest(
        name=name,
        deal_number=table.deal.number,
        decision=table.deal.decision,
        action=quietly(table.deal),
        request_id=str(uuid4()),
    )


@pytest.fixture
def table(database_url: str) -> Iterator[Table]:
    """A table without a process yet."""
    with tempfile.TemporaryDirectory(prefix="sparrow-test-") as folder:
        ensure_keys(Path(folder))
        yield Table(database_url, Path(folder), free_port(secrets.token_hex(4)))


@pytest.mark.parametrize("point", POINTS)
async def test_no_acknowledged_action_is_lost_or_done_twice(table: Table, point: str) -> None:
    """The table is played to its end by whatever process is there, and every fact is by the rules."""
    count = 2 if point.startswith("mcr.next_dealt") else 1
    async with table.process(point) as child:
        opening = pb.OpenTableRequest(deal_count=count, request_id=str(uuid4()))
        name = (await table.call(table.stub.OpenTable, opening)).table.summary.name
        is_over = await table.play(name)
        assert is_over or await child.wait() != 0
    async with table.process():
        while not is_over:
            is_over = await table.play(name)
    told, deals = await table.facts(name)

    assert [type(each) for each in told].count(DealFinished) == count
    assert isinstance(told[-1], TableClosed)
    for number, facts in enumerate(deals, 1):
        assert differences(facts, rule_book) == []
        assert [type(each) for each in facts].count(DealEnded) == 1
        own = [each.tile for each in facts if isinstance(each, TileDiscarded) and _is_own(each)]
        acted = [
            action.tiles[0]
            for deal, action in table.acted
            if deal == number and action.kind == deal_view_pb2.ACTION_KIND_DISCARD
        ]
        assert [tile for tile in own if tile in acted] == acted


def _is_own(fact: TileDiscarded | ClaimAnswered) -> bool:
    return fact.seat == 0 and fact.by is By.PLAYER


async def test_a_table_begins_whole_or_not_at_all(table: Table) -> None:
    """Killed before the commit, nothing is there; the repeat opens the one table of its request."""
    opening = pb.OpenTableRequest(request_id=str(uuid4()))
    async with table.process("mcr.tables_begun:kill") as child:
        assert await table.call(table.stub.OpenTable, opening) is None
        assert await child.wait() != 0
    async with table.process():
        first = (await table.call(table.stub.OpenTable, opening)).table
        second = (await table.call(table.stub.OpenTable, opening)).table
        assert await table.play(first.summary.name)
    told, _deals = await table.facts(first.summary.name)

    assert first.summary.name == second.summary.name
    assert isinstance(told[-1], TableClosed)
    assert first.summary.closing == deal_pb2.TABLE_CLOSING_UNSPECIFIED
