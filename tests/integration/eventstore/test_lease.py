"""Leases, checkpoints and fencing on PostgreSQL."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from libs.eventsourcing.envelope import FeedEntry, Part
from libs.eventstore import checkpoint, faults
from libs.eventstore.chain import CHAIN_START, verify_feed
from libs.eventstore.faults import Fault, Faults
from libs.eventstore.lease import acquire, release, renew, run_leased
from libs.eventstore.port import Fenced
from libs.eventstore.position import Reached
from libs.eventstore.postgres.database import Database
from libs.eventstore.sequencer import Sequencer
from tests.support.store_contract import append, fact, to
from tests.support.waiting import until


async def test_a_lease_has_one_holder_and_rising_epochs(database: Database) -> None:
    """While it is held nobody else gets it; released or run out, the next one begins a new epoch."""
    assert await acquire(database, "work", "a", lease_ms=200) == 1
    assert await acquire(database, "work", "b", lease_ms=200) is None
    assert await acquire(database, "work", "a", lease_ms=200) is None
    assert await acquire(database, "other work", "b") == 1
    await asyncio.sleep(0.3)

    assert await acquire(database, "work", "b") == 2
    assert not await renew(database, "work", 1)
    assert await renew(database, "work", 2)
    await release(database, "work", 1)  # a late release of an epoch that is over changes nothing
    assert await acquire(database, "work", "a") is None
    await release(database, "work", 2)
    assert await acquire(database, "work", "a") == 3


async def test_a_clock_that_was_set_back_keeps_nobody_waiting(database: Database) -> None:
    """A lease that ends further ahead than anybody takes one is a dead holder's, from before the step."""
    assert await acquire(database, "work", "dead") == 1
    await database.pool.execute("UPDATE lease SET until = until + interval '90 s'")

    assert await acquire(database, "work", "b") == 2


async def test_the_loser_waits_and_takes_over(database: Database) -> None:
    """Of two processes one works at a time; when it stops, the other goes on under the next epoch."""
    begun: list[tuple[str, int]] = []
    stops = {name: asyncio.Event() for name in "ab"}

    def work(name: str) -> asyncio.Task[None]:
        async def body(epoch: int, lost: asyncio.Event) -> None:
            begun.append((name, epoch))
            await lost.wait()

        return asyncio.create_task(run_leased(database, "work", name, body, stops[name], lease_ms=300))

    first = work("a")
    await until(lambda: begun == [("a", 1)])
    second = work("b")
    await asyncio.sleep(0.8)  # several lease times: a keeps renewing
    assert begun == [("a", 1)]
    stops["a"].set()
    await first
    await until(lambda: begun == [("a", 1), ("b", 2)])
    stops["b"].set()
    await second


async def test_work_ends_when_the_lease_is_lost(database: Database) -> None:
    """A holder whose epoch is over hears of it and begins again later, under a later epoch."""
    epochs: list[int] = []
    stop = asyncio.Event()

    async def body(epoch: int, lost: asyncio.Event) -> None:
        epochs.append(epoch)
        await lost.wait()

    running = asyncio.create_task(run_leased(database, "work", "a", body, stop, lease_ms=300))
    await until(lambda: epochs == [1])
    # As if this process had slept through its lease while another one held it for a moment.
    await database.pool.execute("UPDATE lease SET epoch = 2, holder = 'b', until = now()")
    await until(lambda: epochs == [1, 3])
    stop.set()
    await running


async def test_an_error_of_the_work_gives_the_lease_back(database: Database) -> None:
    """What the body raises is raised, and the next holder need not wait."""

    async def body(_epoch: int, _lost: asyncio.Event) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await run_leased(database, "work", "a", body, asyncio.Event())
    assert await acquire(database, "work", "b") == 2


async def test_a_checkpoint_moves_only_forward_under_its_epoch(database: Database) -> None:
    """The epoch that claimed a checkpoint moves it; earlier ones, and steps back, are fenced."""
    async with database.engine.begin() as connection:
        assert await checkpoint.claim(connection, "boards", 1) == Reached(0)
        await checkpoint.advance(connection, "boards", 1, 5)
        assert await checkpoint.claim(connection, "boards", 2) == Reached(5)
        for epoch, seq in ((1, 6), (2, 5), (2, 4), (3, 6)):
            with pytest.raises(Fenced):
                await checkpoint.advance(connection, "boards", epoch, seq)
        with pytest.raises(Fenced):
            await checkpoint.claim(connection, "boards", 1)
        await checkpoint.advance(connection, "boards", 2, 9)
        assert await checkpoint.positions(connection, ["boards", "nothing"]) == {"boards": 9}


