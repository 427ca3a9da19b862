"""Where long questions to the solver are answered: the kernel in threads, the definition in processes."""

from __future__ import annotations

from libs.kernel import native
from libs.runtime.spawned import SpawnedPool
from libs.runtime.threaded import ThreadedWork


def solving_pool(workers: int) -> ThreadedWork | SpawnedPool:
    """What runs solver work; to be closed with the service that owns it."""
    return ThreadedWork(workers) if native() else SpawnedPool(workers)
