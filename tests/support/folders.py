"""Folders for the servers of tests: in memory where there is plenty, since each test makes a database."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil

MEMORY = Path("/dev/shm")  # noqa: S108 folders there get names that nobody can guess
ROOM_BYTES = 4 * 2**30
"""So much must be free there; one server needs some 200 MB."""
AVAILABLE_BYTES = 8 * 2**30
"""So much memory must be available."""
LEFT_FOR_S = 600
_PREFIX = "sparrow-test-"


def disk_folder() -> Path:
    """Return a new folder that the user who runs PostgreSQL can enter."""
    return _reachable(tempfile.mkdtemp(prefix=_PREFIX))


def quick_folder(memory: Path = MEMORY) -> Path:
    """Return such a folder in memory, or on disk where there is too little of it."""
    if not _has_room(memory):
        return disk_folder()
    remove_leftovers(memory)
    return _reachable(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=memory))


def remove_leftovers(memory: Path) -> None:
    """Delete the folders of processes that were killed minutes ago: nobody else gives the memory back."""
    for folder in memory.glob(f"{_PREFIX}*-*"):
        pid = folder.name.removeprefix(_PREFIX).partition("-")[0]
        with suppress(FileNotFoundError):  # another process of the tests deletes them too
            is_old = folder.stat().st_mtime < time.time() - LEFT_FOR_S
            if is_old and pid.isdigit() and not psutil.pid_exists(int(pid)):
                shutil.rmtree(folder, ignore_errors=True)


def _has_room(memory: Path) -> bool:
    if not os.access(memory, os.W_OK):
        return False
    return (
        shutil.disk_usage(memory).free >= ROOM_BYTES and psutil.virtual_memory().available >= AVAILABLE_BYTES
    )


def _reachable(name: str) -> Path:
    folder = Path(name)
    folder.chmod(0o755)
    return folder
