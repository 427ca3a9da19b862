"""A child process that never outlives this one, with its output in a bounded log file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

LOG_BYTES_MAX = 8 * 1024 * 1024
_TETHER = Path(__file__).with_name("tether.py")


@dataclass(frozen=True)
class User:
    """An account of the operating system that a child runs as."""

    name: str
    uid: int
    gid: int


@dataclass
class Child:
    """One program: started, stopped, killed and started again, always with the same command.

    Start it from the main thread: the kernel ties a child to the thread that made it.
    """

    name: str
    command: Sequence[str]
    log: Path
    env: Mapping[str, str] = field(default_factory=dict)
    user: User | None = None
    cwd: Path = Path("/")
    stop_signal: signal.Signals = signal.SIGTERM
    orphan_signal: signal.Signals = signal.SIGKILL
    process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The process id while there is a process."""
        return self.process.pid if self.process is not None else None

    def start(self) -> None:
        """Start the program in a session of its own, so that Ctrl-C reaches the parent alone."""
        assert not self.is_running()
        uid, gid = (self.user.uid, self.user.gid) if self.user else (-1, -1)
        tether = [sys.executable, "-I", "-S", str(_TETHER), str(os.getpid()), str(int(self.orphan_signal))]
        bound_log(self.log)
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                [*tether, str(uid), str(gid), *self.command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**os.environ, **self.env},
                cwd=self.cwd,
                start_new_session=True,
            )

    def is_running(self) -> bool:
        """Whether the process is there."""
        return self.process is not None and self.process.poll() is None

    def ask_to_stop(self) -> None:
        """Send the stop signal, without waiting."""
        if self.process is not None and self.is_running():
            self.process.send_signal(self.stop_signal)

    def wait(self, timeout_s: float) -> bool:
        """Wait for the end; whether it came in time."""
        deadline = time.monotonic() + timeout_s
        while self.is_running():
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.01)
        return True

    def stop(self, timeout_s: float) -> bool:
        """Ask, wait, and kill what does not listen; whether it stopped by itself."""
        self.ask_to_stop()
        if self.wait(timeout_s):
            return True
        self.kill()
        return False

    def kill(self) -> None:
        """End the process at once, as a crash would."""
        if self.process is not None and self.is_running():
            self.process.kill()
            self.process.wait()


def bound_log(log: Path, bytes_max: int = LOG_BYTES_MAX) -> None:
    """Keep a log file below a size: its content moves to `<name>.1`, its writers go on."""
    try:
        if log.stat().st_size <= bytes_max:
            return
    except FileNotFoundError:
        return
    with log.open("r+b") as file, log.with_suffix(log.suffix + ".1").open("wb") as old:
        file.seek(-bytes_max, os.SEEK_END)
        old.write(file.read())
        file.truncate(0)
