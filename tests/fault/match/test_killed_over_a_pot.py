"""Processes that are killed while stakes go into escrow, or a pot comes out: no chip is lost or made.

Match and ledger die together at a point and come back. Whatever was done by then, the escrow of the match
ends empty, nobody's chips went below zero, and all chips together are as many as before.
"""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import grpc
import pytest

from libs.pb.sparrow.ledger.v1 import ledger_pb2
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as ledger
from libs.pb.sparrow.ledger.v1.ledger_service_pb2_grpc import LedgerServiceStub
from libs.pb.sparrow.match.v1 import pool_pb2, ticket_pb2
from libs.pb.sparrow.match.v1 import pool_service_pb2 as pb
from libs.pb.sparrow.match.v1.match_service_pb2_grpc import MatchServiceStub
from libs.pb.sparrow.match.v1.pool_service_pb2_grpc import PoolServiceStub
from libs.runtime.embedded.keys import ensure_keys
from libs.runtime.embedded.ports import free_port
from libs.runtime.systemclock import SystemClock
from libs.runtime.tokens import Keys
from tests.fault.match.test_killed_in_a_round import Hall
from tests.support.edge import bearer

pytestmark = pytest.mark.timeout(240)

CHIPS = (1_000, 100, 99, 500)
"""By player: the third cannot pay the stake of 100."""
OPEN = "SELECT count(*) FROM timer WHERE kind LIKE 'pool%'"
READY = grpc.ChannelConnectivity.READY
EXPECTED = {grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.ABORTED, grpc.StatusCode.UNAVAILABLE}
"""Seats that do not play, or have played before the process died; a process that is gone."""
WHILE_STAKING = ("pool.staked", "pool.stake_entered", "transfer.rows_in", "transfer.committed")
WHILE_PAYING = ("match.append_sent", "match.committed", "transfer.rows_in", "transfer.committed", "pool.paid")


@pytest.fixture
def hall(database_url: str) -> Iterator[Hall]:
    """A hall for four, without a process yet."""
    with tempfile.TemporaryDirectory(prefix="sparrow-test-") as folder:
        ensure_keys(Path(folder))
        accounts = tuple(uuid4() for _ in CHIPS)
        yield Hall(database_url, Path(folder), free_port(secrets.token_hex(4)), accounts)


async def grant(hall: Hall) -> None:
    """An operator gives everybody chips."""
    token = Keys.load(hall.keys_dir).sign("operator", {"sub": "op"}, SystemClock().now(), timedelta(hours=1))
    for account_id, amount in zip(hall.accounts, CHIPS, strict=True):
        request = ledger.GrantAssetRequest(
            player=f"players/{account_id}",
            asset=ledger_pb2.ASSET_CHIP,
            amount=amount,
            reason="TEST",
            request_id=str(uuid4()),
        )
        await LedgerServiceStub(hall.channel).GrantAsset(request, metadata=bearer(token))


async def queue(hall: Hall) -> None:
    """All four wait: the fourth ticket begins the match. The process may die before the last is answered."""
    stub = MatchServiceStub(hall.channel)
    for seat in range(len(CHIPS)):
        request = ticket_pb2.CreateTicketRequest(queue=ticket_pb2.QUEUE_POOL, request_id=str(uuid4()))
        await stub.CreateTicket(request, metadata=hall.player(seat))


async def found(hall: Hall) -> str:
    """The match that the first player was seated in."""
    stub = MatchServiceStub(hall.channel)
    async with asyncio.timeout(30):
        while True:
            request = ticket_pb2.GetTicketRequest(name="tickets/current")
            name = str((await stub.GetTicket(request, metadata=hall.player(0))).ticket.match)
            if name:
                return name
            await asyncio.sleep(0.05)


async def dead(hall: Hall) -> None:
    """Wait until the process no longer answers."""
    async with asyncio.timeout(30):
        while hall.channel.get_state(try_to_connect=True) is READY:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def begun(hall: Hall, name: str) -> pool_pb2.PoolGame:
    """Wait until it is played, or over."""
    async with asyncio.timeout(40):
        while True:
            request = pb.GetPoolGameRequest(name=name)
            stub: Any = PoolServiceStub(hall.channel)
            reply: pb.GetPoolGameResponse = await stub.GetPoolGame(request, metadata=hall.player(0))
            game = reply.game
            if game.state in {pool_pb2.POOL_STATE_RUNNING, pool_pb2.POOL_STATE_OVER}:
                return game
            await asyncio.sleep(0.1)


