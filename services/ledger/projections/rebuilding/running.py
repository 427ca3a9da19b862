"""Long work in a process of its own, told through its row: what a worker process runs."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import uvloop

from services.ledger.projections.rebuilding.log_reader import connect
from services.ledger.projections.rebuilding.progress import END, Progress
from services.ledger.projections.rebuilding.rebuild import Rebuild, RebuildError
from services.ledger.projections.rebuilding.reports import (
    report_of_failure,
    report_of_rebuild,
    report_of_verification,
)
from services.ledger.projections.rebuilding.verification import Verification

Report = dict[str, Any]


def rebuild(url: str, work: int) -> None:
    """Rebuild the boards as the piece of work that has this id."""

    async def run(progress: Progress) -> Report:
        return report_of_rebuild(await Rebuild(url, progress).run(), progress)

    uvloop.run(_told(url, work, run))


def verify(url: str, work: int, digest_at: int) -> None:
    """Verify the ledger as the piece of work that has this id."""

    async def run(progress: Progress) -> Report:
        found = await Verification(url, progress, digest_at=digest_at).run()
        return report_of_verification(found, progress)

    uvloop.run(_told(url, work, run))


async def _told(url: str, work: int, run: Callable[[Progress], Awaitable[Report]]) -> None:
    progress = Progress()
    async with AsyncExitStack() as opened:
        telling = await connect(url)
        opened.push_async_callback(telling.close)
        try:
            async with progress.told(telling, work):
                report = await run(progress)
        except RebuildError as error:
            report = report_of_failure(str(error), progress)
        except Exception as error:
            report = report_of_failure(_in_words(error), progress)
            await telling.execute(END, work, json.dumps(report))
            raise
        await telling.execute(END, work, json.dumps(report))


def _in_words(error: BaseException) -> str:
    """Return what went wrong; of what went wrong at once, the first."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"[:500]
