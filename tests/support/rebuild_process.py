"""Rebuilds boards in a process that tests can kill: `python -m tests.support.rebuild_process URL`."""

from __future__ import annotations

import asyncio
import sys

from services.ledger.projections.rebuilding.progress import Progress
from services.ledger.projections.rebuilding.rebuild import Rebuild


def main(url: str) -> None:
    """Rebuild once; the live boards are not waited for."""
    asyncio.run(Rebuild(url, Progress(), patience_s=0).run())


if __name__ == "__main__":
    main(*sys.argv[1:])
