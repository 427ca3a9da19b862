"""Histories are folded without holding up the event loop."""

from __future__ import annotations

import asyncio
from uuid import uuid4

from libs.eventstore.memory import MemoryEventStore
from libs.eventstore.port import Request
from libs.eventstore.repository import EVENTS_PER_TURN, Accepted
from tests.support.store_contract import NOW
from tests.support.tally import Add, tallies

TURNS = 10


async def test_others_get_their_turn_while_a_long_history_is_folded() -> None:
    """Reading a state anew, and answering a repeat from its beginning, both let go of the loop."""
    store, stream_id, caller = MemoryEventStore(), uuid4(), uuid4()
    first = Request(caller, "first", b"1")
    zeros = Add((0,) * (EVENTS_PER_TURN * TURNS))
    await tallies(store).execute(stream_id, zeros, request=first, now=NOW)
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    assert await tallies(store).state(stream_id) == (0, EVENTS_PER_TURN * TURNS)
    for_state, turns = turns, 0
    repository = tallies(store)
    repeated = await repository.earlier(stream_id, first)
    for_repeat = turns
    counting.cancel()

    assert isinstance(repeated, Accepted)
    assert repeated.state == 0
    assert min(for_state, for_repeat) >= TURNS
