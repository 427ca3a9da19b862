"""The repository: decide, append, and answer repeats as the first time. On both adapters."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import pytest

from libs.eventstore.port import Conflict, RequestReused, StreamAppend, Transaction
from libs.eventstore.repository import Accepted, Stamped, StreamConflict
from tests.support.store_contract import NOW, Harness, append, fact, request, stream, to
from tests.support.tally import Add, Added, Refusal, tallies

STREAM = stream(1)


async def test_an_accepted_command_gives_state_and_events(harness: Harness) -> None:
    """The answer holds the events with their places and the state after them; the stream holds the same."""
    repository = tallies(harness.store)
    await repository.execute(STREAM, Add((1,)), request=request("r1"), now=NOW)
    result = await repository.execute(STREAM, Add((2, 3)), request=request("r2"), now=NOW)

    stamped = (Stamped(Added(2), 2, NOW), Stamped(Added(3), 3, NOW))
    assert result == Accepted(6, stamped, repeated=False, stream_id=STREAM, version=3)
    assert await repository.events(STREAM, 1) == list(stamped)
    assert await tallies(harness.store).state(STREAM) == (6, 3)


async def test_an_unknown_stream_is_in_its_initial_state(harness: Harness) -> None:
    """A stream without events has version 0."""
    assert await tallies(harness.store).state(STREAM) == (0, 0)
    assert await tallies(harness.store).events(STREAM) == []


async def test_a_refusal_stores_nothing_and_is_not_remembered(harness: Harness) -> None:
    """A refused command may be sent again under its key and is judged anew, also with another body."""
    repository = tallies(harness.store)

    assert await repository.execute(STREAM, Add((11,)), request=request("r1"), now=NOW) is Refusal.OVER_LIMIT
    assert await repository.state(STREAM) == (0, 0)
    result = await repository.execute(STREAM, Add((5,)), request=request("r1", "other"), now=NOW)
    assert isinstance(result, Accepted)
    assert not result.repeated


async def test_a_repeat_gets_the_state_of_then(harness: Harness) -> None:
    """However far the stream went on, a repeat tells what the command did and the state right after it."""
    repository = tallies(harness.store)
    await repository.execute(STREAM, Add((1,)), request=request("r1"), now=NOW)
    first = await repository.execute(STREAM, Add((2, 3)), request=request("r2"), now=NOW)
    await repository.execute(STREAM, Add((1,)), request=request("r3"), now=NOW)
    assert isinstance(first, Accepted)

    for replica in (repository, tallies(harness.store)):
        repeat = await replica.execute(STREAM, Add((2, 3)), request=request("r2"), now=NOW)
        assert repeat == Accepted(6, first.events, repeated=True, stream_id=STREAM, version=3)


async def test_a_repeat_that_would_be_refused_by_now_is_still_a_repeat(harness: Harness) -> None:
    """An accepted command stays accepted though the same decision would be a refusal on today's state."""
    repository = tallies(harness.store)
    await repository.execute(STREAM, Add((9,)), request=request("r1"), now=NOW)
    repeat = await repository.execute(STREAM, Add((9,)), request=request("r1"), now=NOW)
    reused = await repository.execute(STREAM, Add((9,)), request=request("r1", "other body"), now=NOW)

    assert isinstance(repeat, Accepted)
    assert (repeat.state, repeat.repeated) == (9, True)
    assert reused == RequestReused()


async def test_a_stale_state_is_corrected_before_an_answer(harness: Harness) -> None:
    """A replica that missed others' events neither appends on old ground nor refuses because of it."""
    here, there = tallies(harness.store), tallies(harness.store)
    await here.execute(STREAM, Add((9,)), request=request("r1"), now=NOW)
    await there.execute(STREAM, Add((-8,)), request=request("r2"), now=NOW)

    result = await here.execute(STREAM, Add((5,)), request=request("r3"), now=NOW)
    assert isinstance(result, Accepted)
    assert (result.state, result.version) == (6, 3)
    assert await there.execute(STREAM, Add((5,)), request=request("r4"), now=NOW) is Refusal.OVER_LIMIT


async def test_a_command_that_decides_nothing_is_accepted(harness: Harness) -> None:
    """No events: accepted at the present version; a reply that the caller kept comes back on a repeat."""
    repository = tallies(harness.store)
    key = request("r1")

    result = await repository.execute(STREAM, Add(()), request=key, now=NOW)
    assert result == Accepted(0, (), repeated=False, stream_id=STREAM, version=0)
    assert await harness.store.keep_reply(key, b"nothing to do", at=NOW) is None
    repeat = await repository.execute(STREAM, Add((1,)), request=key, now=NOW)
    assert repeat == Accepted(0, (), True, STREAM, 0, b"nothing to do")


