"""Long work of plain Python in processes: answers come back, and no process is left behind."""

from __future__ import annotations

import asyncio
import os

import psutil

from libs.runtime.spawned import SpawnedPool
from tests.support.foreground import living


async def test_work_runs_in_another_process_that_ends_with_the_pool() -> None:
    """No process of the pool is left behind."""
    before = set(psutil.Process().children(recursive=True))
    pool = SpawnedPool(processes=1)

    worker = await pool.run(os.getpid)
    assert worker != os.getpid()
    started = [child for child in psutil.Process().children(recursive=True) if child not in before]
    of_pool = [child for child in started if child.pid == worker]
    assert of_pool

    await pool.close()
    for _ in range(100):
        if not living(of_pool):
            break
        await asyncio.sleep(0.1)
    else:
        raise AssertionError(f"left behind: {of_pool}")
