"""Logs never stand in the way of what they speak of."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_PROGRAM = """
import structlog
from libs.runtime.config import Settings
from libs.runtime.logs import configure_logs
configure_logs(Settings())
for _ in range(100):
    structlog.get_logger().info("a line", text="x" * 1_000)
print("went on", file=__import__("sys").stderr)
__import__("os")._exit(0)
"""


def test_a_full_disk_loses_lines_and_fails_nothing() -> None:
    """With standard output on a full device, a program that logs goes on."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )

    assert (done.returncode, done.stderr) == (0, "went on\n")