async def test_a_repeated_creation_gives_the_first_stream(harness: Harness) -> None:
    """A creating command repeated with another new stream id gets the stream and reply it made then."""
    repository = tallies(harness.store)
    key = request("create")
    await repository.execute(STREAM, Add((4,)), request=key, now=NOW, reply=b"one")
    repeat = await repository.execute(stream(2), Add((4,)), request=key, now=NOW, reply=b"two")

    assert repeat == Accepted(4, (Stamped(Added(4), 1, NOW),), True, STREAM, 1, b"one")
    assert await repository.state(stream(2)) == (0, 0)


async def test_time_never_goes_back_in_a_stream(harness: Harness) -> None:
    """An event occurs now, or when its deadline was, but never before the event ahead of it."""
    repository = tallies(harness.store)
    late, early = NOW + timedelta(minutes=5), NOW - timedelta(minutes=5)
    deadline = NOW + timedelta(minutes=7)

    def by_deadline(_state: int) -> list[Added]:
        return [Added(1, occurred_at=deadline), Added(1)]

    await repository.execute(STREAM, Add((1,)), request=request("r1"), now=late)
    await repository.execute(STREAM, Add((1,)), request=request("r2"), now=early)
    await repository.execute(STREAM, by_deadline, request=request("r3"), now=NOW)

    instants = [event.occurred_at for event in await repository.events(STREAM)]
    assert instants == [late, late, deadline, deadline]


async def test_replicas_at_once_lose_nothing(harness: Harness) -> None:
    """Two replicas, many tasks on one stream: who is told of a conflict asks again, and all get their answer.

    A replica may lose to the other six times in a row: the conflict it then tells has stored nothing.
    """
    replicas = [tallies(harness.store) for _ in range(2)]

    async def add_one(n: int) -> object:
        while True:
            result = await replicas[n % 2].execute(STREAM, Add((1,)), request=request(f"r{n}"), now=NOW)
            if result != StreamConflict(STREAM):
                return result

    results = await asyncio.gather(*map(add_one, range(14)))

    accepted = [result for result in results if isinstance(result, Accepted)]
    assert results.count(Refusal.OVER_LIMIT) == 4
    assert not any(result.repeated for result in accepted)
    assert sorted(result.version for result in accepted) == list(range(1, 11))
    assert await replicas[0].state(STREAM) == (10, 10)


async def test_tasks_of_one_replica_never_conflict(harness: Harness) -> None:
    """Its commands on a stream wait for each other: nobody is told of a conflict, however many come."""
    repository = tallies(harness.store)
    results = await asyncio.gather(
        *(repository.execute(STREAM, Add((1,)), request=request(f"r{n}"), now=NOW) for n in range(14))
    )

    accepted = [result for result in results if isinstance(result, Accepted)]
    assert [result.version for result in accepted] == list(range(1, 11))
    assert results.count(Refusal.OVER_LIMIT) == 4


async def test_retries_end(harness: Harness) -> None:
    """When somebody else is faster every time, the sixth loss is told as a conflict and nothing is stored."""
    repository = tallies(harness.store)
    tries = 0

    class OvertakenStore:
        """The same store, with a stranger's append just before each of ours."""

        def __getattr__(self, name: str) -> object:
            return getattr(harness.store, name)

        async def append(self, *args: object, **kwargs: object) -> object:
            nonlocal tries
            await append(harness.store, to(1, tries, fact("0")))
            tries += 1
            return await harness.store.append(*args, **kwargs)  # type: ignore[arg-type]

    overtaken = tallies(OvertakenStore())  # type: ignore[arg-type]

    assert await overtaken.execute(STREAM, Add((1,)), request=request("r1"), now=NOW) == StreamConflict(
        STREAM
    )
    assert tries == 6
    assert await repository.state(STREAM) == (0, 6)


async def test_few_states_are_remembered(harness: Harness) -> None:
    """With room for two states, commands on ten streams in turn are still right."""
    repository = tallies(harness.store, states_max=2)
    for turn in range(3):
        for number in range(10):
            key = request(f"{turn}/{number}")
            result = await repository.execute(stream(number), Add((1,)), request=key, now=NOW)
            assert isinstance(result, Accepted)
            assert result.state == turn + 1


