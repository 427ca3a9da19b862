"""All figures of the ledger, one part after the other: `python -m tests.bench.ledger`.

Prints a line of JSON a figure. Writing, rebuilding and reading
have servers of their own, and modules to be run alone.
"""

from __future__ import annotations

from tests.bench import ledger_read, ledger_rebuild, ledger_write


def run() -> None:
    """Measure all parts; `--json` is how they print anyway."""
    ledger_write.run()
    ledger_rebuild.run()
    ledger_read.run()


if __name__ == "__main__":
    run()
