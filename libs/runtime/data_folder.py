"""The folder of one installation: one foreground process at a time, its logs, what it says of itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from libs.runtime.embedded.failure import LaunchError, disk_full, unusable
from libs.runtime.embedded.lock import FileLock
from libs.runtime.embedded.private import write_private
from libs.runtime.free_space import free_space_mib

RUN_FILE = "run.json"


@dataclass(frozen=True)
class DataFolder:
    """A data folder that this process has taken."""

    path: Path
    _lock: FileLock

    @classmethod
    def take(cls, path: Path, free_space_min_mib: int) -> DataFolder:
        """Make the folder if absent and take it; a second taker is told who has it, a full disk refused."""
        try:
            path.joinpath("logs").mkdir(parents=True, exist_ok=True)
            lock = FileLock.take(path / "lock")
        except OSError as error:
            raise unusable(path, error) from error
        if lock is None:
            raise _taken(path)
        free_mib = free_space_mib(path)
        if free_mib < free_space_min_mib:
            lock.release()
            raise disk_full(
                path, f"{free_mib} MiB are free; Sparrow starts with {free_space_min_mib} MiB or more."
            )
        return cls(path, lock)

    def log(self, name: str) -> Path:
        """The log file of a part."""
        return self.path / "logs" / f"{name}.log"

    def announce(self, facts: Mapping[str, object]) -> None:
        """Write what runs here, for `sparrow doctor` and for a second start; it holds no secret."""
        write_private(self.path / RUN_FILE, json.dumps(facts, indent=2))

    def release(self) -> None:
        """Take back the announcement and the lock."""
        (self.path / RUN_FILE).unlink(missing_ok=True)
        self._lock.release()


def read_announcement(data_dir: Path) -> dict[str, object] | None:
    """Return what the foreground process of a data folder wrote about itself; none: nothing runs there.

    Keys: `pid`, `endpoint`, `data_dir`, `logs`, `postgres`, `nats` (addresses without passwords), `children`
    (name to process id), `metrics` (name to address). After kill -9 the file is stale: compare `pid`.
    """
    try:
        facts = json.loads((data_dir / RUN_FILE).read_text())
    except (OSError, ValueError):
        return None
    return facts if isinstance(facts, dict) and "pid" in facts and "endpoint" in facts else None


def _taken(path: Path) -> LaunchError:
    facts = read_announcement(path)
    who = f" (process {facts['pid']}, {facts['endpoint']})" if facts else ""
    return LaunchError(
        f"Sparrow already runs on {path}{who}.",
        advice="Use that one, stop it with Ctrl-C, or start another: "
        "SPARROW_DATA_DIR=/other/folder SPARROW_PORT=7401 make run.",
    )
