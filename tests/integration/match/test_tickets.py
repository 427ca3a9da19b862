"""Tickets over gRPC: one per account, repeat-safe, cancelled or expired, and told of as they stand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import grpc
import pytest

from libs.pb.sparrow.match.v1 import ticket_pb2 as pb
from libs.queueing.store import oldest_wait
from services.match.queue.store import free_seats
from tests.support.edge import Edge, refused
from tests.support.queueing import QueuePlayer, queues_served

WAITING, MATCHED = pb.TICKET_STATE_WAITING, pb.TICKET_STATE_MATCHED
CANCELLED, EXPIRED = pb.TICKET_STATE_CANCELLED, pb.TICKET_STATE_EXPIRED


@pytest.fixture
async def edge(database_url: str) -> AsyncIterator[Edge]:
    """Tickets with a matchmaker."""
    async with queues_served(database_url) as served:
        yield served


@pytest.fixture
async def quiet(database_url: str) -> AsyncIterator[Edge]:
    """Tickets that nobody matches."""
    async with queues_served(database_url, matchmaking=False) as served:
        yield served


async def rest_of(stream: Any) -> list[pb.WatchTicketResponse]:
    """What a stream brings until it ends by itself."""
    messages: list[pb.WatchTicketResponse] = []
    async with asyncio.timeout(5):
        while (message := await stream.read()) is not grpc.aio.EOF:
            messages.append(message)
    return messages


async def test_two_who_wait_get_one_match(edge: Edge) -> None:
    """Both tickets name the same match; both are told by their streams, whose last message says MATCHED."""
    ana, ben = QueuePlayer(edge), QueuePlayer(edge)
    first = await ana.create()
    watching = asyncio.create_task(ana.matched())
    await asyncio.sleep(0.05)
    await ben.create()
    match = await watching
    messages = [message async for message in ben.watch()]

    assert first.state == WAITING
    assert await ben.matched() == match
    assert messages[-1].end.reason == "MATCHED"
    assert {(await player.get()).match for player in (ana, ben)} == {match}


async def test_an_account_waits_once(quiet: Edge) -> None:
    """A dead client and its restart are one ticket: the second one is told which, and goes on with it."""
    ana = QueuePlayer(quiet)
    ticket = await ana.create()
    restarted = QueuePlayer(quiet, account_id=ana.account_id)
    refusal = await refused(restarted.create())

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "ALREADY_QUEUED")
    assert refusal.metadata["name"] == ticket.name
    assert (await restarted.get(refusal.metadata["name"])).state == WAITING


async def test_nobody_is_matched_with_oneself(edge: Edge) -> None:
    """Ten creations of one account at once, on two devices: one ticket, which goes on waiting."""
    ana = QueuePlayer(edge)
    phone = QueuePlayer(edge, account_id=ana.account_id)
    answers = await asyncio.gather(
        *((ana if n % 2 else phone).create() for n in range(10)), return_exceptions=True
    )
    await asyncio.sleep(0.5)

    assert len([answer for answer in answers if isinstance(answer, pb.Ticket)]) == 1
    assert (await ana.get()).state == WAITING


async def test_one_request_from_two_connections_is_one_ticket(edge: Edge) -> None:
    """Both get the same answer byte by byte, at once and after the match was found."""
    ana, request_id = QueuePlayer(edge), str(uuid4())
    phone = QueuePlayer(edge, account_id=ana.account_id)
    one, other = await asyncio.gather(ana.create(request_id), phone.create(request_id))
    await QueuePlayer(edge).create()
    await ana.matched()
    edge.clock.advance(timedelta(minutes=10))

    assert one == other == await phone.create(request_id)
    assert one.state == WAITING


async def test_who_plays_cannot_wait(edge: Edge) -> None:
    """ALREADY_SEATED names the match; once its seats are free one may wait again."""
    ana, ben = QueuePlayer(edge), QueuePlayer(edge)
    await ana.create()
    await ben.create()
    match = await ana.matched()
    refusal = await refused(ana.create())
    async with edge.databases[0].engine.begin() as connection:
        await free_seats(connection, UUID(match.removeprefix("matches/")))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "ALREADY_SEATED")
    assert refusal.metadata["match"] == match
    assert (await ana.create()).state == WAITING
    assert (await ben.create()).state == WAITING


async def test_cancelling_is_free_and_repeat_safe(quiet: Edge) -> None:
    """Cancelled is cancelled however often one asks; the account may wait again at once."""
    ana, request_id = QueuePlayer(quiet), str(uuid4())
    ticket = await ana.create()
    cancelled = await ana.cancel(ticket.name, request_id)
    again = await ana.create()

    assert cancelled.state == CANCELLED
    assert await ana.cancel(ticket.name, request_id) == cancelled == await ana.cancel(ticket.name)
    assert again.name != ticket.name
    reused = await refused(ana.cancel(again.name, request_id))
    assert reused.reason == "REQUEST_ID_REUSED"
    assert (await ana.get()).state == WAITING


async def test_a_stream_tells_of_the_cancelling(quiet: Edge) -> None:
    """Whoever cancels, every device that watches hears of it."""
    ana = QueuePlayer(quiet)
    ticket = await ana.create()
    stream = ana.watch(ticket.name)
    assert (await stream.read()).ticket == ticket
    await QueuePlayer(quiet, account_id=ana.account_id).cancel(ticket.name)
    rest = await rest_of(stream)

    assert [message.WhichOneof("payload") for message in rest] == ["ticket", "end"]
    assert (rest[0].ticket.state, rest[1].end.reason) == (CANCELLED, "CANCELLED")


async def test_too_late_to_cancel(edge: Edge) -> None:
    """Once a match was found, the refusal names it."""
    ana, ben = QueuePlayer(edge), QueuePlayer(edge)
    ticket = await ana.create()
    await ben.create()
    match = await ana.matched()
    refusal = await refused(ana.cancel(ticket.name))

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "TICKET_MATCHED")
    assert refusal.metadata == {"name": ticket.name, "match": match}


@pytest.mark.parametrize("matchmaking", [True, False])
async def test_tickets_expire(database_url: str, matchmaking: bool) -> None:
    """At the set time the waiting client is told, with a matchmaker or without; then one may wait anew."""
    async with queues_served(database_url, matchmaking=matchmaking, ticket_valid_s=60) as edge:
        ana = QueuePlayer(edge)
        ticket = await ana.create()
        stream = ana.watch(ticket.name)
        await stream.read()
        edge.clock.advance(timedelta(seconds=59, milliseconds=999))
        assert (await ana.get(ticket.name)).state == WAITING
        edge.clock.advance(timedelta(milliseconds=1))
        rest = await rest_of(stream)
        refusal = await refused(ana.cancel(ticket.name))
        assert ticket.expire_time.ToMilliseconds() - ticket.create_time.ToMilliseconds() == 60_000
        assert (rest[0].ticket.state, rest[-1].end.reason) == (EXPIRED, "EXPIRED")
        assert refusal.reason == "TICKET_EXPIRED"
        assert (await ana.create()).state == WAITING


async def test_an_expired_ticket_is_never_matched(quiet: Edge, database_url: str) -> None:
    """A matchmaker that comes too late matches those who still wait."""
    ana, ben = QueuePlayer(quiet), QueuePlayer(quiet)
    await ana.create()
    quiet.clock.advance(timedelta(minutes=5))
    await ben.create()
    async with queues_served(database_url) as working:
        working.clock.advance(timedelta(minutes=5))
        await asyncio.sleep(0.5)

    assert (await ana.get()).state == EXPIRED
    assert (await ben.get()).state == WAITING


async def test_tickets_are_their_players_own(quiet: Edge) -> None:
    """Others may not read, watch or cancel them; unknown ones are unknown."""
    ana, ben = QueuePlayer(quiet), QueuePlayer(quiet)
    name = (await ana.create()).name
    for call in (ben.get(name), ben.cancel(name), ben.watch(name).read()):
        assert (await refused(call)).code == grpc.StatusCode.PERMISSION_DENIED
    for call in (ben.get(), ben.get(f"tickets/{uuid4()}"), ben.cancel(f"tickets/{uuid4()}")):
        assert (await refused(call)).code == grpc.StatusCode.NOT_FOUND
    for call in (ben.get("tickets/me"), ben.cancel("tickets/current"), ben.get("")):
        assert (await refused(call)).code == grpc.StatusCode.INVALID_ARGUMENT
    nothing = pb.CreateTicketRequest(queue=pb.QUEUE_UNSPECIFIED, request_id=str(uuid4()))
    unknown_queue = await refused(ben.stub.CreateTicket(nothing, metadata=ben.metadata))
    assert (unknown_queue.reason, unknown_queue.field) == ("FIELD_INVALID", "queue")


async def test_the_expected_wait_is_told_from_recent_waits(edge: Edge) -> None:
    """Nobody knows at first; with somebody waiting it is a second; then it is what others waited."""
    waits = []
    for seconds in (10, 30, 20, 40):
        first, second = QueuePlayer(edge), QueuePlayer(edge)
        waits.append((await first.create()).HasField("expected_wait"))
        edge.clock.advance(timedelta(seconds=seconds))
        assert (await second.create()).expected_wait.ToSeconds() == 1
        await second.matched()
    ana = QueuePlayer(edge)
    told = (await ana.create()).expected_wait.ToSeconds()
    edge.clock.advance(timedelta(seconds=15))
    later = (await ana.get()).expected_wait.ToSeconds()
    edge.clock.advance(timedelta(seconds=60))

    assert waits == [False, False, False, True]
    assert (told, later) == (20, 15)
    assert not (await ana.get()).HasField("expected_wait")


async def test_the_oldest_wait_is_known(quiet: Edge) -> None:
    """Of all who wait, how long the first one has; 0 when nobody waits."""
    async with quiet.databases[0].engine.connect() as connection:
        assert await oldest_wait(connection, quiet.clock.now()) == timedelta()
        await QueuePlayer(quiet).create()
        quiet.clock.advance(timedelta(seconds=7))
        await QueuePlayer(quiet).create()
        await connection.rollback()
        assert await oldest_wait(connection, quiet.clock.now()) == timedelta(seconds=7)


async def test_draining_ends_streams_and_the_ticket_goes_on(quiet: Edge) -> None:
    """The last message says DRAINING; elsewhere the stream goes on, since the ticket still waits."""
    ana = QueuePlayer(quiet)
    ticket = await ana.create()
    stream = ana.watch(ticket.name)
    await stream.read()
    await quiet.server.drain()
    rest = await rest_of(stream)

    assert rest[-1].end.reason == "DRAINING"