async def test_execute_in_shares_the_transaction(harness: Harness) -> None:
    """A command undone with its transaction never happened, and may come again."""
    repository = tallies(harness.store)
    key = request("r1")
    with pytest.raises(ZeroDivisionError):
        await _add_and_fail(harness, repository.execute_in, key)
    assert await repository.state(STREAM) == (0, 0)

    async with harness.store.transaction() as transaction:
        result = await repository.execute_in(transaction, STREAM, Add((4,)), request=key, now=NOW)
        assert isinstance(result, Accepted)
        assert (result.state, result.repeated) == (4, False)
    async with harness.store.transaction() as transaction:
        repeat = await repository.execute_in(transaction, STREAM, Add((9,)), request=key, now=NOW)
        assert repeat == Accepted(4, result.events, True, STREAM, 1)


async def test_execute_in_tells_a_conflict(harness: Harness) -> None:
    """When the stream moves between read and append the transaction is undone, and a new one succeeds."""
    repository = tallies(harness.store)

    async with harness.store.transaction() as transaction:
        await transaction.lock("level/1")

        class Overtaken:
            """The transaction, with a stranger's append just before ours."""

            async def append(self, *args: Sequence[object], **kwargs: object) -> object:
                await append(harness.store, to(1, 0, fact("3")))
                return await transaction.append(*args, **kwargs)  # type: ignore[arg-type]

        result = await repository.execute_in(
            Overtaken(),  # type: ignore[arg-type]
            STREAM,
            Add((1,)),
            request=request("r1"),
            now=NOW,
        )
        assert result == StreamConflict(STREAM)
    async with harness.store.transaction() as transaction:
        again = await repository.execute_in(transaction, STREAM, Add((1,)), request=request("r1"), now=NOW)
    assert isinstance(again, Accepted)
    assert again.state == 4


async def test_a_busy_stream_does_not_starve_a_transaction(harness: Harness) -> None:
    """Commands of the same process wait until a slower transaction is through: it needs one try."""
    repository = tallies(harness.store)
    tries, is_over = 0, asyncio.Event()

    async def slow(
        transaction: Transaction,
    ) -> Accepted[int, Added] | Refusal | RequestReused | StreamConflict:
        nonlocal tries
        tries += 1
        await asyncio.sleep(0.02)  # long enough for several commands
        result = await repository.execute_in(transaction, STREAM, Add((5,)), request=request("slow"), now=NOW)
        await asyncio.sleep(0.02)
        return result

    async def hurry() -> int:
        count = 0
        while not is_over.is_set():
            await repository.execute(STREAM, Add((0,)), request=request(f"r{count}"), now=NOW)
            count += 1
            await asyncio.sleep(0.001)
        return count

    busy = asyncio.create_task(hurry())
    await asyncio.sleep(0.01)
    result = await repository.transact(STREAM, slow)
    is_over.set()
    count = await busy

    assert isinstance(result, Accepted)
    assert tries == 1
    assert await repository.state(STREAM) == (5, count + 1)


@pytest.mark.parametrize("losses", [2, 6])
async def test_a_transaction_that_lost_begins_anew_five_times(harness: Harness, losses: int) -> None:
    """Another replica's win undoes it and is followed by another try; the sixth one is told."""
    repository = tallies(harness.store)
    tries = 0

    async def overtaken(transaction: Transaction) -> object:
        nonlocal tries
        expected, tries = tries, tries + 1
        if expected < losses:
            await append(harness.store, to(1, expected, fact("0")))
            stale = StreamAppend(STREAM, expected, (fact("5"),))
            result = await transaction.append([stale], recorded_at=NOW, caller=request("r1").caller)
            assert result == Conflict(STREAM)
            return StreamConflict(STREAM)
        return await repository.execute_in(transaction, STREAM, Add((5,)), request=request("r1"), now=NOW)

    result = await repository.transact(STREAM, overtaken)

    if losses < 6:
        assert isinstance(result, Accepted)
        assert (tries, result.state, result.version) == (losses + 1, 5, losses + 1)
    else:
        assert (tries, result) == (6, StreamConflict(STREAM))
        assert await repository.state(STREAM) == (0, 6)


async def _add_and_fail(harness: Harness, execute_in: object, key: object) -> None:
    async with harness.store.transaction() as transaction:
        await execute_in(transaction, STREAM, Add((4,)), request=key, now=NOW)  # type: ignore[operator]
        raise ZeroDivisionError
