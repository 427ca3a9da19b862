"""Long work of plain Python in processes: answers come back, and no process is left behind."""

from __future__ import annotations

import asyncio
import os

import psutil

from libs.runtime.spawned import SpawnedPool


async def test_work_runs_in_another_process_that_ends_with_the_pool() -> None:
    """No process of the pool is left behind."""
    before = set(psutil.Process().children(recursive=True))
    pool = SpawnedPool(processes=1)

    assert await pool.run(os.getpid) != os.getpid()

    started = set(psutil.Process().children(recursive=True)) - before
    assert started
    await pool.close()
    for _ in range(100):
        if not any(
            process.is_running() and process.status() != "zombie" for process in started - _trackers()
        ):
            break
        await asyncio.sleep(0.1)
    else:
        raise AssertionError(f"left behind: {started}")


def _trackers() -> set[psutil.Process]:
    """The resource tracker of this process: Python starts it with the first semaphore and keeps it."""
    return {
        child
        for child in psutil.Process(os.getpid()).children()
        if any("resource_tracker" in part for part in child.cmdline())
    }
