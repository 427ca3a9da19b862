"""Long work of plain Python, in spawned processes (never forked: gRPC's threads do not survive a fork)."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.synchronize import Event
from typing import Any, TypeVar

import structlog

from libs.runtime.errors import Refused

T = TypeVar("T")
LOOK_AROUND_S = 0.5

log = structlog.get_logger()


class SpawnedPool:
    """Processes that start with the first piece of work, and end with this process however it ends."""

    def __init__(self, processes: int, waiting_max: int = 64) -> None:
        self._processes = processes
        self._waiting_max = waiting_max
        self._running = 0
        self._leave: Event | None = None
        self._executor: ProcessPoolExecutor | None = None

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Return what `work` returns; all of it is pickled. Raises Refused RATE_LIMIT when too much waits."""
        if self._running >= self._waiting_max:
            raise Refused("RATE_LIMIT", "too much work is waiting: call again", retry_after_ms=1_000)
        self._running += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._started(), work, *arguments)
        except BrokenProcessPool as error:
            log.exception("spawned.broken")
            self._executor = None  # the next piece of work starts a new pool
            raise Refused("NOT_READY", "the work was cut short: call again", retry_after_ms=500) from error
        finally:
            self._running -= 1

    async def close(self) -> None:
        """End the processes at once; running work is lost."""
        if self._leave is not None:
            self._leave.set()
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = None

    def _started(self) -> ProcessPoolExecutor:
        if self._executor is None:
            spawning = multiprocessing.get_context("spawn")
            self._leave = spawning.Event()
            self._executor = ProcessPoolExecutor(
                self._processes, spawning, initializer=_prepare_to_leave, initargs=(self._leave,)
            )
        return self._executor


def _prepare_to_leave(leave: Event) -> None:
    """Make this process end when told, or when the process that started it is gone; Ctrl-C is its concern."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(leave,), daemon=True).start()


def _watch(leave: Event) -> None:
    parent = multiprocessing.parent_process()
    while not leave.wait(LOOK_AROUND_S):
        if parent is None or not parent.is_alive():
            break
    os._exit(0)
