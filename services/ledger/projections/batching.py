"""Many who ask at once are answered by one read: whoever asked before it began shares its answer.

So an answer is never older than its question, however many share a read. Under load reads keep a distance:
what a read takes besides its rows is then shared by several callers, at 2,000 calls a second by six of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Generic, TypeVar

Q = TypeVar("Q")
A = TypeVar("A")

BATCH_MAX: Final = 16
AT_ONCE: Final = 2
"""So the database reads while answers are written: one after the other they would use one of two cores."""
EVERY_S: Final = 0.003
"""From the start of one read to the next, unless the next one is full. Who asks alone never waits."""


class Batched(Generic[Q, A]):
    """Answers questions by reads of many at once, AT_ONCE such reads at a time.

    `read` gets at most BATCH_MAX questions and returns their answers in the same order.
    """

    def __init__(self, read: Callable[[Sequence[Q]], Awaitable[Sequence[A]]]) -> None:
        """Read by `read`."""
        self._read = read
        self._waiting: list[tuple[Q, asyncio.Future[A]]] = []
        self._tasks: set[asyncio.Task[None]] = set()  # so that none is collected as garbage
        self._running = 0
        self._is_collecting = False
        self._next_at_s = 0.0

    async def ask(self, question: Q) -> A:
        """Return the answer of a read that begins after this call. Raises what that read raises."""
        answer: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, answer))
        self._collect()
        return await answer

    def _collect(self) -> None:
        """See to it that a task takes on who waits, now or once a read is done."""
        if self._waiting and not self._is_collecting and self._running < AT_ONCE:
            self._is_collecting = True
            self._running += 1
            task = asyncio.create_task(self._run())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _run(self) -> None:
        """Read once for those who wait when it begins; then let another task see to the others."""
        try:
            await self._keep_distance()
            batch, self._waiting = self._waiting[:BATCH_MAX], self._waiting[BATCH_MAX:]
            self._is_collecting = False
            self._collect()
            await self._answer(batch)
        except asyncio.CancelledError:  # the process stops
            for _, future in self._waiting:
                future.cancel()
            raise
        finally:
            self._running -= 1
            self._collect()

    async def _keep_distance(self) -> None:
        """Wait until the next read is due; it takes along whoever asks meanwhile."""
        loop = asyncio.get_running_loop()
        now_s = loop.time()
        if now_s < self._next_at_s and len(self._waiting) < BATCH_MAX:
            await asyncio.sleep(self._next_at_s - now_s)
        self._next_at_s = loop.time() + EVERY_S

    async def _answer(self, batch: Sequence[tuple[Q, asyncio.Future[A]]]) -> None:
        try:
            answers = await self._read([question for question, _ in batch])
        except Exception as error:  # noqa: BLE001 it is passed on to all who asked
            for _, future in batch:
                if not future.done():
                    future.set_exception(error)
            return
        except asyncio.CancelledError:  # the process stops
            for _, future in batch:
                future.cancel()
            raise
        for (_, future), answer in zip(batch, answers, strict=True):
            if not future.done():  # whoever asked may have gone
                future.set_result(answer)


class Shared(Generic[A]):
    """One read at a time for all who ask the same."""

    def __init__(self, read: Callable[[], Awaitable[A]]) -> None:
        """Read by `read`."""

        async def answers(questions: Sequence[None]) -> Sequence[A]:
            return [await read()] * len(questions)

        self._batched = Batched[None, A](answers)

    async def ask(self) -> A:
        """Return the answer of a read that begins after this call. Raises what that read raises."""
        return await self._batched.ask(None)
