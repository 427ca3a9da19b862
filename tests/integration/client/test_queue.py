"""Waiting for a match: through lost replies and broken streams, and after a restart of the program."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from libs.client.client import SparrowClient
from libs.client.errors import RefusedError
from libs.client.tickets import TicketState
from libs.pb.sparrow.match.v1 import ticket_pb2
from tests.integration.client.conftest import PATIENT
from tests.support.tiny_sparrow import TinySparrow
from tests.support.waiting import until

KEY = b"k" * 32


@pytest.fixture
async def rival(target: str) -> AsyncIterator[SparrowClient]:
    """Another player."""
    async with await SparrowClient.connect(target, retries=PATIENT, device_key=KEY) as connected:
        yield connected


async def test_two_players_find_one_match(client: SparrowClient, rival: SparrowClient) -> None:
    """Both get the game of the same match."""
    one, other = await asyncio.gather(client.find_match(), rival.find_match())

    assert one.name == other.name


async def test_a_ticket_tells_what_to_expect(client: SparrowClient) -> None:
    """It waits, and says how much longer probably."""
    ticket = (await client.queue()).ticket

    assert (ticket.state, ticket.expected_wait) == (TicketState.WAITING, timedelta(seconds=7))


async def test_lost_replies_and_broken_streams_make_no_second_ticket(
    client: SparrowClient, rival: SparrowClient, tiny: TinySparrow
) -> None:
    """The repeat is the same request; the watch goes on over new streams."""
    tiny.faults.lose_replies = 2
    tiny.faults.break_streams_after = [1, 1]
    finding = asyncio.create_task(client.find_match())
    await until(lambda: not tiny.faults.break_streams_after)
    game = await rival.find_match()

    assert (await finding).name == game.name
    assert len({request.request_id for request in tiny.requests("CreateTicketRequest")}) == 2


async def test_a_restarted_program_goes_on_with_its_ticket(rival: SparrowClient, target: str) -> None:
    """It is told of the ticket that it left behind, not given a second one; likewise of its match."""
    left_behind = (await rival.queue()).ticket
    async with await SparrowClient.connect(target, retries=PATIENT, device_key=KEY) as restarted:
        assert (await restarted.queue()).ticket.name == left_behind.name
        async with await SparrowClient.connect(target, retries=PATIENT) as opponent:
            game, _ = await asyncio.gather(restarted.find_match(), opponent.find_match())
        assert (await restarted.find_match()).name == game.name
        with pytest.raises(RefusedError) as refusal:
            await restarted.queue()

    assert (refusal.value.reason, refusal.value.metadata["match"]) == ("ALREADY_SEATED", game.name)


async def test_who_stops_looking_waits_no_more(client: SparrowClient, tiny: TinySparrow) -> None:
    """A cancelled search cancels its ticket."""
    finding = asyncio.create_task(client.find_match())
    await until(lambda: bool(tiny.queue.tickets))
    await asyncio.sleep(0.1)
    finding.cancel()
    await asyncio.gather(finding, return_exceptions=True)

    assert tiny.queue.tickets[client.profile.name].state == ticket_pb2.TICKET_STATE_CANCELLED
    assert finding.cancelled()


async def test_nobody_comes(client: SparrowClient, tiny: TinySparrow) -> None:
    """The search ends with the ticket's expiry as its reason."""
    finding = asyncio.create_task(client.find_match())
    await until(lambda: bool(tiny.queue.tickets))
    await tiny.queue.become(client.profile.name, ticket_pb2.TICKET_STATE_EXPIRED)

    with pytest.raises(RefusedError, match="TICKET_EXPIRED"):
        await finding


async def test_cancelling_too_late_names_the_match(client: SparrowClient, rival: SparrowClient) -> None:
    """The refusal says which match was found."""
    waiting = await client.queue()
    game = await rival.find_match()
    with pytest.raises(RefusedError) as refusal:
        await waiting.cancel()

    assert (refusal.value.reason, refusal.value.metadata["match"]) == ("TICKET_MATCHED", game.name)
    assert await waiting.match() == game.name
