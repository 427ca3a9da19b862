"""A foreground process under test, with the stand-in services of `stand_in.py`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import psutil

from libs.runtime.data_folder import read_announcement
from libs.runtime.embedded.ports import free_port
from libs.runtime.health_probe import is_serving

_PROGRAM = Path(__file__).with_name("stand_in.py")
_ROOT = _PROGRAM.parents[2]
# Bounds for a machine that has much else to do; no test measures with them.
OUTCOME_S = 120.0
CONDITION_S = 120.0


class ForegroundProcess:
    """Starts and stops `stand_in.py foreground` on a data folder, and looks at it from outside."""

    _spawned: ClassVar[dict[Path, list[subprocess.Popen[str]]]] = {}

    def __init__(self, data_dir: Path, **env: str) -> None:
        """Choose a port; nothing is started."""
        self.data_dir = data_dir
        self.port = int(env.get("SPARROW_PORT", free_port(str(data_dir))))
        self._env = {
            "SPARROW_DATA_DIR": str(data_dir),
            "SPARROW_PORT": str(self.port),
            "COLUMNS": "120",
            **env,
        }
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start, and wait until the stand-in says SERVING."""
        self.spawn()
        wait_until(lambda: self._is_running() and self.announcement() is not None and self.is_serving())

    def spawn(self) -> None:
        """Start, without waiting."""
        self._process = subprocess.Popen(
            [sys.executable, str(_PROGRAM), "foreground"],
            env={**os.environ, "PYTHONPATH": str(_ROOT), **self._env},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._spawned.setdefault(self.data_dir, []).append(self._process)

    @classmethod
    def end_all(cls, data_dir: Path) -> None:
        """Kill what a failed test has left on this folder; its pipes are closed, its children go with it."""
        for process in cls._spawned.pop(data_dir, []):
            process.kill()
            process.communicate()

    def run(self) -> tuple[int, str]:
        """Start and wait for the end; return exit code and output."""
        self.spawn()
        return self.outcome()

    def send(self, number: signal.Signals) -> None:
        """Send a signal, without waiting."""
        assert self._process is not None
        self._process.send_signal(number)

    def stop(self, number: signal.Signals = signal.SIGINT) -> tuple[int, str]:
        """Send a signal and wait for the end; return exit code and output."""
        self.send(number)
        return self.outcome()

    def outcome(self) -> tuple[int, str]:
        """Wait for the end; return exit code and output."""
        assert self._process is not None
        output, _ = self._process.communicate(timeout=OUTCOME_S)
        return self._process.returncode, output

    def announcement(self) -> Mapping[str, Any] | None:
        """What it wrote about itself; none while it is not this process's."""
        facts = read_announcement(self.data_dir)
        ours = facts is not None and self._process is not None and facts["pid"] == self._process.pid
        return facts if ours else None

    def child(self, name: str) -> int:
        """The process id of a child: `postgres`, `nats`, `serving`, `worker`."""
        facts = self.announcement()
        assert facts is not None
        return int(facts["children"][name])

    def descendants(self) -> list[psutil.Process]:
        """Every process below it."""
        assert self._process is not None
        return psutil.Process(self._process.pid).children(recursive=True)

    def is_serving(self) -> bool:
        """Whether the stand-in answers SERVING."""
        return is_serving(f"127.0.0.1:{self.port}")

    def _is_running(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self._process.communicate()[0]
        return True


def wait_until(condition: Callable[[], bool], timeout_s: float = CONDITION_S) -> float:
    """Wait for a condition; return how long it took, in seconds."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < timeout_s, "the condition did not come true in time"
        time.sleep(0.02)
    return time.monotonic() - began


def living(processes: Sequence[psutil.Process]) -> list[psutil.Process]:
    """Those that still run; one whose end nobody has collected yet runs no more."""
    found = []
    for process in processes:
        try:
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.NoSuchProcess:
            continue
    return found
