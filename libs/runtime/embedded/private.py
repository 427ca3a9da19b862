"""Files that only their owner may read."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from libs.runtime.embedded.failure import disk_full


def write_private(path: Path, text: str) -> None:
    """Write a file with mode 0600, whole or not at all; a full disk is a `LaunchError`."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.rename(path)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise disk_full(path.parent) from error
        raise
