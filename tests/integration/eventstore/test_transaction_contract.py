"""Transactions: appends and locks that hold until the end. Both adapters."""

from __future__ import annotations

import asyncio

import pytest

from libs.eventstore.port import Appended, Conflict, Repeated
from tests.support.store_contract import NOW, Harness, append, fact, request, stream, texts, to


async def test_a_transaction_commits_when_left(harness: Harness) -> None:
    """Nothing is seen before the end, and everything after it."""
    async with harness.store.transaction() as transaction:
        await append(transaction, to(1, 0, fact("a")), key=request("r1"))
        await append(transaction, to(1, 1, fact("b")))
        assert await harness.store.load(stream(1)) == []

    assert texts(await harness.store.load(stream(1))) == ["a", "b"]


async def test_an_exception_undoes_a_transaction(harness: Harness) -> None:
    """What was appended before an exception never happened, and its key is free."""

    async def fail() -> None:
        async with harness.store.transaction() as transaction:
            await append(transaction, to(1, 0, fact("a")), key=request("r1"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()

    assert await harness.store.load(stream(1)) == []
    assert isinstance(await append(harness.store, to(1, 0, fact("a")), key=request("r1")), Appended)


async def test_rollback_undoes_a_transaction(harness: Harness) -> None:
    """After `rollback` the context is left in peace and nothing is stored."""
    async with harness.store.transaction() as transaction:
        await append(transaction, to(1, 0, fact("a")))
        await transaction.rollback()

    assert await harness.store.load(stream(1)) == []


async def test_a_conflict_ends_a_transaction(harness: Harness) -> None:
    """A failed compare-and-set does not go on: what the transaction did before is undone with it."""
    await append(harness.store, to(1, 0, fact("a")))
    async with harness.store.transaction() as transaction:
        await append(transaction, to(2, 0, fact("b")))
        assert await append(transaction, to(1, 0, fact("c"))) == Conflict(stream(1))

    assert await harness.store.heads([stream(1), stream(2)]) == {stream(1): 1}


async def test_a_repeat_inside_a_transaction_is_told(harness: Harness) -> None:
    """A transaction finds the keys of commands that were accepted before, and those it used itself."""
    key = request("r1")
    await append(harness.store, to(1, 0, fact("a")), key=key)
    async with harness.store.transaction() as transaction:
        assert isinstance(await append(transaction, to(1, 1, fact("b")), key=key), Repeated)
        assert await transaction.keep_reply(request("r2"), b"two", at=NOW) is None
        assert isinstance(await transaction.keep_reply(request("r2"), b"2", at=NOW), Repeated)

    assert await harness.store.heads([stream(1)]) == {stream(1): 1}


async def test_a_lock_is_held_until_the_transaction_ends(harness: Harness) -> None:
    """Two transactions under one advisory key run one after the other; another key does not wait."""
    order: list[str] = []
    inside = asyncio.Event()

    async def first() -> None:
        async with harness.store.transaction() as transaction:
            await transaction.lock("level/1")
            inside.set()
            await asyncio.sleep(0.05)
            order.append("first")

    async def second() -> None:
        await inside.wait()
        async with harness.store.transaction() as transaction:
            await transaction.lock("level/2")
            order.append("other key")
            await transaction.lock("level/1")
            order.append("second")

    await asyncio.gather(first(), second())

    assert order == ["other key", "first", "second"]


async def test_an_append_waits_for_a_transaction_that_holds_its_stream(harness: Harness) -> None:
    """A head that a transaction moved is decided only when that transaction ends."""
    await append(harness.store, to(1, 0, fact("a")))
    async with harness.store.transaction() as transaction:
        await append(transaction, to(1, 1, fact("b")))
        waiting = asyncio.create_task(append(harness.store, to(1, 1, fact("c"))))
        await asyncio.sleep(0.05)
        assert not waiting.done()

    assert await waiting == Conflict(stream(1))


async def test_a_repeat_waits_for_the_transaction_that_uses_its_key(harness: Harness) -> None:
    """A request in flight is decided before its repeat is answered."""
    key = request("r1")
    async with harness.store.transaction() as transaction:
        await append(transaction, to(1, 0, fact("a")), key=key)
        waiting = asyncio.create_task(append(harness.store, to(2, 0, fact("a")), key=key))
        await asyncio.sleep(0.05)
        assert not waiting.done()

    assert await waiting == Repeated(key.sha256, stream(1), 1, 1, None)
