"""A data folder for a foreground process, deleted with everything that ran on it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.foreground import ForegroundProcess


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A folder that every user may enter, as that of an ordinary clone."""
    folder = Path(tempfile.mkdtemp(prefix="sparrow-test-"))
    folder.chmod(0o755)
    yield folder
    ForegroundProcess.end_all(folder)
    shutil.rmtree((folder / "postgres").resolve(), ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