async def play(hall: Hall, name: str) -> None:
    """Everybody who plays takes a pair and leaves; the process may die at any of it."""
    for seat in range(len(CHIPS)):
        for order in (_take_a_pair, _leave):
            try:
                await order(hall, name, seat)
            except grpc.aio.AioRpcError as error:
                if error.code() not in EXPECTED:
                    raise


async def _take_a_pair(hall: Hall, name: str, seat: int) -> None:
    stub: Any = PoolServiceStub(hall.channel)
    hint = pb.GetPoolHintRequest(name=name, expected_board_version=0, request_id=str(uuid4()))
    pair = (await stub.GetPoolHint(hint, metadata=hall.player(seat))).update.pair
    remove = pb.RemovePoolPairRequest(
        name=name,
        first=pair.first,
        second=pair.second,
        expected_board_version=1,
        request_id=str(uuid4()),
    )
    await stub.RemovePoolPair(remove, metadata=hall.player(seat))


async def _leave(hall: Hall, name: str, seat: int) -> None:
    stub: Any = PoolServiceStub(hall.channel)
    leave = pb.LeavePoolGameRequest(name=name, request_id=str(uuid4()))
    await stub.LeavePoolGame(leave, metadata=hall.player(seat))


async def chips(hall: Hall, name: str) -> tuple[list[int], int, int]:
    """What everybody has and what lies in escrow, once nothing of the match is open; and how many won."""
    async with asyncio.timeout(60):
        while await hall.count(OPEN):  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    escrow = f"house/pool-{name.removeprefix('matches/')}"
    connection = await asyncpg.connect(hall.database_url, server_settings={"search_path": "ledger"})
    try:
        held = [
            int(
                await connection.fetchval(
                    "SELECT amount FROM balance WHERE account = $1 AND asset = 'CHIP'", f"players/{account}"
                )
            )
            for account in hall.accounts
        ]
        moved = "SELECT coalesce(sum(CASE WHEN credit = $1 THEN amount ELSE -amount END), 0) FROM transfer"
        lying = int(await connection.fetchval(f"{moved} WHERE credit = $1 OR debit = $1", escrow))
        won = int(await connection.fetchval("SELECT count(*) FROM transfer WHERE reason = 'POOL_POT'"))
    finally:
        await connection.close()
    return held, lying, won


@pytest.mark.parametrize("point", WHILE_STAKING)
async def test_stakes_end_in_the_pot_or_with_their_players(hall: Hall, point: str) -> None:
    """Killed while stakes are paid: the match is played by those who paid, or is void."""
    async with hall.process():
        await grant(hall)
    async with hall.process(f"{point}:kill:2"):
        await queue(hall)
        await dead(hall)
    async with hall.process():
        name = await found(hall)
        if (await begun(hall, name)).state == pool_pb2.POOL_STATE_RUNNING:
            await play(hall, name)
        held, lying, won = await chips(hall, name)

    assert lying == 0
    assert sum(held) == sum(CHIPS)
    assert held[2] == CHIPS[2]
    assert won or held == list(CHIPS)


@pytest.mark.parametrize("point", WHILE_PAYING)
async def test_the_pot_is_paid_once(hall: Hall, point: str) -> None:
    """Killed while the match ends or the pot is paid: the winners have all of it, and nobody twice."""
    async with hall.process():
        await grant(hall)
        await queue(hall)
        name = await found(hall)
        game = await begun(hall, name)
        assert (game.state, game.pot) == (pool_pb2.POOL_STATE_RUNNING, 300)
    async with hall.process(f"{point}:kill"):
        await play(hall, name)
        await dead(hall)
    async with hall.process():
        await play(hall, name)
        held, lying, won = await chips(hall, name)

    assert lying == 0
    assert sum(held) == sum(CHIPS)
    assert won
    assert held[2] == CHIPS[2]
