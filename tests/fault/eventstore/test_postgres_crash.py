"""PostgreSQL killed under load: acknowledged appends stay, unknown ones happen at most once."""

from __future__ import annotations

import asyncio

import pytest

from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore.chain import CHAIN_START, verify_feed
from libs.eventstore.migrations import upgrade
from libs.eventstore.port import StoreUnavailable
from libs.eventstore.postgres.database import Database
from libs.eventstore.repository import Accepted
from libs.eventstore.sequencer import Sequencer
from tests.support.servers import Databases, PostgresServer
from tests.support.store_contract import NOW, request, stream
from tests.support.tally import Add, tallies

CLIENTS, COMMANDS = 8, 25


@pytest.mark.timeout(180)
async def test_a_crash_of_postgres_loses_and_doubles_nothing() -> None:
    """Clients that repeat what got no answer, over a kill -9 of the server, see every command done once."""
    server = PostgresServer(durable=True)
    await asyncio.to_thread(server.start)
    try:
        url = await asyncio.to_thread(Databases(server.url).create, upgrade)
        database = await Database.open(url, "match")
        unknown = await _clients_over_a_crash(database, server)
        sequencer = Sequencer(database, Part.FACTS)
        while await sequencer.step(1):
            pass
        entries = await database.feed.read(Part.FACTS, 1)
        repository = tallies(database.store)
        for number in range(CLIENTS):
            assert await repository.state(stream(number)) == (0, COMMANDS)
        await database.close()
    finally:
        await asyncio.to_thread(server.remove)

    assert unknown > 0, "the crash came when nothing was under way"
    assert len(entries) == CLIENTS * COMMANDS
    assert isinstance(verify_feed(entries, CHAIN_START), FeedEntry)


async def _clients_over_a_crash(database: Database, server: PostgresServer) -> int:
    """Run all clients with a crash in the middle; return how many tries were left without an answer."""
    repository = tallies(database.store)
    unknown = done = 0
    half = asyncio.Event()

    async def client(number: int) -> None:
        nonlocal unknown, done
        for command in range(COMMANDS):
            key = request(f"{number}/{command}")
            while True:
                try:
                    result = await repository.execute(stream(number), Add((0,)), request=key, now=NOW)
                except StoreUnavailable:
                    unknown += 1
                    await asyncio.sleep(0.2)
                    continue
                assert isinstance(result, Accepted)
                assert result.version == command + 1
                break
            done += 1
            if done == CLIENTS * COMMANDS // 2:
                half.set()

    async def crash() -> None:
        await half.wait()
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)

    await asyncio.gather(crash(), *(client(number) for number in range(CLIENTS)))
    return unknown
