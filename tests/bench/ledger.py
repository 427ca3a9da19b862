"""All figures of the ledger, one part after the other: `python -m tests.bench.ledger`.

Prints a line of JSON a figure. Writing, rebuilding and reading
have servers of their own, and modules to be run alone.
"""

from __future__ import annotations

import uvloop

from tests.bench import ledger_read, ledger_rebuild, ledger_write
from tests.bench.figures import print_figure


def run() -> None:
    """Measure all parts; `--json` is how they print anyway."""
    ledger_write.run()
    ledger_rebuild.run()
    for name, value in uvloop.run(ledger_read.figures()).items():
        print_figure(name, value, "1/s" if name.endswith("per_s") else "ms")


if __name__ == "__main__":
    run()
