"""One line of JSON per figure."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def print_figure(figure: str, value: float, unit: str) -> None:
    """Print a figure with the machine and the commit it was measured on."""
    line = {
        "figure": figure,
        "value": round(value, 3),
        "unit": unit,
        "machine": machine(),
        "commit": commit(),
    }
    print(json.dumps(line), flush=True)  # noqa: T201 the output of a bench


@cache
def machine() -> str:
    """Return cores and processor in short."""
    return f"{os.cpu_count()} cores {platform.machine()} {platform.system()}"


@cache
def commit() -> str:
    """Return the short commit id, with a plus sign when the tree is changed."""

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            check=False,
        ).stdout.strip()

    return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain") else "")
