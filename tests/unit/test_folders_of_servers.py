"""Folders of the servers of tests, which must not eat up the memory of whoever runs them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.support.folders import LEFT_FOR_S, disk_folder, quick_folder, remove_leftovers


def test_what_killed_tests_left_in_memory_is_deleted_and_nothing_else(tmp_path: Path) -> None:
    """A folder goes when its process is gone for long; those of living processes and fresh ones stay."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    pids = {"left": ended.pid, "fresh": ended.pid, "alive": os.getpid()}
    folders = {name: tmp_path / f"sparrow-test-{pid}-{name}" for name, pid in pids.items()}
    folders["other"] = tmp_path / "sparrow-test-other-thing"
    for name, folder in folders.items():
        folder.mkdir()
        since = folder.stat().st_mtime - (0 if name == "fresh" else 2 * LEFT_FOR_S)
        os.utime(folder, (since, since))

    remove_leftovers(tmp_path)

    assert {name for name, folder in folders.items() if folder.exists()} == {"fresh", "alive", "other"}


def test_a_machine_without_such_memory_has_its_disk(tmp_path: Path) -> None:
    """Elsewhere than on Linux there is no such place; every user may enter the folder all the same."""
    quick, disk = quick_folder(tmp_path / "absent"), disk_folder()
    parents, modes = {quick.parent, disk.parent}, {quick.stat().st_mode & 0o777, disk.stat().st_mode & 0o777}
    for folder in (quick, disk):
        shutil.rmtree(folder)

    assert parents == {Path(tempfile.gettempdir())}
    assert modes == {0o755}
