"""A process that is killed at the end of a round, or in the break: the next one goes on where it stood.

Nothing is lost: there is one next round, with one deal, and the prizes are paid once.
"""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import grpc
import pytest

from libs.pb.sparrow.ledger.v1 import ledger_pb2
from libs.pb.sparrow.ledger.v1 import ledger_service_pb2 as ledger
from libs.pb.sparrow.ledger.v1.ledger_service_pb2_grpc import LedgerServiceStub
from libs.pb.sparrow.match.v1 import match_pb2, ticket_pb2
from libs.pb.sparrow.match.v1 import match_service_pb2 as pb
from libs.runtime.embedded.keys import ensure_keys
from libs.runtime.embedded.ports import free_port
from tests.fault.match.test_killed_in_a_round import Hall
from tests.support.checker import SCHEMAS, findings

pytestmark = pytest.mark.timeout(240)
WITHIN_S = 60
COUNT = "SELECT count(*) FROM event WHERE type = 'sparrow.match.{}.v1'"


@pytest.fixture
def hall(database_url: str) -> Iterator[Hall]:
    """A hall for four, without a process yet."""
    with tempfile.TemporaryDirectory(prefix="sparrow-test-") as folder:
        ensure_keys(Path(folder))
        port = free_port(secrets.token_hex(4))
        yield Hall(database_url, Path(folder), port, accounts=(uuid4(), uuid4(), uuid4(), uuid4()))


async def _seated(hall: Hall, stub: Any) -> str:
    for seat in range(4):
        request = ticket_pb2.CreateTicketRequest(queue=ticket_pb2.QUEUE_ARENA, request_id=str(uuid4()))
        await stub.CreateTicket(request, metadata=hall.player(seat))
    async with asyncio.timeout(WITHIN_S):
        while True:
            current = ticket_pb2.GetTicketRequest(name="tickets/current")
            name = (await stub.GetTicket(current, metadata=hall.player(0))).ticket.match
            if name:
                return str(name)
            await asyncio.sleep(0.05)


async def _get(hall: Hall, stub: Any, name: str) -> match_pb2.Match:
    reply: pb.GetMatchResponse = await stub.GetMatch(pb.GetMatchRequest(name=name), metadata=hall.player(0))
    return reply.match


async def _reached(
    hall: Hall, stub: Any, name: str, number: int, state: match_pb2.MatchState.ValueType
) -> match_pb2.Match:
    """Wait until the match has come so far."""
    async with asyncio.timeout(WITHIN_S):
        while True:
            seen = await _get(hall, stub, name)
            if (seen.round_number, seen.state) == (number, state):
                return seen
            await asyncio.sleep(0.1)


async def _leave(hall: Hall, stub: Any, name: str, seat: int) -> match_pb2.MatchUpdate:
    request = pb.LeaveMatchRequest(name=name, request_id=f"leave-{seat}")
    reply: pb.LeaveMatchResponse = await stub.LeaveMatch(request, metadata=hall.player(seat))
    return reply.update


async def _leaves(hall: Hall, stub: Any, name: str, *seats: int) -> match_pb2.MatchUpdate:
    for seat in seats[:-1]:
        await _leave(hall, stub, name, seat)
    return await _leave(hall, stub, name, seats[-1])


async def _points(hall: Hall) -> dict[str, int]:
    """What stands on the year's board, once the facts have arrived there."""
    stub = LedgerServiceStub(hall.channel)
    async with asyncio.timeout(WITHIN_S):
        while True:
            request = ledger.ListBoardEntriesRequest(board=ledger_pb2.BOARD_AMR, page_size=100)
            reply = await stub.ListBoardEntries(request, metadata=hall.player(0))
            found = {entry.player: int(entry.points) for entry in reply.entries}
            if len(found) == 4:
                return found
            await asyncio.sleep(0.2)


async def _all_is_told(hall: Hall) -> None:
    """Wait until every event is in its feed."""
    query = " + ".join(f"(SELECT count(*) FROM {schema}.outbox)" for schema in SCHEMAS)
    async with asyncio.timeout(WITHIN_S):
        while await hall.count(f"SELECT {query}"):  # noqa: ASYNC110
            await asyncio.sleep(0.2)


