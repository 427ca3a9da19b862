"""What `sparrow doctor` says of the data folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from libs.cli.doctor import machine
from libs.cli.doctor.machine import FEEDS, check_free_space, check_kernel, check_stream_files
from libs.runtime import kernel_state
from libs.runtime.config import Settings

FACTS = {"pid": 1, "endpoint": "127.0.0.1:1"}


def test_a_disk_below_the_limit_is_not_healthy(tmp_path: Path) -> None:
    """The line names what is free; below the limit of a start it is red, and says what to do."""
    enough = check_free_space(FACTS, Settings(data_dir=tmp_path, free_space_min_mib=0))
    short = check_free_space(FACTS, Settings(data_dir=tmp_path, free_space_min_mib=10**9))

    assert (enough.ok, short.ok) == (True, False)
    assert f"{short.figures['free_mib']} MiB are free" in short.detail
    assert "make room" in short.detail


def test_streams_whose_files_were_deleted_are_noticed(tmp_path: Path) -> None:
    """NATS itself answers as before until it is restarted, so the files are looked at."""
    settings = Settings(data_dir=tmp_path)
    streams = tmp_path / "nats" / "jetstream" / "$G" / "streams"
    for service, part in FEEDS:
        (streams / f"EVT_{service}_{part}".upper()).mkdir(parents=True)
    (whole,) = check_stream_files(FACTS, settings)
    shutil.rmtree(streams / "EVT_MATCH_FACTS")
    (holed,) = check_stream_files(FACTS, settings)

    assert (whole.ok, holed.ok) == (True, False)
    assert holed.figures == {"missing": ["EVT_MATCH_FACTS"]}


def test_a_kernel_that_is_not_built_is_not_healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers are right, but far too slow for a race; of another machine's kernel nothing is known."""
    for module in (machine, kernel_state):
        monkeypatch.setattr(module, "native", lambda: True)
    built = check_kernel(FACTS)
    for module in (machine, kernel_state):
        monkeypatch.setattr(module, "native", lambda: False)
    absent, elsewhere = check_kernel(FACTS), check_kernel(None)

    assert (built.ok, built.detail) == (True, "native")
    assert (absent.ok, elsewhere.ok) == (False, None)
    assert "make setup" in absent.detail