async def test_a_paused_sequencer_that_wakes_is_fenced(database: Database) -> None:
    """A leader that slept between reading and writing changes nothing once another one took over."""
    await append(database.store, to(1, 0, *(fact(str(n)) for n in range(5))))
    paused, successor = Sequencer(database, Part.FACTS, batch=2), Sequencer(database, Part.FACTS)
    await paused.step(1)
    asleep = asyncio.Event()
    head = paused._head

    async def sleep_first(connection: object, epoch: int) -> object:
        await asleep.wait()
        return await head(connection, epoch)  # type: ignore[arg-type]

    paused._head = sleep_first  # type: ignore[method-assign, assignment]
    late = asyncio.create_task(paused.step(1))
    await asyncio.sleep(0.05)
    assert await successor.step(2) == 3
    asleep.set()

    with pytest.raises(Fenced):
        await late
    await append(database.store, to(1, 5, fact("5")))
    with pytest.raises(Fenced):
        await paused.step(1)
    assert await successor.step(2) == 1
    entries = await database.feed.read(Part.FACTS, 1)
    assert [entry.event.version for entry in entries] == [1, 2, 3, 4, 5, 6]
    assert isinstance(verify_feed(entries, CHAIN_START), FeedEntry)


async def test_a_step_whose_commit_failed_is_simply_repeated(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was rolled back counts as never placed: the same leader places it in its next step."""
    await append(database.store, to(1, 0, fact("a")))
    sequencer = Sequencer(database, Part.FACTS)
    monkeypatch.setattr(faults, "_FAULTS", Faults("sequencer.commit_sent:raise"))
    with pytest.raises(Fault):
        await sequencer.step(1)

    assert await sequencer.step(1) == 1
    assert (await database.feed.head(Part.FACTS)).last_seq == 1


async def test_the_head_moves_only_under_its_epoch(database: Database) -> None:
    """A leader that lost its epoch between reading the head and moving it places nothing."""
    await append(database.store, to(1, 0, fact("a")))
    paused = Sequencer(database, Part.FACTS)
    insert = paused._insert

    async def lose_first(*arguments: Any) -> None:
        async with database.pool.acquire() as connection:
            await Sequencer(database, Part.FACTS)._claim(connection, 2)
        await insert(*arguments)

    paused._insert = lose_first  # type: ignore[method-assign, assignment]

    with pytest.raises(Fenced):
        await paused.step(1)
    assert (await database.feed.head(Part.FACTS)).last_seq == 0
    assert await Sequencer(database, Part.FACTS).step(2) == 1


async def test_two_sequencers_at_once_place_everything_once(database: Database) -> None:
    """Even under the same epoch, by mistake, two sequencers never double, lose or disorder an event."""
    await append(database.store, to(1, 0, *(fact(str(n)) for n in range(60))))
    sequencers = [Sequencer(database, Part.FACTS, batch=3) for _ in range(2)]

    async def run(sequencer: Sequencer) -> None:
        while True:
            try:
                if await sequencer.step(1) == 0:
                    return
            except Fenced:
                await asyncio.sleep(0)

    await asyncio.gather(*(run(sequencer) for sequencer in sequencers))
    entries = await database.feed.read(Part.FACTS, 1)

    assert [entry.event.version for entry in entries] == list(range(1, 61))
    assert isinstance(verify_feed(entries, CHAIN_START), FeedEntry)


async def test_an_event_is_parked_with_its_reason(database: Database) -> None:
    """An operator finds what a consumer put aside, and why."""
    await append(database.store, to(1, 0, fact("nonsense")))
    await Sequencer(database, Part.FACTS).step(1)
    (entry,) = await database.feed.read(Part.FACTS, 1)
    async with database.engine.begin() as connection:
        await checkpoint.park(connection, "intake", entry, "OCCURRED_OUT_OF_RANGE", entry.at)

    row = await database.pool.fetchrow("SELECT consumer, seq, reason, data FROM parked")
    assert row is not None
    assert tuple(row) == ("intake", 1, "OCCURRED_OUT_OF_RANGE", b"nonsense")
