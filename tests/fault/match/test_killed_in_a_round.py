"""A serving process that is killed in a round: jokers are spent once or not at all, rounds end once.

Whatever point it dies at, the next process brings the same request, or its timer, to one outcome.
"""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import grpc
import pytest

from libs.pb.sparrow.ledger.v1 import ledger_pb2
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as ledger
from libs.pb.sparrow.ledger.v1.ledger_service_pb2_grpc import LedgerServiceStub
from libs.pb.sparrow.match.v1 import match_pb2, ticket_pb2
from libs.pb.sparrow.match.v1 import match_service_pb2 as pb
from libs.pb.sparrow.match.v1.match_service_pb2_grpc import MatchServiceStub
from libs.runtime.embedded.keys import ensure_keys
from libs.runtime.embedded.ports import free_port
from libs.runtime.systemclock import SystemClock
from libs.runtime.tokens import Keys, access_token
from tests.support.edge import bearer, refusal_of
from tests.support.service_process import ServiceProcess

READY_S = 40
JOKERS = 3
POINTS = ("joker.requested", "joker.spent", "joker.used")

pytestmark = pytest.mark.timeout(240)


@dataclass
class Hall:
    """Where processes of match and ledger run, one after the other, on one database."""

    database_url: str
    keys_dir: Path
    port: int
    accounts: tuple[UUID, ...] = field(default_factory=lambda: (uuid4(), uuid4()))
    channel: Any = None

    @asynccontextmanager
    async def process(self, fault: str = "") -> AsyncIterator[Any]:
        """Run a process, armed or not; it is gone afterwards."""
        settings = {
            "SPARROW_DATABASE_URL": self.database_url,
            "SPARROW_KEYS_DIR": str(self.keys_dir),
            "SPARROW_PORT": str(self.port),
            "SPARROW_LOG_LEVEL": "error",
            "SPARROW_SERVICE_ADDRESSES": '{"mcr": "127.0.0.1:1", "tournament": "127.0.0.1:1"}',
            "SPARROW_FAULT": fault,
        }
        child = ServiceProcess(["match", "solitaire", "ledger", "account"], settings)
        self.channel = grpc.aio.insecure_channel(
            f"127.0.0.1:{self.port}", options=[("grpc.use_local_subchannel_pool", 1)]
        )
        try:
            await asyncio.wait_for(self.channel.channel_ready(), READY_S)
            yield MatchServiceStub(self.channel)
        finally:
            await self.channel.close()
            await child.end()

    def player(self, seat: int) -> list[tuple[str, str]]:
        """Who calls: a player."""
        keys = Keys.load(self.keys_dir)
        account_id = self.accounts[seat]
        return bearer(access_token(keys, account_id, account_id, SystemClock().now())[0])

    async def grant(self) -> None:
        """An operator gives the first player jokers."""
        keys = Keys.load(self.keys_dir)
        token = keys.sign("operator", {"sub": "op"}, SystemClock().now(), timedelta(hours=1))
        request = ledger.GrantAssetRequest(
            player=f"players/{self.accounts[0]}",
            asset=ledger_pb2.ASSET_JOKER,
            amount=JOKERS,
            reason="TEST",
            request_id=str(uuid4()),
        )
        await LedgerServiceStub(self.channel).GrantAsset(request, metadata=bearer(token))

    async def jokers(self) -> int:
        """How many the first player has."""
        request = ledger.GetBalancesRequest(player=f"players/{self.accounts[0]}")
        reply = await LedgerServiceStub(self.channel).GetBalances(request, metadata=self.player(0))
        return next(int(b.amount) for b in reply.balances if b.asset == ledger_pb2.ASSET_JOKER)

    async def count(self, query: str) -> int:
        """Ask the database."""
        connection = await asyncpg.connect(self.database_url, server_settings={"search_path": "match"})
        try:
            return int(await connection.fetchval(query))
        finally:
            await connection.close()


@pytest.fixture
def hall(database_url: str) -> Iterator[Hall]:
    """A hall without a process yet."""
    with tempfile.TemporaryDirectory(prefix="sparrow-test-") as folder:
        ensure_keys(Path(folder))
        yield Hall(database_url, Path(folder), free_port(secrets.token_hex(4)))


async def _seated(hall: Hall, stub: Any) -> str:
    """Seat both players; return the match's name."""
    for seat in (0, 1):
        request = ticket_pb2.CreateTicketRequest(queue=ticket_pb2.QUEUE_QUICK_MATCH, request_id=str(uuid4()))
        await stub.CreateTicket(request, metadata=hall.player(seat))
    name = ""
    while not name:
        current = ticket_pb2.GetTicketRequest(name="tickets/current")
        name = (await stub.GetTicket(current, metadata=hall.player(0))).ticket.match
        await asyncio.sleep(0.05)
    return name


async def _started(hall: Hall, stub: Any, name: str) -> match_pb2.Match:
    """Wait for the signal."""
    async with asyncio.timeout(30):
        while True:
            match = await _get(hall, stub, name)
            if match.state != match_pb2.MATCH_STATE_COUNTDOWN:
                return match
            await asyncio.sleep(0.1)


async def _meet(hall: Hall, stub: Any) -> match_pb2.Match:
    """Seat both players and wait for the signal."""
    return await _started(hall, stub, await _seated(hall, stub))


