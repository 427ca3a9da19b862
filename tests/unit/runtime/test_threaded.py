"""Native work in threads: answers come back, and too much of it is refused."""

from __future__ import annotations

import asyncio
import threading

import pytest

from libs.runtime.errors import Refused
from libs.runtime.threaded import ThreadedWork


async def test_work_runs_beside_the_event_loop_and_its_answer_comes_back() -> None:
    """The loop's own thread is not the one that works."""
    work = ThreadedWork(threads=1)
    try:
        assert await work.run(threading.get_ident) != threading.get_ident()
        assert await work.run(divmod, 7, 3) == (2, 1)
    finally:
        await work.close()


async def test_an_error_of_the_work_reaches_the_caller_and_leaves_room_for_more() -> None:
    """A failure frees its place."""
    work = ThreadedWork(threads=1, waiting_max=1)
    try:
        with pytest.raises(ZeroDivisionError):
            await work.run(divmod, 1, 0)
        assert await work.run(divmod, 1, 1) == (1, 0)
    finally:
        await work.close()


async def test_more_work_than_may_wait_is_refused() -> None:
    """The caller hears at once, with the wait after which to call again."""
    work, go_on = ThreadedWork(threads=1, waiting_max=1), threading.Event()
    try:
        first = asyncio.create_task(work.run(go_on.wait))
        await asyncio.sleep(0)
        with pytest.raises(Refused, match="too much work is waiting"):
            await work.run(threading.get_ident)
        go_on.set()
        assert await first
    finally:
        go_on.set()
        await work.close()
