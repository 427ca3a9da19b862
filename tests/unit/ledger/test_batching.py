"""Questions that come at once share a read, and no read began before its question."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from services.ledger.projections.batching import AT_ONCE, BATCH_MAX, Batched, Shared


async def test_who_asks_while_a_read_runs_shares_the_next_one() -> None:
    """The first read has one question, the second all that came meanwhile; answers stand in their order."""
    reads: list[list[int]] = []
    go_on = asyncio.Event()

    async def read(questions: Sequence[int]) -> list[int]:
        reads.append(list(questions))
        await go_on.wait()
        return [question * 10 for question in questions]

    batched = Batched[int, int](read)
    tasks = [asyncio.create_task(batched.ask(0))]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    tasks += [asyncio.create_task(batched.ask(number)) for number in range(1, BATCH_MAX + 3)]
    await asyncio.sleep(0)
    go_on.set()

    assert await asyncio.gather(*tasks) == [number * 10 for number in range(BATCH_MAX + 3)]
    assert [len(questions) for questions in reads] == [1, BATCH_MAX, 2]


async def test_two_reads_run_at_once_and_no_more() -> None:
    """The third begins when one of them is done."""
    running = most = 0

    async def read(questions: Sequence[int]) -> list[int]:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        return list(questions)

    batched = Batched[int, int](read)
    asked = range(BATCH_MAX * 5)
    assert await asyncio.gather(*(batched.ask(number) for number in asked)) == list(asked)
    assert most == AT_ONCE


async def test_reads_under_load_keep_a_distance() -> None:
    """What is asked right after a read waits for the next one, and shares it with what comes a bit later."""
    reads: list[int] = []

    async def read(questions: Sequence[int]) -> list[int]:
        reads.append(len(questions))
        return list(questions)

    batched = Batched[int, int](read)
    assert await batched.ask(1) == 1
    early = asyncio.create_task(batched.ask(2))
    for _ in range(3):
        await asyncio.sleep(0)
    later = asyncio.create_task(batched.ask(3))

    assert list(await asyncio.gather(early, later)) == [2, 3]
    assert reads == [1, 2]


async def test_an_error_reaches_all_who_asked_and_the_next_read_is_made() -> None:
    """One broken read is told to its own askers only."""
    failures = iter([True, False])

    async def read() -> str:
        if next(failures):
            raise OSError("away")
        return "back"

    shared = Shared(read)
    told = await asyncio.gather(*(shared.ask() for _ in range(3)), return_exceptions=True)

    assert [type(each) for each in told] == [OSError] * 3
    assert await shared.ask() == "back"


async def test_an_asker_who_goes_takes_nobody_along() -> None:
    """A cancelled call leaves the read to the others."""
    go_on = asyncio.Event()

    async def read() -> int:
        await go_on.wait()
        return 7

    shared = Shared(read)
    gone, stays = asyncio.create_task(shared.ask()), asyncio.create_task(shared.ask())
    await asyncio.sleep(0)
    gone.cancel()
    go_on.set()

    assert await stays == 7
    with pytest.raises(asyncio.CancelledError):
        await gone
