"""A load in processes of its own: one interpreter makes some hundred commands a second and no more."""

from __future__ import annotations

import asyncio
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from threading import Barrier

import uvloop

from libs.cli.load.drive import LoadPlan, drive
from libs.cli.load.tally import Tally, together

READY_WITHIN_S = 300.0
_barriers: list[Barrier] = []
"""In a child: where all of them meet before the first move."""


def _meet_at(barrier: Barrier) -> None:
    _barriers.append(barrier)


def _share(plan: LoadPlan) -> Tally:
    """Drive one process's share."""

    async def begin() -> None:
        await asyncio.to_thread(_barriers[0].wait, READY_WITHIN_S)

    async def play() -> Tally:
        try:
            return await drive(plan, begin)
        except BaseException:
            _barriers[0].abort()  # the others wait for nobody
            raise

    return uvloop.run(play())


def shares(plan: LoadPlan, processes: int) -> list[LoadPlan]:
    """The plan for each process: players and rate split, seeds apart."""
    counts = [plan.players // processes + (number < plan.players % processes) for number in range(processes)]
    return [
        replace(
            plan,
            players=count,
            rate=plan.rate * count / plan.players if plan.rate else None,
            seed=plan.seed + number,
        )
        for number, count in enumerate(counts)
        if count
    ]


async def drive_in_processes(plan: LoadPlan, processes: int) -> Tally:
    """Play in so many processes, all counting the same seconds, and return what they counted together."""
    parts = shares(plan, processes)
    context = multiprocessing.get_context("spawn")  # never fork under gRPC
    barrier = context.Barrier(len(parts))
    loop = asyncio.get_running_loop()
    with ProcessPoolExecutor(len(parts), context, _meet_at, (barrier,)) as pool:
        return together(await asyncio.gather(*(loop.run_in_executor(pool, _share, part) for part in parts)))