async def _get(hall: Hall, stub: Any, name: str) -> match_pb2.Match:
    reply: pb.GetMatchResponse = await stub.GetMatch(pb.GetMatchRequest(name=name), metadata=hall.player(0))
    return reply.match


async def _lift(hall: Hall, stub: Any, match: match_pb2.Match) -> None:
    request = pb.TouchRequest(
        name=match.name,
        tile=match.board.free_tiles[0],
        expected_board_version=0,
        request_id=str(uuid4()),
    )
    await stub.Touch(request, metadata=hall.player(0))


async def _dies(call: Any) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call
    assert error.value.code() == grpc.StatusCode.UNAVAILABLE


async def _outcome(hall: Hall, stub: Any, request: pb.UseJokerRequest) -> match_pb2.MatchUpdate | str:
    try:
        reply: pb.UseJokerResponse = await stub.UseJoker(request, metadata=hall.player(0))
    except grpc.aio.AioRpcError as error:
        return refusal_of(error).reason
    return reply.update


async def _settled(hall: Hall) -> int:
    """The balance once no timer of a joker is open."""
    open_timers = "SELECT count(*) FROM timer WHERE kind LIKE 'joker/%'"
    async with asyncio.timeout(30):
        while await hall.count(open_timers):  # noqa: ASYNC110
            await asyncio.sleep(0.2)
    return await hall.jokers()


@pytest.mark.parametrize("point", POINTS)
async def test_a_joker_is_spent_once_or_not_at_all(hall: Hall, point: str) -> None:
    """The repeat has one outcome; a joker is gone exactly where a pair went for it."""
    async with hall.process(f"{point}:kill") as stub:
        await hall.grant()
        match = await _meet(hall, stub)
        await _lift(hall, stub, match)
        request = pb.UseJokerRequest(name=match.name, expected_board_version=1, request_id=str(uuid4()))
        await _dies(stub.UseJoker(request, metadata=hall.player(0)))
    async with hall.process() as stub:
        first, second = await _outcome(hall, stub, request), await _outcome(hall, stub, request)
        left = await _settled(hall)
    used = await hall.count("SELECT count(*) FROM event WHERE type = 'sparrow.match.joker_used.v1'")

    assert first == second
    assert first == "JOKER_TOO_LATE" or isinstance(first, match_pb2.MatchUpdate)
    assert used == (0 if isinstance(first, str) else 1)
    assert left == JOKERS - used
    if point == "joker.used":
        assert used == 1


@pytest.mark.parametrize("point", POINTS)
async def test_a_joker_that_nobody_asks_for_again_comes_to_an_end(hall: Hall, point: str) -> None:
    """The client is gone as well: the timer of the request gives back what was taken for nothing."""
    async with hall.process(f"{point}:kill") as stub:
        await hall.grant()
        match = await _meet(hall, stub)
        await _lift(hall, stub, match)
        request = pb.UseJokerRequest(name=match.name, expected_board_version=1, request_id=str(uuid4()))
        await _dies(stub.UseJoker(request, metadata=hall.player(0)))
    async with hall.process() as stub:
        left = await _settled(hall)
        board = (await _get(hall, stub, match.name)).board
    used = await hall.count("SELECT count(*) FROM event WHERE type = 'sparrow.match.joker_used.v1'")

    assert left == JOKERS - used
    assert len(board.present) == len(match.board.present) - 2 * used


@pytest.mark.parametrize("point", ["match.append_sent", "match.committed"])
async def test_a_round_ends_once(hall: Hall, point: str) -> None:
    """Killed while the end was being stored: the repeat gets the result, and points are one fact."""
    async with hall.process() as stub:
        match = await _meet(hall, stub)
        request = pb.LeaveMatchRequest(name=match.name, request_id=str(uuid4()))
        await stub.LeaveMatch(request, metadata=hall.player(1))
    async with hall.process(f"{point}:kill") as stub:
        request = pb.LeaveMatchRequest(name=match.name, request_id=str(uuid4()))
        await _dies(stub.LeaveMatch(request, metadata=hall.player(0)))
    async with hall.process() as stub:
        answer = (await stub.LeaveMatch(request, metadata=hall.player(0))).update
        again = (await stub.LeaveMatch(request, metadata=hall.player(0))).update
    ended = "SELECT count(*) FROM event WHERE type = 'sparrow.match.quick_match_ended.v1'"

    assert answer == again
    assert answer.state == match_pb2.MATCH_STATE_OVER
    assert await hall.count(ended) == 1
    assert await hall.count("SELECT count(*) FROM live_seat") == 0
    assert await hall.count("SELECT count(*) FROM timer") == 0


async def test_a_deadline_that_passed_while_nobody_served_was_not_missed_by_the_players(hall: Hall) -> None:
    """Killed for longer than the countdown: the signal is given later, by as long as nobody was there."""
    async with hall.process() as stub:
        name = await _seated(hall, stub)
        dealt = await _get(hall, stub, name)
    await asyncio.sleep(4)
    async with hall.process() as stub:
        match = await _started(hall, stub, name)
    late = match.start_time.ToDatetime() - dealt.start_time.ToDatetime()

    assert match.state == match_pb2.MATCH_STATE_RUNNING
    assert late > timedelta(seconds=3)
