"""Processes of an embedded server that a crash left behind, and the lock files they left."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

_ASK_S, _GIVE_UP_S = 8.0, 12.0


def end_leftovers(folder: Path, pid_file: Path, ask: signal.Signals) -> None:
    """End every process whose working folder is `folder`, politely at first, then remove the stale pid file.

    The pid file alone decides nothing: after a restart of the machine its number may belong to a stranger.
    The caller holds the lock of the data folder, so what runs there is nobody's. No pid file: nothing to
    look for.
    """
    if not pid_file.exists():
        return
    began = time.monotonic()
    asked: set[int] = set()
    while leftovers := _running_in(folder):
        waited_s = time.monotonic() - began
        for pid in leftovers:
            if waited_s > _ASK_S:
                _signal(pid, signal.SIGKILL)
            elif pid not in asked:
                asked.add(pid)
                _signal(pid, ask)
        assert waited_s < _GIVE_UP_S, f"processes {leftovers} in {folder} survive SIGKILL"
        time.sleep(0.02)
    pid_file.unlink(missing_ok=True)


def _running_in(folder: Path) -> list[int]:
    """Return the processes with that working folder."""
    import psutil  # late: seldom is anything left over

    wanted = str(folder.resolve())
    found = []
    for process in psutil.process_iter():
        try:
            is_here = process.cwd().removesuffix(" (deleted)") == wanted
            if is_here and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except (psutil.NoSuchProcess, psutil.AccessDenied, OSError):
            continue  # ended meanwhile, or a stranger's
    return found


def _signal(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process that may just have ended."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
