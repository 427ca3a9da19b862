"""Rebuilds boards in a process that tests can kill: `python -m tests.support.rebuild_process URL`."""

from __future__ import annotations

import json
import resource
import sys
from time import perf_counter

import uvloop

from services.ledger.projections.rebuilding.progress import Progress
from services.ledger.projections.rebuilding.rebuild import Rebuild


def main(url: str, patience_s: float = 0) -> None:
    """Rebuild once and print how long that took."""
    progress = Progress()
    begun = perf_counter()
    done = uvloop.run(Rebuild(url, progress, patience_s=patience_s).run())
    took_s = perf_counter() - begun
    rss_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    told = {
        "rss_mib": rss_mib,
        "events": done.events,
        "rows": done.rows,
        "entries": done.entries,
        "faults": done.faults.count,
    }
    print(json.dumps({**told, "seconds": took_s, "parts": progress.parts}))  # noqa: T201 its output


if __name__ == "__main__":
    main(sys.argv[1], *map(float, sys.argv[2:]))
