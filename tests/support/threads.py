"""Event loops apart from a test's own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


def run_apart(work: Callable[[], Awaitable[T]]) -> T:
    """Run a coroutine in a thread with an event loop of its own, so that no test's loop is touched."""
    outcome: list[T] = []
    errors: list[BaseException] = []

    async def call() -> T:
        return await work()

    def body() -> None:
        try:
            outcome.append(asyncio.run(call()))
        except BaseException as error:  # noqa: BLE001 raised again below, in the caller's thread
            errors.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return outcome[0]
