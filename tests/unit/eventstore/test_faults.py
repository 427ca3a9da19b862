"""Fault points: named, armed by the environment alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from libs.eventstore.faults import Fault, Faults
from tests.support.shared_faults import SharedFaults


def test_an_unarmed_point_does_nothing() -> None:
    """In production nothing is armed."""
    faults = Faults("")
    faults.passed("sequencer.read")

    assert not faults.is_armed


def test_a_point_acts_once_at_its_passage() -> None:
    """The third passage raises, those before and after do not."""
    faults = Faults("sequencer.read:raise:3,relay.saved:raise")
    faults.passed("sequencer.read")
    faults.passed("sequencer.read")
    with pytest.raises(Fault, match=r"sequencer\.read"):
        faults.passed("sequencer.read")
    faults.passed("sequencer.read")

    assert faults.is_armed  # the other one still waits


def test_replicas_count_the_passages_of_a_point_together(tmp_path: Path) -> None:
    """The third one of all acts, in whichever it is, and neither acts again."""
    one, two = (SharedFaults("sequencer.read:raise:3", tmp_path) for _ in range(2))
    one.passed("sequencer.read")
    two.passed("sequencer.read")
    one.passed("relay.saved")
    with pytest.raises(Fault, match=r"sequencer\.read"):
        two.passed("sequencer.read")
    for each in (one, two):
        each.passed("sequencer.read")

    assert (one.is_armed, two.is_armed) == (False, False)


@pytest.mark.parametrize("text", ["nowhere:raise", "sequencer.read:explode"])
def test_a_mistyped_arming_is_refused(text: str) -> None:
    """A test that arms nothing by mistake must not pass."""
    with pytest.raises((AssertionError, ValueError), match=r"nowhere|explode"):
        Faults(text)


def test_a_point_without_a_name_in_the_table_is_refused() -> None:
    """Code may only pass points that the table names."""
    with pytest.raises(AssertionError, match="nowhere"):
        Faults("sequencer.read:raise").passed("nowhere")


def test_kill_ends_the_process_at_the_point() -> None:
    """A process armed with `kill` is gone with SIGKILL before it gets further."""
    program = (
        "from libs.eventstore.faults import fault\n"
        "print('before', flush=True)\nfault('relay.published')\nprint('after')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"SPARROW_FAULT": "relay.published:kill"},
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (-9, b"before\n")