async def _until_gone(hall: Hall) -> None:
    """Wait until nobody answers any more."""
    async with asyncio.timeout(WITHIN_S):
        while True:
            state = hall.channel.get_state(try_to_connect=True)
            if state in (grpc.ChannelConnectivity.TRANSIENT_FAILURE, grpc.ChannelConnectivity.CONNECTING):
                return
            await asyncio.sleep(0.1)


@asynccontextmanager
async def _dying(hall: Hall, point: str) -> AsyncIterator[Any]:
    """A process that dies at a point, by itself."""
    async with hall.process(f"{point}:kill") as stub:
        yield stub
        await _until_gone(hall)


@pytest.mark.parametrize("point", ["round.next_dealt", "match.append_sent", "match.committed"])
async def test_killed_at_the_end_of_a_round_there_is_one_next_round(hall: Hall, point: str) -> None:
    """The timer, or whoever asks next, ends the round where it did not; then the break runs."""
    async with hall.process() as stub:
        name = await _seated(hall, stub)
        await _reached(hall, stub, name, 1, match_pb2.MATCH_STATE_RUNNING)
        await _leave(hall, stub, name, 3)
    async with _dying(hall, point):
        pass  # nobody makes a pair: the timer ends the round
    async with hall.process() as stub:
        seen = await _reached(hall, stub, name, 2, match_pb2.MATCH_STATE_BREAK)
        dealt = await hall.count(COUNT.format("round_dealt"))
        rounds = await hall.count("SELECT count(*) FROM match_round")
        await _reached(hall, stub, name, 2, match_pb2.MATCH_STATE_RUNNING)

    assert (dealt, rounds) == (2, 2)
    assert await hall.count(COUNT.format("match_round_ended")) == 1
    assert await hall.count("SELECT count(*) FROM live_seat") == 3
    assert [seat.left for seat in seen.standings] == [False, False, False, True]


async def test_killed_in_the_break_the_next_round_begins(hall: Hall) -> None:
    """Nobody served for most of the break: it is made up for, and the signal is given."""
    async with hall.process() as stub:
        name = await _seated(hall, stub)
        await _reached(hall, stub, name, 1, match_pb2.MATCH_STATE_RUNNING)
        before = await _reached(hall, stub, name, 2, match_pb2.MATCH_STATE_BREAK)
    await asyncio.sleep(4)
    async with hall.process() as stub:
        after = await _reached(hall, stub, name, 2, match_pb2.MATCH_STATE_BREAK)
        began = await _reached(hall, stub, name, 2, match_pb2.MATCH_STATE_RUNNING)
        over = await _leaves(hall, stub, name, 0, 1, 2, 3)

    assert after.commitment == before.commitment == began.commitment
    assert after.earlier_rounds == before.earlier_rounds
    assert (began.start_time.ToDatetime() - before.start_time.ToDatetime()).total_seconds() > 3
    assert over.state == match_pb2.MATCH_STATE_OVER


@pytest.mark.parametrize("point", ["match.append_sent", "match.committed"])
async def test_killed_at_the_end_of_a_match_the_prizes_are_paid_once(hall: Hall, point: str) -> None:
    """The repeat gets the result; the result is one fact, and one transfer to each seat."""
    async with hall.process() as stub:
        name = await _seated(hall, stub)
        await _reached(hall, stub, name, 1, match_pb2.MATCH_STATE_RUNNING)
        await _leaves(hall, stub, name, 1, 2, 3)
    async with hall.process(f"{point}:kill") as stub:
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await _leave(hall, stub, name, 0)
        assert error.value.code() == grpc.StatusCode.UNAVAILABLE
    async with hall.process() as stub:
        answer, again = await _leave(hall, stub, name, 0), await _leave(hall, stub, name, 0)
        points = await _points(hall)
        await _all_is_told(hall)

    assert answer == again
    assert answer.state == match_pb2.MATCH_STATE_OVER
    assert await hall.count(COUNT.format("arena_ended")) == 1
    assert await hall.count("SELECT count(*) FROM live_seat") == 0
    assert await hall.count("SELECT count(*) FROM timer") == 0
    assert points == {f"players/{account}": 35 for account in hall.accounts}
    assert await findings(hall.database_url) == []
