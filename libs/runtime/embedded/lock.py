"""A lock that ends with the process that holds it, however that process ends."""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class FileLock:
    """An exclusive lock on a file; children do not inherit it."""

    descriptor: int

    @classmethod
    def take(cls, path: Path) -> FileLock | None:
        """Take the lock; none if another process, or this one, holds it."""
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        return cls(descriptor)

    def release(self) -> None:
        """Give the lock back."""
        os.close(self.descriptor)
