"""A data folder that cannot be used is refused in a sentence, and nothing in it is lost."""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from libs.runtime.data_folder import DataFolder
from libs.runtime.embedded.failure import LaunchError, unusable
from libs.runtime.embedded.postgres import EmbeddedPostgres


@pytest.mark.parametrize("below", ["", "deeper/still"])
def test_a_path_that_is_a_file_is_said_with_advice(tmp_path: Path, below: str) -> None:
    """The folder, what is wrong with it, what to do; the file stays."""
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(LaunchError) as refused:
        DataFolder.take(file / below, 0)

    assert "is a file" in refused.value.message
    assert str(file) in refused.value.message
    assert "SPARROW_DATA_DIR" in refused.value.advice
    assert file.read_text() == "mine"


@pytest.mark.parametrize(
    ("number", "expected"), [(errno.EROFS, "mounted read-only"), (errno.EACCES, "may not write")]
)
def test_a_folder_that_takes_no_files_is_said_with_advice(number: int, expected: str) -> None:
    """A read-only disk and a folder of somebody else's."""
    error = unusable(Path("/data"), OSError(number, "as the system says", "/data/lock"))

    assert expected in error.message
    assert "/data/lock" in error.message
    assert "SPARROW_DATA_DIR" in error.advice


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder that PostgreSQL's user can enter too."""
    folder = Path(tempfile.mkdtemp(prefix="sparrow-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_files_that_are_no_database_are_named_and_left_alone(open_to_all: Path) -> None:
    """Nothing waits, nothing is deleted: the person is told which folder, and what can be done."""
    data = open_to_all / "postgres" / "data"
    data.mkdir(parents=True)
    (data / "letter.txt").write_text("mine")
    postgres = EmbeddedPostgres(open_to_all, open_to_all / "log")
    try:
        with pytest.raises(LaunchError) as refused:
            postgres.initialise()
    finally:
        postgres.place.unlock()

    assert str(data) in refused.value.message
    assert "PG_VERSION" in refused.value.message
    assert "SPARROW_DATA_DIR" in refused.value.advice
    assert (data / "letter.txt").read_text() == "mine"
